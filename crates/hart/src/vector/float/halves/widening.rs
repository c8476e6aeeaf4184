//! Arithmetic that makes numbers of single precision of those of binary16, whose products it has room for.

use std::arch::x86_64::{
    __m128i, __m256, _mm256_add_ps, _mm256_and_ps, _mm256_cvtph_ps, _mm256_fmadd_ps, _mm256_mul_ps,
    _mm256_setzero_ps,
};

use softfloat::format::Half;

use super::super::super::host_block::load;
use super::super::entries::FloatDoubling;
use super::blocks::{halves, in_blocks, second};
use super::call::{Call, Halves};
use super::rounding::{Look, kept, loses, negated, ordered, signaling, signaling_singles, unordered};
use super::step::{bits_of_singles, each, put_singles, singles};
use super::words::{WordBlock, words};
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

in_blocks! { sum [SUBTRACTS: bool, FROM_DOUBLE: bool], 16, [4, if FROM_DOUBLE { 4 } else { 2 }, 2], usual_sum, any_sum }
in_blocks! { product [], 16, [4, 2, 2], usual_product, any_product }
in_blocks! {
    accumulated [MINUS_PRODUCT: bool, MINUS_SUM: bool], 16, [4, 2, 2], usual_accumulated, any_accumulated
}

/// As long as results raise nothing new.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_sum<const SUBTRACTS: bool, const FROM_DOUBLE: bool, const PARTS: bool>(
    hart: &mut Hart,
    call: Call,
) -> Option<()> {
    let block = WordBlock::<PARTS>::of(hart, call);
    let a = if FROM_DOUBLE {
        words(hart, call.a)?
    } else {
        let a = halves(hart, call.a)?;
        (_mm256_cvtph_ps(a.0), _mm256_cvtph_ps(a.1))
    };
    let b = second::<Half>(hart, &call)?;
    let b = (_mm256_cvtph_ps(b.0), _mm256_cvtph_ps(b.1));
    let b = if SUBTRACTS { (negated(b.0), negated(b.1)) } else { b };
    let sum = (_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1));
    block.put_usual::<false>(hart, sum, || (loses(a.0, b.0, sum.0), loses(a.1, b.1, sum.1)))
}

/// The same of a product.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_product<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    let block = WordBlock::<PARTS>::of(hart, call);
    let (a, b) = (halves(hart, call.a)?, second::<Half>(hart, &call)?);
    let low = _mm256_mul_ps(_mm256_cvtph_ps(a.0), _mm256_cvtph_ps(b.0));
    let high = _mm256_mul_ps(_mm256_cvtph_ps(a.1), _mm256_cvtph_ps(b.1));
    block.put_usual::<true>(hart, (low, high), || (low, high))
}

/// The same of a sum with a product.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_accumulated<const MINUS_PRODUCT: bool, const MINUS_SUM: bool, const PARTS: bool>(
    hart: &mut Hart,
    call: Call,
) -> Option<()> {
    let block = WordBlock::<PARTS>::of(hart, call);
    let (a, b, d) = (halves(hart, call.a)?, second::<Half>(hart, &call)?, words(hart, call.d)?);
    let x = (_mm256_cvtph_ps(a.0), _mm256_cvtph_ps(a.1));
    let y = (_mm256_cvtph_ps(b.0), _mm256_cvtph_ps(b.1));
    let x = if MINUS_PRODUCT { (negated(x.0), negated(x.1)) } else { x };
    let z = if MINUS_SUM { (negated(d.0), negated(d.1)) } else { d };
    let sum = (_mm256_fmadd_ps(x.0, y.0, z.0), _mm256_fmadd_ps(x.1, y.1, z.1));
    block.put_usual::<false>(hart, sum, || {
        let product = (_mm256_mul_ps(x.0, y.0), _mm256_mul_ps(x.1, y.1));
        (loses(product.0, z.0, sum.0), loses(product.1, z.1, sum.1))
    })
}

#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_sum<const SUBTRACTS: bool, const FROM_DOUBLE: bool>(
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

#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_product(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
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

#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_accumulated<const MINUS_PRODUCT: bool, const MINUS_SUM: bool>(
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
