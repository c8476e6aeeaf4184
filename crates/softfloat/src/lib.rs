//! Floating-point arithmetic of F, D, Zfh and Zfa (RISC-V Unprivileged ISA), on bit patterns.
//!
//! It is done on integers, the same code for every format and rounding mode: results are exact before one
//! rounding, so that value and flags follow from one place ([`environment`]), whatever the host.

pub mod arithmetic;
pub mod compare;
pub mod constants;
pub mod convert;
pub mod environment;
pub mod format;
