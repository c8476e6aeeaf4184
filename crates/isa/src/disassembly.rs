//! Assembly text from a description's own format.

use std::fmt::Write;

use coredsl::ir::{AsmPiece, Expr, Instruction, Module};

use crate::csr;

/// ABI names of the integer registers (RISC-V ABIs Specification, "Integer Register Convention").
pub const INT_REGISTERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// ABI names of the floating-point registers.
pub const FLOAT_REGISTERS: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4",
    "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8",
    "ft9", "ft10", "ft11",
];

/// The instruction `word` at `pc` as an assembler would write it, without aliases.
pub fn text(module: &Module, instruction: &Instruction, word: u32, pc: u64) -> String {
    let mut text = String::new();
    let mut write = |pieces: &[AsmPiece]| {
        for piece in pieces {
            write_piece(&mut text, module, piece, &|expr| {
                coredsl::eval::operand(module, instruction, expr, word, pc).as_u64()
            });
        }
    };
    if instruction.mnemonic_pieces.is_empty() {
        write(&[AsmPiece::Text(instruction.mnemonic.clone())]);
    } else {
        write(&instruction.mnemonic_pieces);
    }
    write(&[AsmPiece::Text(" ".to_owned())]);
    write(&instruction.assembly);
    text.truncate(text.trim_end().len());
    text
}

fn write_piece(text: &mut String, module: &Module, piece: &AsmPiece, value: &dyn Fn(&Expr) -> u64) {
    match piece {
        AsmPiece::Text(literal) => text.push_str(literal),
        // A pair is written by its first register ("Zdinx" Extension).
        AsmPiece::IntRegister(expr) | AsmPiece::RegisterPair(expr) => {
            text.push_str(register(&INT_REGISTERS, value(expr)))
        }
        AsmPiece::FloatRegister(expr) => text.push_str(register(&FLOAT_REGISTERS, value(expr))),
        AsmPiece::RegisterList(expr) => write_register_list(text, value(expr)),
        AsmPiece::Number { value: expr, hex } => write_number(text, expr, value(expr), module.xlen, *hex),
        AsmPiece::Csr(expr) => write_csr(text, value(expr)),
        AsmPiece::Ordering(expr) => text.push_str(ordering(value(expr))),
        AsmPiece::RoundingMode(expr) => text.push_str(rounding_mode(value(expr))),
        AsmPiece::VectorMask(expr) => text.push_str(if value(expr) & 1 == 0 { ", v0.t" } else { "" }),
        AsmPiece::VectorType(expr) => write_vector_type(text, value(expr)),
    }
}

fn write_csr(text: &mut String, number: u64) {
    match u16::try_from(number).ok().and_then(csr::name) {
        Some(name) => text.push_str(&name),
        // Writing to a string cannot fail.
        None => drop(write!(text, "{number:#x}")),
    }
}

/// Registers that a push or pop names by a number ("Zcmp" Extension, "PUSH/POP functional overview"): ra, and from 5 on
/// those from s0 to one more each; 15 stands for s10 and s11. Reserved ones as a number.
fn write_register_list(text: &mut String, number: u64) {
    // Writing to a string cannot fail.
    let _ = match number {
        4 => write!(text, "{{ra}}"),
        5 => write!(text, "{{ra, s0}}"),
        6..=14 => write!(text, "{{ra, s0-s{}}}", number - 5),
        15 => write!(text, "{{ra, s0-s11}}"),
        _ => write!(text, "{number}"),
    };
}

/// Bits `aq` and `rl` (chapter "A", "Specifying Ordering of Atomic Instructions").
const fn ordering(bits: u64) -> &'static str {
    match bits & 3 {
        0 => "",
        1 => ".rl",
        2 => ".aq",
        _ => ".aqrl",
    }
}

/// The operand that gives a rounding mode; none for the dynamic one, as in an assembler's source.
const fn rounding_mode(field: u64) -> &'static str {
    match field {
        0 => ", rne",
        1 => ", rtz",
        2 => ", rdn",
        3 => ", rup",
        4 => ", rmm",
        7 => "",
        _ => ", reserved",
    }
}

/// Fields of `vtype` (chapter "V", "Vector type register"); reserved values as a number.
fn write_vector_type(text: &mut String, value: u64) {
    let (sew, lmul) = (value >> 3 & 7, value & 7);
    // Writing to a string cannot fail.
    let _ = if value >> 8 != 0 || sew > 3 || lmul == 4 {
        write!(text, "{value}")
    } else {
        let group = ["m1", "m2", "m4", "m8", "", "mf8", "mf4", "mf2"][lmul as usize];
        let tail = if value >> 6 & 1 == 1 { "ta" } else { "tu" };
        let masked_off = if value >> 7 & 1 == 1 { "ma" } else { "mu" };
        write!(text, "e{}, {group}, {tail}, {masked_off}", 8 << sew)
    };
}

fn register(names: &'static [&'static str; 32], index: u64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or("?")
}

fn write_number(text: &mut String, expr: &Expr, value: u64, xlen: u16, hex: bool) {
    let shift = 64 - u32::from(expr.ty.width.min(64));
    // Writing to a string cannot fail.
    let _ = if hex {
        // An address wraps at XLEN, whatever the sum's own width.
        let mask = u64::MAX >> (64 - xlen);
        write!(text, "{:#x}", value & mask)
    } else if expr.ty.signed {
        write!(text, "{}", (value << shift) as i64 >> shift)
    } else {
        write!(text, "{value}")
    };
}
