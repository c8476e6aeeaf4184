//! Estimates: their error, their special cases, and that nothing but the leading bits counts.

use proptest::prelude::*;
use softfloat::environment::{Flags, Rounding};
use softfloat::estimate::{reciprocal, reciprocal_root};
use softfloat::format::{Double, Format, Half, Single};

use crate::operands::{outcome, value};

fn single(bits: u64) -> f64 {
    f32::from_bits(bits as u32).into()
}

proptest! {
    /// "with a relative error of at most 2^-7", if neither the operand nor the result is subnormal.
    #[test]
    fn errors_are_bounded(fraction in 0..1u64 << 23, exponent in 2..252u64) {
        let a = exponent << 23 | fraction;
        let (root, root_flags) = outcome(Rounding::NearestEven, reciprocal_root::<Single>.with(a));
        let (inverse, flags) = outcome(Rounding::NearestEven, reciprocal::<Single>.with(a));
        prop_assert_eq!((root_flags, flags), (0, 0));
        let bound = 1.0 / 128.0;
        prop_assert!((single(root) * single(a).sqrt() - 1.0).abs() < bound, "1/sqrt of {:x}: {:x}", a, root);
        prop_assert!((single(inverse) * single(a) - 1.0).abs() < bound, "1/{:x}: {:x}", a, inverse);
    }

    /// A power of four more under the root is a power of two less in the estimate.
    #[test]
    fn roots_scale(fraction in 0..1u64 << 52, exponent in 3..2040u64) {
        let root = |a: u64| outcome(Rounding::NearestEven, reciprocal_root::<Double>.with(a)).0;
        let a = exponent << 52 | fraction;
        prop_assert_eq!(root(a), root(a + (2 << 52)) + (1 << 52));
    }

    #[test]
    fn signs_are_those_of_the_operand(a in value::<Half>()) {
        for rounding in [Rounding::NearestEven, Rounding::Zero] {
            let (plain, _) = outcome(rounding, reciprocal::<Half>.with(a));
            let (negated, _) = outcome(rounding, reciprocal::<Half>.with(a ^ Half::SIGN));
            if plain != Half::NAN {
                prop_assert_eq!(plain ^ negated, Half::SIGN, "{:x}", a);
            }
        }
    }
}

/// An operation on one operand, as [`outcome`] takes it.
trait With {
    fn with(self, a: u64) -> impl Fn(&mut softfloat::environment::Environment) -> u64;
}

impl<F: Fn(u64, &mut softfloat::environment::Environment) -> u64> With for F {
    fn with(self, a: u64) -> impl Fn(&mut softfloat::environment::Environment) -> u64 {
        move |env| self(a, env)
    }
}

/// Rows of the tables in the sections of both instructions.
#[test]
fn special_values() {
    let (invalid, division) = (Flags::INVALID.0, Flags::DIVIDE_BY_ZERO.0);
    let negative = Single::SIGN;
    let signaling = Single::INFINITY | 1;
    for (a, root) in [
        (negative | Single::INFINITY, (Single::NAN, invalid)),
        (negative | 0x3f80_0000, (Single::NAN, invalid)),
        (negative | 1, (Single::NAN, invalid)),
        (negative, (negative | Single::INFINITY, division)),
        (0, (Single::INFINITY, division)),
        (Single::INFINITY, (0, 0)),
        (Single::NAN, (Single::NAN, 0)),
        (signaling, (Single::NAN, invalid)),
        // The example of the section: 0x00718abc gives 0x5f080000.
        (0x0071_8abc, (0x5f08_0000, 0)),
    ] {
        assert_eq!(outcome(Rounding::NearestEven, reciprocal_root::<Single>.with(a)), root, "{a:x}");
    }
    let overflow = Flags::OVERFLOW.0 | Flags::INEXACT.0;
    for (a, rounding, inverse) in [
        (negative | Single::INFINITY, Rounding::NearestEven, (negative, 0)),
        (negative, Rounding::NearestEven, (negative | Single::INFINITY, division)),
        (0, Rounding::Zero, (Single::INFINITY, division)),
        (signaling, Rounding::NearestEven, (Single::NAN, invalid)),
        (1, Rounding::NearestEven, (Single::INFINITY, overflow)),
        (1, Rounding::Down, (Single::INFINITY - 1, overflow)),
        (1, Rounding::Up, (Single::INFINITY, overflow)),
        (negative | 1, Rounding::Up, (negative | (Single::INFINITY - 1), overflow)),
        (negative | 1, Rounding::Down, (negative | Single::INFINITY, overflow)),
        // The example of the section: 0x00718abc gives 0x7e900000.
        (0x0071_8abc, Rounding::NearestEven, (0x7e90_0000, 0)),
        // 2^127, whose reciprocal is subnormal.
        (0x7f00_0000, Rounding::NearestEven, (0x003f_c000, 0)),
    ] {
        assert_eq!(outcome(rounding, reciprocal::<Single>.with(a)), inverse, "{a:x}, {rounding:?}");
    }
}
