//! Comparisons, minimum and maximum against the host's order; classes.

use proptest::prelude::*;
use softfloat::compare::{
    Nan, class, equal, less, less_or_equal, maximum, maximum_number, minimum, minimum_number,
};
use softfloat::environment::Rounding;
use softfloat::format::{Double, Format, Half, Single};

use crate::operands::{outcome, value};

fn exact(operation: impl Fn(&mut softfloat::environment::Environment) -> u64) -> (u64, u8) {
    outcome(Rounding::NearestEven, operation)
}

const fn signaling(bits: u64) -> bool {
    bits & !Double::SIGN > Double::INFINITY && bits & Double::QUIET == 0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn order([a, b] in [value::<Double>(), value::<Double>()], same in any::<bool>()) {
        let b = if same { a ^ (b & Double::SIGN) } else { b };
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let quiet = if signaling(a) || signaling(b) { 16 } else { 0 };
        let loud = if x.is_nan() || y.is_nan() { 16 } else { 0 };
        prop_assert_eq!(exact(|env| equal::<Double>(a, b, env).into()), ((x == y).into(), quiet));
        for (nan, flags) in [(Nan::Quiet, quiet), (Nan::Signaling, loud)] {
            prop_assert_eq!(exact(|env| less::<Double>(a, b, nan, env).into()), ((x < y).into(), flags));
            prop_assert_eq!(exact(|env| less_or_equal::<Double>(a, b, nan, env).into()), ((x <= y).into(), flags));
        }
        if x.is_nan() || y.is_nan() {
            let number = match (x.is_nan(), y.is_nan()) {
                (true, true) => Double::NAN,
                (true, false) => b,
                _ => a,
            };
            prop_assert_eq!(exact(|env| minimum_number::<Double>(a, b, env)), (number, quiet));
            prop_assert_eq!(exact(|env| maximum_number::<Double>(a, b, env)), (number, quiet));
            prop_assert_eq!(exact(|env| minimum::<Double>(a, b, env)), (Double::NAN, quiet));
            prop_assert_eq!(exact(|env| maximum::<Double>(a, b, env)), (Double::NAN, quiet));
        } else {
            // The total order differs from < only in that −0 is less than +0.
            let (least, most) = if x.total_cmp(&y).is_lt() { (a, b) } else { (b, a) };
            prop_assert_eq!(exact(|env| minimum_number::<Double>(a, b, env)), (least, 0));
            prop_assert_eq!(exact(|env| maximum_number::<Double>(a, b, env)), (most, 0));
            prop_assert_eq!(exact(|env| minimum::<Double>(a, b, env)), (least, 0));
            prop_assert_eq!(exact(|env| maximum::<Double>(a, b, env)), (most, 0));
        }
    }
}

#[test]
fn classes() {
    fn check<F: Format>() {
        let classes = [
            F::INFINITY | F::SIGN,
            F::HIDDEN | F::SIGN,
            (F::HIDDEN - 1) | F::SIGN,
            F::SIGN,
            0,
            F::HIDDEN - 1,
            F::HIDDEN,
            F::INFINITY,
            F::INFINITY | 1,
            F::NAN,
        ];
        for (index, bits) in classes.into_iter().enumerate() {
            assert_eq!(class::<F>(bits), 1 << index, "{bits:x}");
        }
        assert_eq!(class::<F>(F::NAN | F::SIGN | 1), 1 << 9);
        assert_eq!(class::<F>(F::INFINITY | F::SIGN | 1), 1 << 8);
    }
    check::<Half>();
    check::<Single>();
    check::<Double>();
}
