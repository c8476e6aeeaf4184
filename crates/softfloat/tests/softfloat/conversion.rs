//! Conversions between formats and to and from integers, against the oracle and in the manual's table of
//! invalid inputs.

use proptest::prelude::*;
use rustc_apfloat::{Float, FloatConvert};
use softfloat::convert::{Integer, between, from_integer, to_integer, to_integer_modulo, to_integral};
use softfloat::environment::{Flags, Rounding};
use softfloat::format::{Brain, Double, Format, Half, Single};

use crate::apfloat::{self, Oracle, narrowed};
use crate::operands::{MODES, mode, outcome, value};

const INTEGERS: [Integer; 8] = [
    Integer::W,
    Integer::WU,
    Integer::L,
    Integer::LU,
    Integer { bits: 8, signed: true },
    Integer { bits: 8, signed: false },
    Integer { bits: 16, signed: true },
    Integer { bits: 16, signed: false },
];

fn formats<F: Oracle, G: Oracle>(a: u64, rounding: Rounding) -> Result<(), TestCaseError>
where
    F::Exact: FloatConvert<G::Exact> + FloatConvert<G::Unbounded>,
{
    let found = outcome(rounding, |env| between::<F, G>(a, env));
    let expected = narrowed::<G, _>(F::Exact::from_bits(a.into()), rounding);
    prop_assert_eq!(found, expected, "{:x}, {:?}", a, rounding);
    Ok(())
}

fn to_integers<F: Oracle>(a: u64, rounding: Rounding) -> Result<(), TestCaseError> {
    let number = F::Exact::from_bits(a.into());
    if number.is_nan() {
        return Ok(());
    }
    for integer in INTEGERS {
        let found = outcome(rounding, |env| to_integer::<F>(a, integer, env));
        let (width, round) = (integer.bits as usize, apfloat::round(rounding));
        let (value, status) = if integer.signed {
            let to = number.to_i128_r(width, round, &mut false);
            (to.value as u64, to.status)
        } else {
            let to = number.to_u128_r(width, round, &mut false);
            (to.value as u64, to.status)
        };
        // Signed results of 8 and 16 bits are extended; elements take their low bits.
        let register = if integer.bits == 32 { value as i32 as u64 } else { value };
        prop_assert_eq!(found, (register, apfloat::flags(status)), "{:x}, {:?}, {:?}", a, integer, rounding);
    }
    Ok(())
}

fn from_integers<F: Oracle>(register: u64, rounding: Rounding) -> Result<(), TestCaseError> {
    for integer in INTEGERS {
        let value = match (integer.bits, integer.signed) {
            (32, true) => i128::from(register as i32),
            (32, false) => i128::from(register as u32),
            (8, true) => i128::from(register as i8),
            (8, false) => i128::from(register as u8),
            (16, true) => i128::from(register as i16),
            (16, false) => i128::from(register as u16),
            (_, true) => i128::from(register as i64),
            (_, false) => i128::from(register),
        };
        let round = apfloat::round(rounding);
        let exact = F::Exact::from_i128_r(value, round);
        let expected = apfloat::delivered::<F>(exact, F::Unbounded::from_i128_r(value, round).value);
        let found = outcome(rounding, |env| from_integer::<F>(register, integer, env));
        prop_assert_eq!(found, expected, "{:x}, {:?}, {:?}", register, integer, rounding);
    }
    Ok(())
}

/// Rounds in the format itself, as the oracle does.
fn integral<F: Oracle>(a: u64, rounding: Rounding) -> Result<(), TestCaseError> {
    let number = F::Exact::from_bits(a.into());
    let expected = number.round_to_integral(apfloat::round(rounding)).value;
    if !number.is_nan() {
        let expected_bits = expected.to_bits() as u64;
        let inexact = u8::from(expected_bits != a);
        prop_assert_eq!(outcome(rounding, |env| to_integral::<F>(a, true, env)), (expected_bits, inexact));
        prop_assert_eq!(outcome(rounding, |env| to_integral::<F>(a, false, env)), (expected_bits, 0));
    }
    Ok(())
}

fn odd<F: Format, G: Format>(a: u64) -> Result<(), TestCaseError> {
    let (truncated, flags) = outcome(Rounding::Zero, |env| between::<F, G>(a, env));
    let is_inexact = u64::from(flags & Flags::INEXACT.0);
    let found = outcome(Rounding::Odd, |env| between::<F, G>(a, env));
    prop_assert_eq!(found, (truncated | is_inexact, flags), "{:x}", a);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn from_halves(a in value::<Half>(), rounding in mode()) {
        formats::<Half, Single>(a, rounding)?;
        formats::<Half, Double>(a, rounding)?;
        to_integers::<Half>(a, rounding)?;
        integral::<Half>(a, rounding)?;
    }

    #[test]
    fn from_brains(a in value::<Brain>(), rounding in mode()) {
        formats::<Brain, Single>(a, rounding)?;
    }

    /// What was cut off leaves a 1 in the last place, so that a second rounding is as if from the first number.
    #[test]
    fn to_odd(a in value::<Double>(), b in value::<Single>()) {
        odd::<Double, Single>(a)?;
        odd::<Single, Half>(b)?;
    }

    #[test]
    fn from_singles(a in value::<Single>(), rounding in mode()) {
        formats::<Single, Half>(a, rounding)?;
        formats::<Single, Brain>(a, rounding)?;
        formats::<Single, Double>(a, rounding)?;
        to_integers::<Single>(a, rounding)?;
        integral::<Single>(a, rounding)?;
    }

    #[test]
    fn from_doubles(a in value::<Double>(), rounding in mode()) {
        formats::<Double, Half>(a, rounding)?;
        formats::<Double, Single>(a, rounding)?;
        to_integers::<Double>(a, rounding)?;
        integral::<Double>(a, rounding)?;
    }

    /// Doubles near halves and singles, subnormal ones too.
    #[test]
    fn nearly_exact(half in value::<Half>(), single in value::<Single>(), away in -2..3i64, rounding in mode()) {
        let near = |bits: u64| bits.wrapping_add_signed(away);
        formats::<Double, Half>(near(outcome(rounding, |env| between::<Half, Double>(half, env)).0), rounding)?;
        formats::<Double, Single>(near(outcome(rounding, |env| between::<Single, Double>(single, env)).0), rounding)?;
    }

    #[test]
    fn integers(value in any::<u64>(), shift in 0..64u32, rounding in mode()) {
        for register in [value >> shift, !(value >> shift), 1 << shift, (1 << shift) - 1] {
            from_integers::<Half>(register, rounding)?;
            from_integers::<Single>(register, rounding)?;
            from_integers::<Double>(register, rounding)?;
        }
    }

    /// Truncation modulo 2^32 in 128-bit integers, as far as those reach.
    #[test]
    fn modulo(a in value::<Double>()) {
        let number = f64::from_bits(a);
        let (found, flags) = outcome(Rounding::NearestEven, |env| to_integer_modulo(a, env));
        let plain = outcome(Rounding::Zero, |env| to_integer::<Double>(a, Integer::W, env));
        prop_assert_eq!(flags, plain.1);
        let expected = if number.abs() < 1e38 { number as i128 as i32 } else { 0 };
        prop_assert_eq!(found, expected as u64);
    }
}

#[test]
fn invalid_inputs_give_the_limits() {
    // "F" Extension, "Domains of float-to-integer conversions and behavior for invalid inputs".
    let limits = [
        (Integer::W, i32::MIN as u64, i32::MAX as u64),
        (Integer::WU, 0, u64::MAX),
        (Integer::L, i64::MIN as u64, i64::MAX as u64),
        (Integer::LU, 0, u64::MAX),
    ];
    for (integer, lowest, highest) in limits {
        for (a, limit) in [
            (Single::INFINITY | Single::SIGN, lowest),
            ((-1e30f32).to_bits().into(), lowest),
            ((1e30f32).to_bits().into(), highest),
            (Single::INFINITY, highest),
            (Single::NAN, highest),
            (Single::NAN | Single::SIGN, highest),
            (Single::INFINITY | 1, highest),
        ] {
            for rounding in MODES {
                let found = outcome(rounding, |env| to_integer::<Single>(a, integer, env));
                assert_eq!(found, (limit, 16), "{a:x} to {integer:?}");
            }
        }
    }
}
