//! Square roots: the result's square and its neighbours' enclose the operand, in integers.

use ethnum::U256;
use proptest::prelude::*;
use softfloat::arithmetic::square_root;
use softfloat::environment::Rounding;
use softfloat::format::{Double, Format, Half, Single, Value, unpack};

use crate::operands::{MODES, outcome, value};

/// The magnitude as an integer times a power of two.
fn parts<F: Format>(bits: u64) -> (u64, i32) {
    let fraction = bits & (F::HIDDEN - 1);
    let lowest = 1 - F::BIAS - F::FRACTION as i32;
    match (bits & F::INFINITY) >> F::FRACTION {
        0 => (fraction, lowest),
        biased => (F::HIDDEN | fraction, lowest + biased as i32 - 1),
    }
}

fn check<F: Format>(a: u64) -> Result<(), TestCaseError> {
    let Value::Finite(number) = unpack::<F>(a) else { return Ok(()) };
    for rounding in MODES {
        let (root, flags) = outcome(rounding, |env| square_root::<F>(a, env));
        if number.negative {
            prop_assert_eq!((root, flags), (F::NAN, 16));
            continue;
        }
        let (operand, operand_exponent) = parts::<F>(a);
        let (root, root_exponent) = parts::<F>(root);
        // In units of a quarter of the square of the root's last place.
        let shift = operand_exponent - (2 * root_exponent - 2);
        let operand = U256::from(operand) << u32::try_from(shift).expect("a root has half the exponent");
        let square = |halves: u64| U256::from(halves) * U256::from(halves);
        let (below, above) = match rounding {
            Rounding::NearestEven | Rounding::NearestAway => (2 * root - 1, 2 * root + 1),
            Rounding::Zero | Rounding::Down => (2 * root, 2 * root + 2),
            Rounding::Up => (2 * root - 2, 2 * root),
            Rounding::Odd => return Ok(()),
        };
        let exact = operand == square(2 * root);
        let enclosed = square(below) < operand && operand < square(above);
        prop_assert!(exact || enclosed, "{a:x}: {root:x}, {rounding:?}");
        prop_assert_eq!(flags, u8::from(!exact));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn single(a in value::<Single>()) {
        check::<Single>(a)?;
    }

    #[test]
    fn double(a in value::<Double>()) {
        check::<Double>(a)?;
    }

    #[test]
    fn squares_are_exact(root in 1..1u64 << 26) {
        let square = ((root * root) as f64).to_bits();
        for rounding in MODES {
            let found = outcome(rounding, |env| square_root::<Double>(square, env));
            prop_assert_eq!(found, ((root as f64).to_bits(), 0));
        }
    }
}

#[test]
fn every_half() {
    for a in 0..=0xffff {
        check::<Half>(a).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn what_has_no_root() {
    for (a, root, flags) in [
        (0, 0, 0),
        (Double::SIGN, Double::SIGN, 0),
        (Double::INFINITY, Double::INFINITY, 0),
        (Double::INFINITY | Double::SIGN, Double::NAN, 16),
        (Double::NAN | Double::SIGN | 5, Double::NAN, 0),
        (Double::INFINITY | 5, Double::NAN, 16),
        ((-1.0f64).to_bits(), Double::NAN, 16),
    ] {
        assert_eq!(outcome(Rounding::Up, |env| square_root::<Double>(a, env)), (root, flags), "{a:x}");
    }
}
