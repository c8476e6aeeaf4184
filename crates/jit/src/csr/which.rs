//! The CSRs that compiled code accesses.

use engine::uop::{Op, Uop};
use hart::csr::number;

/// Those that do not count anything.
const COMPILED: [u16; 10] = [
    number::FFLAGS,
    number::FRM,
    number::FCSR,
    number::VSTART,
    number::VXSAT,
    number::VXRM,
    number::VCSR,
    number::VL,
    number::VTYPE,
    number::VLENB,
];

/// True if the access at an index among the micro-operations of an instruction is of one of these.
pub fn is_compiled(uops: &[Uop], index: usize) -> bool {
    let slot = uops[index].a;
    let known = uops[..index].iter().rev().find(|uop| uop.def() == Some(slot));
    known.is_some_and(|uop| uop.op == Op::Const && COMPILED.iter().any(|&csr| u64::from(csr) == uop.imm))
}
