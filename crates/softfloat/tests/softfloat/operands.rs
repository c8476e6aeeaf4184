//! Operands worth trying: special values, neighbours of powers of two, equal and nearly equal exponents.

use proptest::prelude::*;
use softfloat::environment::{Environment, Rounding};
use softfloat::format::Format;

/// Every rounding mode.
pub const MODES: [Rounding; 5] =
    [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up, Rounding::NearestAway];

/// Result and flags of an operation.
pub fn outcome(rounding: Rounding, operation: impl Fn(&mut Environment) -> u64) -> (u64, u8) {
    let mut env = Environment::new(rounding);
    let result = operation(&mut env);
    (result, env.flags.0)
}

/// Bits of a format.
pub fn value<F: Format>() -> impl Strategy<Value = u64> {
    let (fraction, exponents) = (F::HIDDEN - 1, F::EXPONENT_MAX as u64);
    let bits = move |sign: bool, exponent: u64, fraction: u64| {
        u64::from(sign) << (F::BITS - 1) | exponent << F::FRACTION | fraction
    };
    let sparse = prop_oneof![
        Just(0),
        Just(fraction),
        (0..F::FRACTION).prop_map(|bit| 1 << bit),
        (0..F::FRACTION).prop_map(move |bit| fraction & !(1 << bit)),
        (0..F::FRACTION).prop_map(move |bit| fraction >> bit),
        (0..F::FRACTION).prop_map(move |bit| fraction << bit & fraction),
        0..=fraction,
    ];
    let bias = F::BIAS as u64;
    let precision = u64::from(F::FRACTION);
    let exponent = prop_oneof![
        1 => Just(0),
        1 => Just(exponents),
        1 => 1..4u64,
        1 => exponents - 4..exponents,
        4 => bias - 4..bias + 4,
        2 => (bias - precision - 3..bias + precision + 3).prop_map(move |exponent| exponent.min(exponents)),
        2 => 0..=exponents,
    ];
    (any::<bool>(), exponent, sparse)
        .prop_map(move |(sign, exponent, fraction)| bits(sign, exponent, fraction))
}

/// A rounding mode.
pub fn mode() -> impl Strategy<Value = Rounding> {
    prop::sample::select(MODES.to_vec())
}
