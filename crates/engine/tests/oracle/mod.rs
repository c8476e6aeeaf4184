//! An independent model of the scalar instructions, one line each, written from the manual's prose
//! and Sail code over host integers. It shares nothing with the descriptions in `isa/`, so that a
//! mistake would have to be made twice to go unnoticed.
//!
//! Register values are `u64`; on RV32 their upper half is zero, in operands and results alike.

#![allow(dead_code, reason = "each test file that includes this module uses a part of it")]

mod address;
mod aes;
mod base;
mod bitmanip;
mod carryless;
mod compressed;
mod memory;
mod muldiv;
mod sha;
mod shangmi;

pub use compressed::expand_compressed;
pub use memory::{amo, branch_taken, csr_written, loaded};

/// Operands of a computational instruction, as its function sees them.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    /// 32 or 64.
    pub xlen: u16,
    /// Value of rs1, zero above XLEN.
    pub a: u64,
    /// Value of rs2, zero above XLEN.
    pub b: u64,
    /// Immediate, sign-extended to 64 bits; shift amount, byte select or round number.
    pub imm: u64,
    /// Address of the instruction.
    pub pc: u64,
}

impl Operands {
    /// rs1 as a signed number.
    pub fn signed_a(&self) -> i64 {
        sign_extend(self.a, self.xlen) as i64
    }

    /// rs2 as a signed number.
    pub fn signed_b(&self) -> i64 {
        sign_extend(self.b, self.xlen) as i64
    }

    /// Shift amount in a register: 5 or 6 bits.
    pub fn shift(&self) -> u32 {
        (self.b & u64::from(self.xlen - 1)) as u32
    }

    /// Low words of rs1 and rs2.
    pub fn words(&self) -> (u32, u32) {
        (self.a as u32, self.b as u32)
    }
}

/// The value an instruction writes to rd, or `None` if there is no such instruction at this XLEN (or,
/// for `aes64ks1i`, no such round number).
///
/// `imm` is the sign-extended immediate (of `lui` and `auipc` with its twelve zeros), the shift amount,
/// `bs` or `rnum`. Operands an instruction does not have are ignored.
pub fn compute(xlen: u16, mnemonic: &str, a: u64, b: u64, imm: u64, pc: u64) -> Option<u64> {
    assert!(xlen == 32 || xlen == 64, "XLEN {xlen}");
    let operands = Operands { xlen, a: truncate(a, xlen), b: truncate(b, xlen), imm, pc: truncate(pc, xlen) };
    let families = [
        base::compute,
        muldiv::compute,
        address::compute,
        bitmanip::compute,
        carryless::compute,
        aes::compute,
        sha::compute,
        shangmi::compute,
    ];
    let value = families.into_iter().find_map(|family| family(mnemonic, operands))?;
    Some(truncate(value, xlen))
}

/// The low `width` bits.
pub(crate) fn truncate(value: u64, width: u16) -> u64 {
    if width == 64 { value } else { value & ((1 << width) - 1) }
}

/// The low `width` bits as a two's complement number.
pub(crate) fn sign_extend(value: u64, width: u16) -> u64 {
    let unused = 64 - u32::from(width);
    (((value << unused) as i64) >> unused) as u64
}

/// A 32-bit result as RV64 keeps it.
pub(crate) fn sign_extend_word(value: u32) -> u64 {
    value as i32 as u64
}
