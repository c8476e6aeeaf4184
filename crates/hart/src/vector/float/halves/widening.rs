//! Arithmetic that makes numbers of single precision of those of binary16, whose products it has room for.

use std::arch::x86_64::{
    __m128i, __m256, _mm256_add_ps, _mm256_and_ps, _mm256_cvtph_ps, _mm256_fmadd_ps, _mm256_mul_ps,
    _mm256_setzero_ps,
};

use super::super::super::host_block::load;
use super::super::entries::FloatDoubling;
use super::call::{Call, Halves};
use super::rounding::{Look, kept, loses, negated, ordered, signaling, signaling_singles, unordered};
use super::step::{bits_of_singles, each, put_singles, singles};
use crate::hart::Hart;

/// How compiled code does an operation, if it is one of these.
pub fn entry(doubling: FloatDoubling) -> Option<Halves> {
    Some(match doubling {
        FloatDoubling::Sum { subtracts: false, from_double: false } => sum::<false, false>,
        FloatDoubling::Sum { subtracts: true, from_double: false } => sum::<true, false>,
        FloatDoubling::Sum { subtracts: false, from_double: true } => sum::<false, true>,
        FloatDoubling::Sum { subtracts: true, from_double: true } => sum::<true, true>,
        FloatDoubling::Product => product,
        FloatDoubling::Accumulated { minus_product: false, minus_sum: false } => accumulated::<false, false>,
        FloatDoubling::Accumulated { minus_product: false, minus_sum: true } => accumulated::<false, true>,
        FloatDoubling::Accumulated { minus_product: true, minus_sum: false } => accumulated::<true, false>,
        FloatDoubling::Accumulated { minus_product: true, minus_sum: true } => accumulated::<true, true>,
        _ => return None,
    })
}

#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn sum<const SUBTRACTS: bool, const FROM_DOUBLE: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    each(hart, Call { d, a, second, how, tail_end }, 4, |registers, step| {
        let (x, x_is_signaling) = if FROM_DOUBLE {
            let x = singles(registers, step.at(a, 4));
            (x, signaling_singles(x))
        } else {
            let half = load(registers, step.at(a, 2));
            (_mm256_cvtph_ps(half), signaling(half))
        };
        let b = _mm256_cvtph_ps(step.b);
        let y = if SUBTRACTS { negated(b) } else { b };
        let number = _mm256_add_ps(x, y);
        let (number, flags) = kept(step, number, false, || Look {
            invalid: x_is_signaling | signaling(step.b) | of_two(number, x, y),
            inexact: loses(x, y, number),
            // Nothing so small makes a sum too large.
            finite: _mm256_setzero_ps(),
        });
        put_singles(registers, step.at(d, 4), step.active, number);
        flags
    });
}

#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn product(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
    each(hart, Call { d, a, second, how, tail_end }, 4, |registers, step| {
        let (half, b): (__m128i, __m128i) = (load(registers, step.at(a, 2)), step.b);
        let (x, y) = (_mm256_cvtph_ps(half), _mm256_cvtph_ps(b));
        let number = _mm256_mul_ps(x, y);
        let (number, flags) = kept(step, number, true, || Look {
            invalid: signaling(half) | signaling(b) | of_two(number, x, y),
            inexact: _mm256_setzero_ps(),
            finite: _mm256_setzero_ps(),
        });
        put_singles(registers, step.at(d, 4), step.active, number);
        flags
    });
}

#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn accumulated<const MINUS_PRODUCT: bool, const MINUS_SUM: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    each(hart, Call { d, a, second, how, tail_end }, 4, |registers, step| {
        let (half, b) = (load(registers, step.at(a, 2)), step.b);
        let (of_a, y) = (_mm256_cvtph_ps(half), _mm256_cvtph_ps(b));
        let before = singles(registers, step.at(d, 4));
        let x = if MINUS_PRODUCT { negated(of_a) } else { of_a };
        let z = if MINUS_SUM { negated(before) } else { before };
        let number = _mm256_fmadd_ps(x, y, z);
        let (number, flags) = kept(step, number, false, || {
            let product = _mm256_mul_ps(x, y);
            let invalid = of_two(product, x, y) | of_two(number, product, z);
            Look {
                invalid: signaling(half) | signaling(b) | signaling_singles(before) | invalid,
                inexact: loses(product, z, number),
                finite: _mm256_setzero_ps(),
            }
        });
        put_singles(registers, step.at(d, 4), step.active, number);
        flags
    });
}

/// A bit for each result that is a NaN and comes of no NaN.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn of_two(result: __m256, x: __m256, y: __m256) -> u8 {
    bits_of_singles(_mm256_and_ps(unordered(result, result), ordered(x, y)))
}
