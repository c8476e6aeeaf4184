//! Estimates of reciprocals of numbers of binary16 to seven bits. The tables that define them have, for each interval of
//! numbers, the fraction of the reciprocal of its middle, rounded to nearest, which the host computes.

use std::arch::x86_64::{
    __m128i, __m256i, _MM_FROUND_TO_ZERO, _mm_and_si128, _mm_andnot_si128, _mm_blendv_epi8, _mm_cmpeq_epi16,
    _mm_cmpgt_epi16, _mm_or_si128, _mm_set1_epi16, _mm_setzero_si128, _mm256_add_ps, _mm256_and_si256,
    _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmpgt_epi16, _mm256_cvtph_ps, _mm256_cvtps_ph,
    _mm256_div_ps, _mm256_or_si256, _mm256_set_m128i, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_slli_epi32, _mm256_sqrt_ps, _mm256_srli_epi32, _mm256_sub_epi32,
};

use softfloat::environment::Flags;
use softfloat::format::{Format, Half};

use super::super::super::host_block::load;
use super::super::arithmetic::FloatLane;
use super::blocks::{Block, halves, in_blocks};
use super::call::{Call, Halves};
use super::rounding::{are_nans, canonical, signaling};
use super::step::{bits_of_halves, each, put_halves};
use crate::hart::Hart;

/// Single precision.
const FRACTION: i32 = 23;
const BIAS: i32 = 127;
const EXPONENTS: i32 = 0xff << FRACTION;
/// The least magnitude whose reciprocal is not too large: 2^−16.
const LEAST: i16 = 0x100;

/// How compiled code does an operation, if it is one of these.
pub fn entry(lane: FloatLane) -> Option<Halves> {
    Some(match lane {
        FloatLane::VFREC7 => estimate::<false>,
        FloatLane::VFRSQRT7 => estimate::<true>,
        _ => return None,
    })
}

in_blocks! { estimate [ROOT: bool], 16, [2, 2, 2], usual_estimate, any_estimate }

/// Sixteen of them.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_estimate<const ROOT: bool, const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    let block = Block::<PARTS>::of(hart, call);
    let (low, high) = halves(hart, call.a)?;
    let a = _mm256_set_m128i(high, low);
    let size = if ROOT { a } else { _mm256_and_si256(a, _mm256_set1_epi16(i16::MAX)) };
    let least = if ROOT { 1 } else { LEAST };
    let above = _mm256_cmpgt_epi16(size, _mm256_set1_epi16(least - 1));
    let below = _mm256_cmpgt_epi16(_mm256_set1_epi16(Half::INFINITY as i16), size);
    if !block.are_all(_mm256_and_si256(above, below)) {
        return None;
    }
    block.put_halves(hart, _mm256_set_m128i(usual::<ROOT>(high), usual::<ROOT>(low)))
}

#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_estimate<const ROOT: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    each(hart, Call { d, a, second, how, tail_end }, 2, |registers, step| {
        let a = load(registers, step.at(a, 2));
        let mut value = usual::<ROOT>(a);
        let size = if ROOT { a } else { _mm_and_si128(a, _mm_set1_epi16(i16::MAX)) };
        let least = if ROOT { 1 } else { LEAST };
        let above = _mm_cmpgt_epi16(size, _mm_set1_epi16(least - 1));
        let below = _mm_cmpgt_epi16(_mm_set1_epi16(Half::INFINITY as i16), size);
        let mut flags = 0;
        if !bits_of_halves(_mm_and_si128(above, below)) & step.active != 0 {
            (value, flags) = unusual::<ROOT>(a, value, step.active);
        }
        put_halves(registers, step.at(d, 2), step.active, value);
        flags
    });
}

/// Estimates of what is positive, or has a reciprocal that is not too large.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual<const ROOT: bool>(a: __m128i) -> __m128i {
    let all = |bits: i32| _mm256_set1_epi32(bits);
    let bits: __m256i = _mm256_castps_si256(_mm256_cvtph_ps(a));
    let exponent = _mm256_and_si256(bits, all(EXPONENTS));
    // The middle of the interval, between 1 and 4. Its first fraction bits are those of `a`; the exponent of a root is the
    // lowest bit of the other's.
    let indices = if ROOT { 6 } else { 7 };
    let leading = _mm256_and_si256(bits, all(((1 << indices) - 1) << (FRACTION - indices)));
    let half = all(1 << (FRACTION - indices - 1));
    let power = if ROOT {
        let odd = _mm256_and_si256(bits, all(1 << FRACTION));
        _mm256_sub_epi32(all((BIAS + 1) << FRACTION), odd)
    } else {
        all(BIAS << FRACTION)
    };
    let middle = _mm256_castsi256_ps(_mm256_or_si256(_mm256_or_si256(leading, half), power));
    let middle = if ROOT { _mm256_sqrt_ps(middle) } else { middle };
    // From 128 to 255, rounded where it is added to a number whose last bit has the weight 1.
    let reciprocal = _mm256_div_ps(_mm256_set1_ps(256.0), middle);
    let rounded = _mm256_castps_si256(_mm256_add_ps(reciprocal, _mm256_set1_ps((1 << FRACTION) as f32)));
    let fraction =
        _mm256_and_si256(_mm256_slli_epi32::<{ FRACTION - 7 }>(rounded), all(127 << (FRACTION - 7)));
    // 2 · bias - 1 less the exponent, or half of 3 · bias - 1 less that.
    let power = if ROOT {
        let twice = _mm256_sub_epi32(all((3 * BIAS - 1) << FRACTION), exponent);
        _mm256_and_si256(_mm256_srli_epi32::<1>(twice), all(EXPONENTS))
    } else {
        let power = _mm256_sub_epi32(all((2 * BIAS - 1) << FRACTION), exponent);
        _mm256_or_si256(power, _mm256_and_si256(bits, all(i32::MIN)))
    };
    // What is subnormal is cut off.
    _mm256_cvtps_ph::<_MM_FROUND_TO_ZERO>(_mm256_castsi256_ps(_mm256_or_si256(power, fraction)))
}

/// All of them, and flags.
#[cold]
#[target_feature(enable = "avx2,f16c,fma")]
fn unusual<const ROOT: bool>(a: __m128i, value: __m128i, active: u8) -> (__m128i, u8) {
    let bit = _mm_set1_epi16(Half::SIGN as i16);
    let sign = _mm_and_si128(a, bit);
    let size = _mm_andnot_si128(bit, a);
    let infinity = _mm_set1_epi16(Half::INFINITY as i16);
    let is_zero = _mm_cmpeq_epi16(size, _mm_setzero_si128());
    let is_infinite = _mm_cmpeq_epi16(size, infinity);
    let is_small = _mm_cmpgt_epi16(_mm_set1_epi16(LEAST), size);
    let large = if ROOT { is_zero } else { is_small };
    let value = _mm_blendv_epi8(value, _mm_or_si128(infinity, sign), large);
    let value = _mm_blendv_epi8(value, sign, is_infinite);
    let is_negative = _mm_andnot_si128(is_zero, _mm_cmpgt_epi16(_mm_setzero_si128(), a));
    let none = if ROOT { is_negative } else { _mm_setzero_si128() };
    let nan = _mm_or_si128(are_nans(a), none);
    let value = canonical(_mm_or_si128(value, nan));
    let any = |bits: u8, flags: u8| if bits & active != 0 { flags } else { 0 };
    let invalid = signaling(a) | bits_of_halves(_mm_andnot_si128(are_nans(a), none));
    let flags = any(invalid, Flags::INVALID.0) | any(bits_of_halves(is_zero), Flags::DIVIDE_BY_ZERO.0);
    if ROOT {
        return (value, flags);
    }
    let overflow = bits_of_halves(_mm_andnot_si128(is_zero, is_small));
    (value, flags | any(overflow, Flags::OVERFLOW.0 | Flags::INEXACT.0))
}
