//! Estimates of reciprocals to seven bits ("V" Extension, "Vector Floating-Point Reciprocal Square-Root Estimate
//! Instruction", "Vector Floating-Point Reciprocal Estimate Instruction").

use crate::environment::{Environment, Flags};
use crate::format::{Finite, Format, Value, signed, unpack};

/// Fractions of 1/√a by the low bit of the exponent, which is set in the second half, and the six leading bits of
/// the fraction.
const ROOTS: [u8; 128] = [
    52, 51, 50, 48, 47, 46, 44, 43, 42, 41, 40, 39, 38, 36, 35, 34, 33, 32, 31, 30, 30, 29, 28, 27, 26, 25,
    24, 23, 23, 22, 21, 20, 19, 19, 18, 17, 16, 16, 15, 14, 14, 13, 12, 12, 11, 10, 10, 9, 9, 8, 7, 7, 6, 6,
    5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 127, 125, 123, 121, 119, 118, 116, 114, 113, 111, 109, 108, 106, 105, 103,
    102, 100, 99, 97, 96, 95, 93, 92, 91, 90, 88, 87, 86, 85, 84, 83, 82, 80, 79, 78, 77, 76, 75, 74, 73, 72,
    71, 70, 70, 69, 68, 67, 66, 65, 64, 63, 63, 62, 61, 60, 59, 59, 58, 57, 56, 56, 55, 54, 53,
];

/// Fractions of 1/a by the seven leading bits of the fraction.
const RECIPROCALS: [u8; 128] = [
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99, 97, 96, 94, 93, 91,
    90, 88, 87, 85, 84, 83, 81, 80, 79, 77, 76, 75, 74, 72, 71, 70, 69, 68, 66, 65, 64, 63, 62, 61, 60, 59,
    58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 40, 39, 38, 37, 36, 35, 35,
    34, 33, 32, 31, 31, 30, 29, 28, 28, 27, 26, 25, 25, 24, 23, 23, 22, 21, 21, 20, 19, 19, 18, 17, 17, 16,
    15, 15, 14, 14, 13, 12, 12, 11, 11, 10, 9, 9, 8, 8, 7, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0,
];

/// 1/√a to seven bits, whatever the rounding mode.
pub fn reciprocal_root<F: Format>(a: u64, env: &mut Environment) -> u64 {
    match unpack::<F>(a) {
        Value::Nan { signaling } => env.nan::<F>(signaling),
        Value::Infinity { negative: true } | Value::Finite(Finite { negative: true, .. }) => {
            env.invalid::<F>()
        }
        Value::Infinity { negative: false } => 0,
        Value::Zero { negative } => {
            env.raise(Flags::DIVIDE_BY_ZERO);
            signed::<F>(negative, F::INFINITY)
        }
        Value::Finite(Finite { exponent, significand, .. }) => {
            // The bias is odd: a stored exponent of an even number ends in 1.
            let is_even = exponent & 1 == 0;
            let index = usize::from(is_even) << 6 | (significand >> 57 & 0x3f) as usize;
            let stored = (3 * F::BIAS - 1 - (exponent + F::BIAS)).div_euclid(2);
            (stored as u64) << F::FRACTION | u64::from(ROOTS[index]) << (F::FRACTION - 7)
        }
    }
}

/// 1/a to seven bits; the rounding mode decides what becomes of a result that is too large.
pub fn reciprocal<F: Format>(a: u64, env: &mut Environment) -> u64 {
    let Finite { negative, exponent, significand } = match unpack::<F>(a) {
        Value::Nan { signaling } => return env.nan::<F>(signaling),
        Value::Infinity { negative } => return signed::<F>(negative, 0),
        Value::Zero { negative } => {
            env.raise(Flags::DIVIDE_BY_ZERO);
            return signed::<F>(negative, F::INFINITY);
        }
        Value::Finite(number) => number,
    };
    let stored = 2 * F::BIAS - 1 - (exponent + F::BIAS);
    if stored >= F::EXPONENT_MAX {
        return env.overflow::<F>(negative);
    }
    let fraction = u64::from(RECIPROCALS[(significand >> 56 & 0x7f) as usize]) << (F::FRACTION - 7);
    // A subnormal result shows the leading bit, cut off at the end.
    let magnitude = match stored {
        1.. => (stored as u64) << F::FRACTION | fraction,
        _ => (F::HIDDEN | fraction) >> (1 - stored),
    };
    signed::<F>(negative, magnitude)
}
