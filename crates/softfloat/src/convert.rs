//! Conversions between formats and to and from integers ("F" Extension, "Single-Precision Floating-Point
//! Conversion and Move Instructions"; "Zfa" Extension).

use crate::environment::{Environment, Flags, Rounding};
use crate::format::{Double, Finite, Format, Value, signed, unpack};

/// An integer type of the instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integer {
    /// Width, 8 to 64.
    pub bits: u32,
    /// Two's complement.
    pub signed: bool,
}

impl Integer {
    /// `w`.
    pub const W: Self = Self { bits: 32, signed: true };
    /// `wu`.
    pub const WU: Self = Self { bits: 32, signed: false };
    /// `l`.
    pub const L: Self = Self { bits: 64, signed: true };
    /// `lu`.
    pub const LU: Self = Self { bits: 64, signed: false };

    const fn highest(self) -> u64 {
        u64::MAX >> (64 - self.bits + self.signed as u32)
    }

    /// The magnitude of the lowest value.
    const fn depth(self) -> u64 {
        if self.signed { 1 << (self.bits - 1) } else { 0 }
    }

    /// The value in a register's low bits, as a 64-bit integer of the same value.
    const fn extend(self, register: u64) -> u64 {
        let above = 64 - self.bits;
        if self.signed { ((register << above) as i64 >> above) as u64 } else { register << above >> above }
    }
}

/// One format's value in another.
#[inline]
pub fn between<F: Format, G: Format>(a: u64, env: &mut Environment) -> u64 {
    match unpack::<F>(a) {
        Value::Nan { signaling } => env.nan::<G>(signaling),
        Value::Infinity { negative } => signed::<G>(negative, G::INFINITY),
        Value::Zero { negative } => signed::<G>(negative, 0),
        Value::Finite(number) => env.round::<G>(number),
    }
}

/// The integer in a register's low bits.
#[inline]
pub fn from_integer<F: Format>(register: u64, integer: Integer, env: &mut Environment) -> u64 {
    let value = integer.extend(register);
    let negative = integer.signed && (value as i64) < 0;
    let magnitude = if negative { value.wrapping_neg() } else { value };
    match whole(negative, magnitude) {
        Some(number) => env.round::<F>(number),
        None => 0,
    }
}

/// ±`magnitude`, unless 0.
const fn whole(negative: bool, magnitude: u64) -> Option<Finite> {
    if magnitude == 0 {
        return None;
    }
    let shift = magnitude.leading_zeros();
    Some(Finite { negative, exponent: 63 - shift as i32, significand: magnitude << shift })
}

/// The integer nearest to a value, or of the type's range that nearest to it, in a register: 32-bit
/// results are sign-extended, unsigned ones too.
#[inline]
pub fn to_integer<F: Format>(a: u64, integer: Integer, env: &mut Environment) -> u64 {
    let (negative, rounded) = match unpack::<F>(a) {
        Value::Zero { .. } => return 0,
        Value::Nan { .. } => (false, None),
        Value::Infinity { negative } => (negative, None),
        Value::Finite(number) => (number.negative, integral(number, env)),
    };
    let bound = if negative { integer.depth() } else { integer.highest() };
    let magnitude = match rounded {
        Some((magnitude, inexact)) if magnitude <= bound => {
            if inexact {
                env.raise(Flags::INEXACT);
            }
            magnitude
        }
        _ => {
            env.raise(Flags::INVALID);
            bound
        }
    };
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    if integer.bits == 32 { value as i32 as u64 } else { value }
}

/// Magnitude of the integer a number is rounded to, and whether it was; `None` from 2^64.
#[inline(always)]
fn integral(number: Finite, env: &Environment) -> Option<(u64, bool)> {
    let shift = u32::try_from(63 - number.exponent).ok()?;
    Some(env.round_off(number.significand, shift, number.negative))
}

/// The integral value nearest to a value, in its own format; a rounded one raises the inexact flag if
/// `exact` says so (`roundToIntegralExact`).
pub fn to_integral<F: Format>(a: u64, exact: bool, env: &mut Environment) -> u64 {
    let number = match unpack::<F>(a) {
        Value::Nan { signaling } => return env.nan::<F>(signaling),
        Value::Infinity { .. } | Value::Zero { .. } => return a,
        Value::Finite(number) if number.exponent >= F::FRACTION as i32 => return a,
        Value::Finite(number) => number,
    };
    let shift = (63 - number.exponent) as u32;
    let (magnitude, inexact) = env.round_off(number.significand, shift, number.negative);
    if inexact && exact {
        env.raise(Flags::INEXACT);
    }
    match whole(number.negative, magnitude) {
        // At most FRACTION + 1 bits, which the format holds.
        Some(number) => env.round::<F>(number),
        None => signed::<F>(number.negative, 0),
    }
}

/// A value truncated to an integer modulo 2^32, with the flags of a conversion to `w`: `fcvtmod.w.d`.
pub fn to_integer_modulo(a: u64, env: &mut Environment) -> u64 {
    env.rounding = Rounding::Zero;
    to_integer::<Double>(a, Integer::W, env);
    let Value::Finite(number) = unpack::<Double>(a) else { return 0 };
    let magnitude = match 63 - number.exponent {
        right @ 0.. => number.significand.checked_shr(right as u32),
        left => number.significand.checked_shl(left.unsigned_abs()),
    };
    let magnitude = magnitude.unwrap_or(0);
    let value = if number.negative { magnitude.wrapping_neg() } else { magnitude };
    value as i32 as u64
}
