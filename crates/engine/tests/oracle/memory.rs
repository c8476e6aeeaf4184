//! What loads, branches, atomics and CSR instructions do with the values they are given.

use super::{sign_extend, truncate};

/// The value a load writes to rd for the bytes it read, little-endian in `raw`.
pub fn loaded(xlen: u16, mnemonic: &str, raw: u64) -> Option<u64> {
    let value = match mnemonic {
        "lb" => sign_extend(raw, 8),
        "lh" => sign_extend(raw, 16),
        "lw" => sign_extend(raw, 32),
        "lbu" => truncate(raw, 8),
        "lhu" => truncate(raw, 16),
        "lwu" if xlen == 64 => truncate(raw, 32),
        "ld" if xlen == 64 => raw,
        _ => return None,
    };
    Some(truncate(value, xlen))
}

/// Whether a branch on rs1 = `a` and rs2 = `b` is taken.
pub fn branch_taken(xlen: u16, mnemonic: &str, a: u64, b: u64) -> Option<bool> {
    let (a, b) = (truncate(a, xlen), truncate(b, xlen));
    let (signed_a, signed_b) = (sign_extend(a, xlen) as i64, sign_extend(b, xlen) as i64);
    Some(match mnemonic {
        "beq" => a == b,
        "bne" => a != b,
        "blt" => signed_a < signed_b,
        "bge" => signed_a >= signed_b,
        "bltu" => a < b,
        "bgeu" => a >= b,
        _ => return None,
    })
}

/// The values an AMO writes to rd and to memory, for the `old` memory operand and rs2 = `source`.
pub fn amo(xlen: u16, mnemonic: &str, old: u64, source: u64) -> Option<(u64, u64)> {
    let (operation, size) = match mnemonic.split_once('.')? {
        (operation, "b") => (operation, 8),
        (operation, "h") => (operation, 16),
        (operation, "w") => (operation, 32),
        (operation, "d") if xlen == 64 => (operation, 64),
        _ => return None,
    };
    let (old, source) = (truncate(old, size), truncate(source, size));
    let (signed_old, signed_source) = (sign_extend(old, size) as i64, sign_extend(source, size) as i64);
    let new = match operation {
        "amoswap" => source,
        "amoadd" => old.wrapping_add(source),
        "amoxor" => old ^ source,
        "amoand" => old & source,
        "amoor" => old | source,
        "amomin" => signed_old.min(signed_source) as u64,
        "amomax" => signed_old.max(signed_source) as u64,
        "amominu" => old.min(source),
        "amomaxu" => old.max(source),
        _ => return None,
    };
    let rd = sign_extend(old, size);
    Some((truncate(rd, xlen), truncate(new, size)))
}

/// The value a CSR instruction writes to the CSR, before the CSR's own rules: `Some(None)` if it does
/// not write. `rs1` is the register number or the immediate, `operand` the register's value or again
/// the immediate.
pub fn csr_written(mnemonic: &str, old: u64, rs1: u8, operand: u64) -> Option<Option<u64>> {
    Some(match mnemonic {
        "csrrw" | "csrrwi" => Some(operand),
        "csrrs" | "csrrsi" if rs1 != 0 => Some(old | operand),
        "csrrc" | "csrrci" if rs1 != 0 => Some(old & !operand),
        "csrrs" | "csrrsi" | "csrrc" | "csrrci" => None,
        _ => return None,
    })
}
