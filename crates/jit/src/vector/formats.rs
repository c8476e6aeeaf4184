//! Formats of floating-point numbers in lanes, and lanes of them.

use cranelift_codegen::ir::{Type, Value, types};

/// Lanes of a width: as numbers, as their bits, and the bounds between which a magnitude is plain.
#[derive(Clone, Copy)]
pub struct Format {
    pub numbers: Type,
    pub bits: Type,
    pub sign: u64,
    pub least: u64,
    pub most: u64,
}

pub const SINGLE: Format =
    Format { numbers: types::F32X4, bits: types::I32X4, sign: 1 << 31, least: 1 << 23, most: 0xff << 23 };
pub const DOUBLE: Format =
    Format { numbers: types::F64X2, bits: types::I64X2, sign: 1 << 63, least: 1 << 52, most: 0x7ff << 52 };

/// Numbers of binary16 are bits to the host.
pub const HALF: Format =
    Format { numbers: types::I16X8, bits: types::I16X8, sign: 1 << 15, least: 1 << 10, most: 0x1f << 10 };

/// A column's operands: of `vs2`, the second operand and `vd`, if it is one.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub a: Value,
    pub b: Value,
    pub d: Value,
}
