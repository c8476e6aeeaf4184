//! binary16 numbers as doubles, in which hosts compute. A sum, product, quotient or root of two of them, or a sum with a
//! product, that is rounded to a double first is rounded to the same binary16 number: no such result is so near to the
//! middle of two of them, and not there, that a double does not tell.

use crate::format::{Format, Half};

/// Bits of a double's fraction below those of a binary16 number.
const BELOW: u32 = 42;
/// What a double's exponent is biased by more.
const BIAS: u64 = 1008 << 52;
/// The last bit of a double from this one on has the weight of the least binary16 number.
const UNIT: f64 = (1_u64 << 28) as f64;
/// The bits of the least normal number.
const NORMAL: u64 = 1009 << 52;
const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff << 52;

/// A number as a double; `bits` are those of binary16.
#[inline(always)]
pub fn to_double(bits: u64) -> f64 {
    let magnitude = bits & !Half::SIGN & Half::MASK;
    let shifted = magnitude << BELOW;
    let normal = if magnitude < Half::INFINITY { shifted + BIAS } else { shifted | INFINITY };
    let subnormal = (f64::from_bits(UNIT.to_bits() + magnitude) - UNIT).to_bits();
    let value = if magnitude < Half::HIDDEN { subnormal } else { normal };
    f64::from_bits(value | (bits & Half::SIGN) << 48)
}

/// The nearest binary16 number, the even one of two; a NaN becomes one.
#[inline(always)]
pub fn of_double(number: f64) -> u64 {
    let bits = number.to_bits();
    let magnitude = bits & !SIGN;
    // What is rounded up beyond the greatest number becomes infinity, and what is greater is cut to that.
    let rounded = magnitude + ((1 << (BELOW - 1)) - 1) + (magnitude >> BELOW & 1);
    let normal = rounded.wrapping_sub(BIAS) >> BELOW;
    let normal = if normal < Half::INFINITY { normal } else { Half::INFINITY };
    let subnormal = (f64::from_bits(magnitude) + UNIT).to_bits().wrapping_sub(UNIT.to_bits());
    let value = if magnitude < NORMAL { subnormal } else { normal };
    let value = if magnitude > INFINITY { Half::NAN } else { value };
    value | bits >> 48 & Half::SIGN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::between;
    use crate::environment::{Environment, Rounding};
    use crate::format::{Double, is_nan};

    #[test]
    fn every_number_becomes_the_same_double_and_back() {
        for bits in 0..=Half::MASK {
            let mut environment = Environment::new(Rounding::NearestEven);
            let double = between::<Half, Double>(bits, &mut environment);
            if is_nan::<Half>(bits) {
                assert!(to_double(bits).is_nan() && is_nan::<Half>(of_double(to_double(bits))), "{bits:#x}");
            } else {
                assert_eq!(to_double(bits).to_bits(), double, "{bits:#x}");
                assert_eq!(of_double(to_double(bits)), bits);
            }
        }
    }

    #[test]
    fn doubles_between_two_numbers_become_the_nearer_one_or_the_even_one() {
        for bits in (0..Half::INFINITY).chain(Half::SIGN..Half::SIGN | Half::INFINITY) {
            let (low, high) = (to_double(bits), to_double(bits + 1));
            // The number after the greatest would be 65,536.
            let high = if high.is_infinite() { 65_536_f64.copysign(low) } else { high };
            let middle = f64::midpoint(low, high).to_bits();
            for double in [middle - 1, middle, middle + 1] {
                let mut environment = Environment::new(Rounding::NearestEven);
                let expected = between::<Double, Half>(double, &mut environment);
                assert_eq!(of_double(f64::from_bits(double)), expected, "{double:#x}");
            }
        }
        assert_eq!(of_double(1e300), Half::INFINITY);
    }
}
