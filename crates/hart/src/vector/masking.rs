//! What compiled code does itself with masks, named as in the descriptions.

use super::mixed::Widths;

/// A comparison of two integers, or the carry or borrow of their sum or difference, for each element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::upper_case_acronyms, missing_docs, reason = "the instructions' own names")]
pub enum Comparison {
    VMSEQ,
    VMSNE,
    VMSLTU,
    VMSLT,
    VMSLEU,
    VMSLE,
    VMSGTU,
    VMSGT,
    VMADC,
    VMSBC,
}

/// A comparison, whether it takes the bits of v0 as carries, and its kernels.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// Which one.
    pub comparison: Comparison,
    /// With v0.
    pub carries: bool,
    /// By width.
    pub widths: Widths,
}

/// An operation on masks of few bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::upper_case_acronyms, missing_docs, reason = "the instructions' own names")]
pub enum Masking {
    VMAND,
    VMNAND,
    VMANDN,
    VMXOR,
    VMOR,
    VMNOR,
    VMORN,
    VMXNOR,
    VCPOP,
    VFIRST,
    VMSBF,
    VMSIF,
    VMSOF,
}
