//! The oracle's own tests: published examples of the algorithms that the instructions serve, run with
//! the oracle's functions, and identities where no example is published.

#[path = "mod.rs"]
mod oracle;

mod against_aes;
mod against_sha2;
mod against_shangmi;
mod integer;

use oracle::compute;

/// A computational instruction with two register operands on RV32.
fn rv32(mnemonic: &str, a: u32, b: u32, imm: u64) -> u32 {
    let value =
        compute(32, mnemonic, a.into(), b.into(), imm, 0).unwrap_or_else(|| panic!("RV32 has {mnemonic}"));
    u32::try_from(value).expect("RV32 results fit 32 bits")
}

/// A computational instruction with two register operands on RV64.
fn rv64(mnemonic: &str, a: u64, b: u64, imm: u64) -> u64 {
    compute(64, mnemonic, a, b, imm, 0).unwrap_or_else(|| panic!("RV64 has {mnemonic}"))
}
