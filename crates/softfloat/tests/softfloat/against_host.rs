//! Values in the default rounding mode, against the host's own arithmetic.

use proptest::prelude::*;
use softfloat::arithmetic::{add, divide, multiply, multiply_add, square_root};
use softfloat::environment::Rounding;
use softfloat::format::{Double, Format, Single};

use crate::operands::{outcome, value};

fn nearest(operation: impl Fn(&mut softfloat::environment::Environment) -> u64) -> u64 {
    outcome(Rounding::NearestEven, operation).0
}

fn single(value: f32) -> u64 {
    if value.is_nan() { Single::NAN } else { value.to_bits().into() }
}

fn double(value: f64) -> u64 {
    if value.is_nan() { Double::NAN } else { value.to_bits() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn singles([a, b, c] in [value::<Single>(), value::<Single>(), value::<Single>()]) {
        let [x, y, z] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
        prop_assert_eq!(nearest(|env| add::<Single>(a, b, env)), single(x + y));
        prop_assert_eq!(nearest(|env| multiply::<Single>(a, b, env)), single(x * y));
        prop_assert_eq!(nearest(|env| divide::<Single>(a, b, env)), single(x / y));
        prop_assert_eq!(nearest(|env| multiply_add::<Single>(a, b, c, env)), single(x.mul_add(y, z)));
        prop_assert_eq!(nearest(|env| square_root::<Single>(a, env)), single(x.sqrt()));
    }

    #[test]
    fn doubles([a, b, c] in [value::<Double>(), value::<Double>(), value::<Double>()]) {
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        prop_assert_eq!(nearest(|env| add::<Double>(a, b, env)), double(x + y));
        prop_assert_eq!(nearest(|env| multiply::<Double>(a, b, env)), double(x * y));
        prop_assert_eq!(nearest(|env| divide::<Double>(a, b, env)), double(x / y));
        prop_assert_eq!(nearest(|env| multiply_add::<Double>(a, b, c, env)), double(x.mul_add(y, z)));
        prop_assert_eq!(nearest(|env| square_root::<Double>(a, env)), double(x.sqrt()));
    }
}
