//! How an instruction's operands are written.

use super::Expr;

/// A piece of an assembly format.
#[derive(Clone, PartialEq, Debug)]
pub enum AsmPiece {
    /// Text as it stands.
    Text(String),
    /// The name of an integer register: `{name(rd)}`, `{name(8+rd)}`.
    IntRegister(Expr),
    /// The name of a floating-point register: `{fname(rd)}`, or `{dname(rd)}` of one that holds double precision. Where
    /// the parameter `FLOAT_IN_X` is set, both are integer registers.
    FloatRegister(Expr),
    /// The name of the first of two integer registers that hold one value: `{dname(rd)}` where `FLOAT_IN_X` is set and
    /// registers have 32 bits.
    RegisterPair(Expr),
    /// Registers that are saved together, from a list's number: `{rlist(rlist)}`.
    RegisterList(Expr),
    /// A number: `{imm}`.
    Number {
        /// Value to print, in decimal by its own signedness unless `hex`.
        value: Expr,
        /// Hexadecimal with `0x`: any format such as `:#x`, `:#05x`.
        hex: bool,
    },
    /// The name of a control and status register, by its number; a number without a name in hexadecimal: `{csr(csr)}`.
    Csr(Expr),
    /// What an atomic instruction orders, `.aq`, `.rl` or `.aqrl`; nothing for neither: `{aqrl(aq::rl)}`, in a mnemonic.
    Ordering(Expr),
    /// The mask operand of a vector instruction, `, v0.t` where the bit is 0, nothing where it is 1: `{vm(vm)}`.
    VectorMask(Expr),
    /// The rounding mode of a floating-point instruction, `, rtz`; nothing where it is the dynamic one: `{rm(rm)}`.
    RoundingMode(Expr),
    /// A vector type such as `e32, m1, ta, ma`, a reserved one as a number: `{vtype(zimm)}`.
    VectorType(Expr),
}
