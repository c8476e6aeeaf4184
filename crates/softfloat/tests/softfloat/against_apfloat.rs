//! Arithmetic in every format and rounding mode: result and flags as the oracle has them.

use proptest::prelude::*;
use softfloat::arithmetic::{add, divide, multiply, multiply_add, subtract};
use softfloat::environment::{Environment, Flags, Rounding};
use softfloat::format::{Double, Half, Single};

use crate::apfloat::{Operation, Oracle, expected};
use crate::operands::{MODES, mode, outcome, value};

const OPERATIONS: [Operation; 5] =
    [Operation::Add, Operation::Subtract, Operation::Multiply, Operation::Divide, Operation::MultiplyAdd];

fn compute<F: Oracle>(operation: Operation, [a, b, c]: [u64; 3], env: &mut Environment) -> u64 {
    match operation {
        Operation::Add => add::<F>(a, b, env),
        Operation::Subtract => subtract::<F>(a, b, env),
        Operation::Multiply => multiply::<F>(a, b, env),
        Operation::Divide => divide::<F>(a, b, env),
        Operation::MultiplyAdd => multiply_add::<F>(a, b, c, env),
    }
}

fn agrees<F: Oracle>(
    operation: Operation,
    operands: [u64; 3],
    rounding: Rounding,
) -> Result<(), TestCaseError> {
    let found = outcome(rounding, |env| compute::<F>(operation, operands, env));
    let expected = expected::<F>(operation, operands, rounding);
    prop_assert_eq!(found, expected, "{:?} of {:x?}, {:?}", operation, operands, rounding);
    // Where the inexact flag is raised already, the host may do the operation.
    let mut env = Environment::new(rounding).accruing(Flags::INEXACT);
    let result = compute::<F>(operation, operands, &mut env);
    let (value, flags) = expected;
    prop_assert_eq!(
        (result, env.flags.0),
        (value, flags | Flags::INEXACT.0),
        "{:?} of {:x?}",
        operation,
        operands
    );
    Ok(())
}

fn agree<F: Oracle>(operands: [u64; 3], rounding: Rounding) -> Result<(), TestCaseError> {
    OPERATIONS.into_iter().try_for_each(|operation| agrees::<F>(operation, operands, rounding))
}

/// A third operand near the product of two: what is left of a fused sum when most of it cancels.
fn cancelling<F: Oracle>([a, b, distance]: [u64; 3]) -> [u64; 3] {
    let product = outcome(Rounding::NearestEven, |env| multiply::<F>(a, b, env)).0;
    [a, b, (product ^ F::SIGN).wrapping_add(distance % 5).wrapping_sub(2) & F::MASK]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn half(operands in [value::<Half>(), value::<Half>(), value::<Half>()], rounding in mode()) {
        agree::<Half>(operands, rounding)?;
        agree::<Half>(cancelling::<Half>(operands), rounding)?;
    }

    #[test]
    fn single(operands in [value::<Single>(), value::<Single>(), value::<Single>()], rounding in mode()) {
        agree::<Single>(operands, rounding)?;
        agree::<Single>(cancelling::<Single>(operands), rounding)?;
    }

    #[test]
    fn double(operands in [value::<Double>(), value::<Double>(), value::<Double>()], rounding in mode()) {
        agree::<Double>(operands, rounding)?;
        agree::<Double>(cancelling::<Double>(operands), rounding)?;
    }

    /// Products around the smallest normal number, where underflow depends on how tininess is detected.
    #[test]
    fn products_around_the_smallest_normal(fraction in 0..1u64 << 23, exponent in 1..254u64, away in 0..3u64) {
        let a = exponent << 23 | fraction;
        let quotient = outcome(Rounding::Zero, |env| divide::<Single>(1 << 23, a, env)).0;
        for rounding in MODES {
            agree::<Single>([a, quotient.wrapping_add(away), 0], rounding)?;
        }
    }
}

#[test]
fn special_values_with_each_other() {
    fn specials<F: Oracle>() -> Vec<u64> {
        let one = (F::BIAS as u64) << F::FRACTION;
        let magnitudes = [
            0,
            1,
            F::HIDDEN - 1,
            F::HIDDEN,
            F::HIDDEN + 1,
            one - 1,
            one,
            one + 1,
            F::INFINITY - 1,
            F::INFINITY,
            F::INFINITY + 1,
            F::NAN,
            F::NAN + 1,
        ];
        magnitudes.into_iter().flat_map(|magnitude| [magnitude, magnitude | F::SIGN]).collect()
    }
    fn check<F: Oracle>() {
        let specials = specials::<F>();
        let pairs = specials.iter().flat_map(|&a| specials.iter().map(move |&b| [a, b]));
        for ([a, b], rounding) in pairs.flat_map(|pair| MODES.map(|rounding| (pair, rounding))) {
            let fine = |result: Result<(), TestCaseError>| result.unwrap_or_else(|error| panic!("{error}"));
            fine(agree::<F>([a, b, a], rounding));
            for &c in &specials {
                fine(agrees::<F>(Operation::MultiplyAdd, [a, b, c], rounding));
            }
        }
    }
    check::<Half>();
    check::<Single>();
    check::<Double>();
}
