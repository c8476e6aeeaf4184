//! From single precision, in which the host computes, to results and flags.
//!
//! A sum, product, quotient or root of two numbers of binary16 that is rounded to single precision first is rounded to the
//! same number of binary16, for that has more than twice as many digits and two more. A sum with a product is rounded to odd
//! first, which is the same as not at all.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _CMP_EQ_OQ, _CMP_LT_OQ, _CMP_NEQ_OQ, _CMP_ORD_Q, _CMP_UNORD_Q,
    _MM_FROUND_TO_NEAREST_INT, _mm_and_si128, _mm_andnot_si128, _mm_blendv_epi8, _mm_cmpgt_epi16,
    _mm_set1_epi16, _mm_slli_epi16, _mm_srai_epi16, _mm256_add_epi32, _mm256_add_ps, _mm256_and_ps,
    _mm256_and_si256, _mm256_andnot_ps, _mm256_andnot_si256, _mm256_blendv_ps, _mm256_castps_si256,
    _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cvtph_ps, _mm256_cvtps_ph, _mm256_mul_ps, _mm256_or_ps,
    _mm256_or_si256, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_slli_epi32,
    _mm256_srai_epi32, _mm256_sub_ps, _mm256_xor_si256,
};

use softfloat::environment::Flags;
use softfloat::format::{Format, Half, Single};

use super::step::{Step, bits_of_halves, bits_of_singles};

/// What results do not tell, where they or the flags are not as nearly always.
pub struct Look {
    /// A bit for each that is invalid.
    pub invalid: u8,
    /// Lanes of ones where the number is not exact; those that are not finite do not count.
    pub inexact: __m256,
    /// Lanes of ones where an infinity would come of finite numbers.
    pub finite: __m256,
}

/// The flag that an infinity raises which a quotient of finite numbers is.
pub const DIVIDES: u8 = Flags::DIVIDE_BY_ZERO.0;

/// What is rounded to the least normal number of binary16, though its exponent is less: the least such number.
const TINY: f32 = {
    let least = 1.0 / (1 << 14) as f32;
    least - least / (1 << 12) as f32
};

const fn flag(any: bool, flags: u8) -> u8 {
    if any { flags } else { 0 }
}

/// Numbers as the nearest ones of binary16, and flags; `look` is called if something is not as nearly always, and raises
/// `infinite` for infinities.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn narrowed(step: Step, number: __m256, infinite: u8, look: impl FnOnce() -> Look) -> (__m128i, u8) {
    let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(number);
    let magnitude = _mm_and_si128(halves, _mm_set1_epi16(i16::MAX));
    let above = _mm_cmpgt_epi16(magnitude, _mm_set1_epi16(Half::HIDDEN as i16));
    let below = _mm_cmpgt_epi16(_mm_set1_epi16(Half::INFINITY as i16), magnitude);
    let usual = bits_of_halves(_mm_and_si128(above, below));
    if step.active & !usual == 0 && step.is_inexact() {
        return (halves, 0);
    }
    let Look { invalid, inexact, finite } = look();
    let back = _mm256_cvtph_ps(halves);
    let infinity = _mm256_set1_ps(f32::INFINITY);
    let (size, size_back) = (absolute(number), absolute(back));
    let is_finite = _mm256_cmp_ps::<_CMP_LT_OQ>(size, infinity);
    let differs = _mm256_cmp_ps::<_CMP_NEQ_OQ>(back, number);
    let inexact = _mm256_and_ps(is_finite, _mm256_or_ps(differs, inexact));
    let overflow = _mm256_and_ps(is_finite, _mm256_cmp_ps::<_CMP_EQ_OQ>(size_back, infinity));
    let tiny = _mm256_and_ps(inexact, _mm256_cmp_ps::<_CMP_LT_OQ>(size, _mm256_set1_ps(TINY)));
    let grown = _mm256_and_ps(finite, _mm256_cmp_ps::<_CMP_EQ_OQ>(size, infinity));
    let any = |lanes| bits_of_singles(lanes) & step.active != 0;
    let flags = flag(any(inexact), Flags::INEXACT.0)
        | flag(any(overflow), Flags::OVERFLOW.0)
        | flag(any(tiny), Flags::UNDERFLOW.0)
        | flag(any(grown), infinite)
        | flag(invalid & step.active != 0, Flags::INVALID.0);
    (canonical(halves), flags)
}

/// The same of results in single precision, which may be exact always. Infinities come of infinities alone: numbers of
/// binary16 make no sum too large.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn kept(step: Step, number: __m256, is_exact: bool, look: impl FnOnce() -> Look) -> (__m256, u8) {
    let infinity = _mm256_set1_ps(f32::INFINITY);
    let size = absolute(number);
    let is_finite = _mm256_cmp_ps::<_CMP_LT_OQ>(size, infinity);
    if step.active & !bits_of_singles(is_finite) == 0 && (is_exact || step.is_inexact()) {
        return (number, 0);
    }
    let Look { invalid, inexact, .. } = look();
    let any = |lanes| bits_of_singles(lanes) & step.active != 0;
    let flags = flag(any(_mm256_and_ps(is_finite, inexact)), Flags::INEXACT.0)
        | flag(invalid & step.active != 0, Flags::INVALID.0);
    (canonical_singles(number), flags)
}

/// The only NaN that there is, in place of any.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn canonical(halves: __m128i) -> __m128i {
    _mm_blendv_epi8(halves, _mm_set1_epi16(Half::NAN as i16), are_nans(halves))
}

/// The same in single precision.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn canonical_singles(numbers: __m256) -> __m256 {
    let nan = _mm256_castsi256_ps(_mm256_set1_epi32(Single::NAN as i32));
    _mm256_blendv_ps(numbers, nan, unordered(numbers, numbers))
}

/// Lanes of ones where numbers are NaNs.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn are_nans(halves: __m128i) -> __m128i {
    let magnitude = _mm_and_si128(halves, _mm_set1_epi16(i16::MAX));
    _mm_cmpgt_epi16(magnitude, _mm_set1_epi16(Half::INFINITY as i16))
}

/// A bit for each signaling NaN.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn signaling(halves: __m128i) -> u8 {
    const { assert!(Half::QUIET << 6 == Half::SIGN) };
    let is_quiet = _mm_srai_epi16::<15>(_mm_slli_epi16::<6>(halves));
    bits_of_halves(_mm_andnot_si128(is_quiet, are_nans(halves)))
}

/// The same in single precision.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn signaling_singles(numbers: __m256) -> u8 {
    const { assert!(Single::QUIET << 9 == Single::SIGN) };
    let is_quiet = _mm256_castsi256_ps(_mm256_slli_epi32::<9>(_mm256_castps_si256(numbers)));
    bits_of_singles(_mm256_andnot_ps(is_quiet, unordered(numbers, numbers)))
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn ordered(a: __m256, b: __m256) -> __m256 {
    _mm256_cmp_ps::<_CMP_ORD_Q>(a, b)
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn unordered(a: __m256, b: __m256) -> __m256 {
    _mm256_cmp_ps::<_CMP_UNORD_Q>(a, b)
}

/// Lanes of ones where numbers are not the same, if neither is a NaN.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn differ(a: __m256, b: __m256) -> __m256 {
    _mm256_cmp_ps::<_CMP_NEQ_OQ>(a, b)
}

/// Lanes of ones where numbers are finite.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn are_finite(numbers: __m256) -> __m256 {
    _mm256_cmp_ps::<_CMP_LT_OQ>(absolute(numbers), _mm256_set1_ps(f32::INFINITY))
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn absolute(numbers: __m256) -> __m256 {
    _mm256_andnot_ps(_mm256_set1_ps(-0.0), numbers)
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn negated(numbers: __m256) -> __m256 {
    _mm256_castsi256_ps(_mm256_xor_si256(_mm256_castps_si256(numbers), _mm256_set1_epi32(i32::MIN)))
}

/// Lanes of ones where a sum does not have all of both numbers.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn loses(a: __m256, b: __m256, sum: __m256) -> __m256 {
    _mm256_or_ps(differ(_mm256_sub_ps(sum, a), b), differ(_mm256_sub_ps(sum, b), a))
}

/// x · y + z of numbers of binary16, rounded to odd; the product is exact, and so is the error of the sum.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn fused_to_odd(x: __m256, y: __m256, z: __m256) -> __m256 {
    let product = _mm256_mul_ps(x, y);
    let sum = _mm256_add_ps(product, z);
    let of_z = _mm256_sub_ps(sum, product);
    let of_product = _mm256_sub_ps(sum, of_z);
    let error = _mm256_add_ps(_mm256_sub_ps(product, of_product), _mm256_sub_ps(z, of_z));
    let (bits, error_bits) = (_mm256_castps_si256(sum), _mm256_castps_si256(error));
    // One more if the error has the same sign, and one less otherwise.
    let opposite = _mm256_srai_epi32::<31>(_mm256_xor_si256(bits, error_bits));
    let towards = _mm256_or_si256(opposite, _mm256_set1_epi32(1));
    let is_odd = _mm256_srai_epi32::<31>(_mm256_slli_epi32::<31>(bits));
    let is_inexact = _mm256_castps_si256(differ(error, _mm256_setzero_ps()));
    let towards: __m256i = _mm256_andnot_si256(is_odd, _mm256_and_si256(is_inexact, towards));
    _mm256_castsi256_ps(_mm256_add_epi32(bits, towards))
}
