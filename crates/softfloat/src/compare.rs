//! Comparison, minimum and maximum, and classes ("F" Extension, "Single-Precision Floating-Point Compare
//! Instructions", "Classify Instruction"; "Zfa" Extension).

use crate::environment::{Environment, Flags};
use crate::format::{Format, Value, is_nan, is_negative, is_signaling, unpack};

/// What a comparison makes of a quiet NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nan {
    /// Nothing: the comparison is just false.
    Quiet,
    /// The invalid flag.
    Signaling,
}

#[inline(always)]
const fn unordered<F: Format>(a: u64, b: u64, nan: Nan, env: &mut Environment) -> bool {
    let either = is_nan::<F>(a) || is_nan::<F>(b);
    let invalid = match nan {
        Nan::Signaling => either,
        Nan::Quiet => is_signaling::<F>(a) || is_signaling::<F>(b),
    };
    if invalid {
        env.raise(Flags::INVALID);
    }
    either
}

const fn both_zero<F: Format>(a: u64, b: u64) -> bool {
    (a | b) & !F::SIGN == 0
}

/// a < b of two numbers; −0 is less than +0.
#[inline(always)]
const fn is_below<F: Format>(a: u64, b: u64) -> bool {
    match (is_negative::<F>(a), is_negative::<F>(b)) {
        (false, false) => a < b,
        (true, true) => a > b,
        (negative, _) => negative,
    }
}

/// a = b.
#[inline(always)]
pub const fn equal<F: Format>(a: u64, b: u64, env: &mut Environment) -> bool {
    !unordered::<F>(a, b, Nan::Quiet, env) && (a == b || both_zero::<F>(a, b))
}

/// a < b.
#[inline(always)]
pub const fn less<F: Format>(a: u64, b: u64, nan: Nan, env: &mut Environment) -> bool {
    !unordered::<F>(a, b, nan, env) && is_below::<F>(a, b) && !both_zero::<F>(a, b)
}

/// a ≤ b.
#[inline(always)]
pub const fn less_or_equal<F: Format>(a: u64, b: u64, nan: Nan, env: &mut Environment) -> bool {
    !unordered::<F>(a, b, nan, env) && (!is_below::<F>(b, a) || both_zero::<F>(a, b))
}

/// The smaller of two numbers; of a number and a NaN, the number (`minimumNumber` of IEEE 754-2019).
#[inline(always)]
pub const fn minimum_number<F: Format>(a: u64, b: u64, env: &mut Environment) -> u64 {
    number::<F>(a, b, is_below::<F>(a, b), env)
}

/// The larger of two numbers; of a number and a NaN, the number (`maximumNumber`).
#[inline(always)]
pub const fn maximum_number<F: Format>(a: u64, b: u64, env: &mut Environment) -> u64 {
    number::<F>(a, b, is_below::<F>(b, a), env)
}

/// The smaller of two numbers; NaN if either is one (`minimum`).
#[inline(always)]
pub const fn minimum<F: Format>(a: u64, b: u64, env: &mut Environment) -> u64 {
    let unordered = unordered::<F>(a, b, Nan::Quiet, env);
    if unordered { F::NAN } else { choose(a, b, is_below::<F>(a, b)) }
}

/// The larger of two numbers; NaN if either is one (`maximum`).
#[inline(always)]
pub const fn maximum<F: Format>(a: u64, b: u64, env: &mut Environment) -> u64 {
    let unordered = unordered::<F>(a, b, Nan::Quiet, env);
    if unordered { F::NAN } else { choose(a, b, is_below::<F>(b, a)) }
}

const fn number<F: Format>(a: u64, b: u64, first: bool, env: &mut Environment) -> u64 {
    if !unordered::<F>(a, b, Nan::Quiet, env) {
        return choose(a, b, first);
    }
    match (is_nan::<F>(a), is_nan::<F>(b)) {
        (true, true) => F::NAN,
        (a_is_nan, _) => choose(a, b, !a_is_nan),
    }
}

const fn choose(a: u64, b: u64, first: bool) -> u64 {
    if first { a } else { b }
}

/// The class of a value, one bit set of ten: from −∞ upwards to +∞, then signaling and quiet NaNs.
pub const fn class<F: Format>(bits: u64) -> u64 {
    let upwards = match unpack::<F>(bits) {
        Value::Nan { signaling: true } => return 1 << 8,
        Value::Nan { signaling: false } => return 1 << 9,
        Value::Infinity { .. } => 7,
        Value::Finite(_) if bits & F::INFINITY != 0 => 6,
        Value::Finite(_) => 5,
        Value::Zero { .. } => 4,
    };
    1 << if is_negative::<F>(bits) { 7 - upwards } else { upwards }
}
