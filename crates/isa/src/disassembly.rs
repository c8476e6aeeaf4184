//! Assembly text from a description's own format.

use std::fmt::Write;

use coredsl::ir::{AsmPiece, Expr, Instruction, Module};

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
    let mut text = instruction.mnemonic.clone();
    let value = |expr: &Expr| coredsl::eval::operand(module, instruction, expr, word, pc).as_u64();
    for (index, piece) in instruction.assembly.iter().enumerate() {
        if index == 0 {
            text.push(' ');
        }
        match piece {
            AsmPiece::Text(literal) => text.push_str(literal),
            AsmPiece::IntRegister(expr) => text.push_str(register(&INT_REGISTERS, value(expr))),
            AsmPiece::FloatRegister(expr) => text.push_str(register(&FLOAT_REGISTERS, value(expr))),
            AsmPiece::Number { value: expr, hex } => {
                write_number(&mut text, expr, value(expr), module.xlen, *hex)
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
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
