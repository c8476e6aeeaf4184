//! What compiled code does itself with the registers of F, at the places of [`crate::vector::compiled::offset`].

use isa::operands::{AccessKind, Effects};

use super::load_store;
use super::registers::are_integer;
use super::unit::DYNAMIC;
use crate::unit::Fields;

/// In the field of an instruction's rounding mode: to nearest, even.
const NEAREST_EVEN: u32 = 0;

/// What an instruction does. Where there is a width, it is 16, 32 or 64 bits; what is narrower than a register is boxed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiled {
    /// Loads `rd`.
    Load(u16),
    /// Stores `rs2`.
    Store(u16),
    /// Moves bits of `rs1` to an integer register, sign-extended.
    ToInteger(u16),
    /// Moves bits from an integer register.
    FromInteger(u16),
    /// Gives the double `rs1` a sign made of `rs2`'s.
    Sign(Sign),
    /// Computes, rounding to nearest even if `frm` says so.
    Arithmetic(Arithmetic, u16),
}

/// What a sign becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// The second operand's.
    Copied,
    /// Its opposite.
    Negated,
    /// The exclusive or of both.
    Multiplied,
}

/// Arithmetic that rounds; of `rs1`, `rs2` and `rs3`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the operations' own names")]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    SquareRoot,
    /// ± rs1 · rs2 ± rs3, rounded once.
    Fused {
        minus_product: bool,
        minus_sum: bool,
    },
}

/// What compiled code does itself of an instruction with that name, these effects and this word.
pub fn compiled(name: &str, effects: &Effects, word: u32) -> Option<Compiled> {
    if are_integer(effects) {
        return None;
    }
    if let Some((kind, bits)) = load_store::access(effects) {
        return Some(if kind == AccessKind::Load { Compiled::Load(bits) } else { Compiled::Store(bits) });
    }
    let fused = |minus_product, minus_sum| Arithmetic::Fused { minus_product, minus_sum };
    let (operation, bits) = match name.rsplit_once("__")? {
        ("FMV__X", format) => return Some(Compiled::ToInteger(width(format)?)),
        (format, "X") => return Some(Compiled::FromInteger(width(format.strip_prefix("FMV__")?)?)),
        ("FSGNJ", "D") => return Some(Compiled::Sign(Sign::Copied)),
        ("FSGNJN", "D") => return Some(Compiled::Sign(Sign::Negated)),
        ("FSGNJX", "D") => return Some(Compiled::Sign(Sign::Multiplied)),
        ("FADD", format) => (Arithmetic::Add, width(format)?),
        ("FSUB", format) => (Arithmetic::Subtract, width(format)?),
        ("FMUL", format) => (Arithmetic::Multiply, width(format)?),
        ("FDIV", format) => (Arithmetic::Divide, width(format)?),
        ("FSQRT", format) => (Arithmetic::SquareRoot, width(format)?),
        ("FMADD", format) => (fused(false, false), width(format)?),
        ("FMSUB", format) => (fused(false, true), width(format)?),
        ("FNMSUB", format) => (fused(true, false), width(format)?),
        ("FNMADD", format) => (fused(true, true), width(format)?),
        _ => return None,
    };
    let is_nearest = matches!(Fields(word).rm(), NEAREST_EVEN | DYNAMIC);
    (is_nearest && bits >= 32).then_some(Compiled::Arithmetic(operation, bits))
}

fn width(format: &str) -> Option<u16> {
    Some(match format {
        "H" => 16,
        "S" | "W" => 32,
        "D" => 64,
        _ => return None,
    })
}
