//! Integers and numbers of other widths as numbers, as long as no flag is raised that is not raised already.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _CMP_EQ_OQ, _MM_FROUND_TO_ZERO, _mm_srli_si128, _mm256_add_epi32,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmp_ps,
    _mm256_cmpeq_epi32, _mm256_cmpgt_epi32, _mm256_cvtepi8_epi32, _mm256_cvtepi16_epi32, _mm256_cvtepi32_ps,
    _mm256_cvtepu8_epi32, _mm256_cvtepu16_epi32, _mm256_cvtps_ph, _mm256_min_epu32, _mm256_or_si256,
    _mm256_packs_epi32, _mm256_packus_epi32, _mm256_set_m128i, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_slli_epi32, _mm256_srli_epi32,
};

use softfloat::format::{Brain, Format, Half, Single};

use super::blocks::{Block, Pair, active_bits, halves};
use super::call::Call;
use super::convert::WORDS;
use super::narrow::{AllLimits, Bounds, in_order, nearest, widened, widened_pair};
use super::words::{WordBlock, Words, words};
use crate::hart::Hart;

/// Puts numbers of binary16, rounded to nearest.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn put_nearest<const PARTS: bool>(
    hart: &mut Hart,
    call: Call,
    limits: &'static AllLimits,
    number: Words,
) -> Option<()> {
    let value = nearest(number);
    let none = _mm256_setzero_si256();
    Block::<PARTS>::of(hart, call)
        .put_usual::<Half>(hart, limits, value, (none, none), || same(number, value))
}

/// Lanes of ones where numbers are what they were rounded to.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn same((low, high): Words, value: __m256i) -> Words {
    let back = widened(value);
    (_mm256_cmp_ps::<_CMP_EQ_OQ>(low, back.0), _mm256_cmp_ps::<_CMP_EQ_OQ>(high, back.1))
}

/// Integers of 16 or 32 bits as numbers of binary16.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn of_integers<const FROM: u8, const SIGNED: bool, const PARTS: bool>(
    hart: &mut Hart,
    call: Call,
) -> Option<()> {
    /// Too large a number, of which there is none between it and a larger one.
    const MOST: i32 = 1 << 20;
    const LIMITS: AllLimits = Bounds::of_sums::<Half>().limits::<Half>();
    let (low, high) = if FROM == WORDS {
        let (low, high) = words(hart, call.a)?;
        (_mm256_castps_si256(low), _mm256_castps_si256(high))
    } else {
        integers::<SIGNED>(halves(hart, call.a)?)
    };
    // Those that are rounded here are too large.
    let most = _mm256_set1_epi32(MOST);
    let is_bounded = FROM == WORDS && !SIGNED;
    let (low, high) =
        if is_bounded { (_mm256_min_epu32(low, most), _mm256_min_epu32(high, most)) } else { (low, high) };
    put_nearest::<PARTS>(hart, call, &LIMITS, (_mm256_cvtepi32_ps(low), _mm256_cvtepi32_ps(high)))
}

/// Integers of 16 bits as words.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn integers<const SIGNED: bool>((low, high): Pair) -> (__m256i, __m256i) {
    if SIGNED {
        (_mm256_cvtepi16_epi32(low), _mm256_cvtepi16_epi32(high))
    } else {
        (_mm256_cvtepu16_epi32(low), _mm256_cvtepu16_epi32(high))
    }
}

/// Thirty-two integers of 8 bits as numbers of binary16, which have room for them.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn of_bytes<const SIGNED: bool, const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    let (first, last) = halves(hart, call.a)?;
    let bits = if PARTS { active_bits::<4>(hart, &call) } else { 0 };
    let eight = |bytes: __m128i| {
        _mm256_cvtepi32_ps(if SIGNED { _mm256_cvtepi8_epi32(bytes) } else { _mm256_cvtepu8_epi32(bytes) })
    };
    let (low, high) = (
        nearest((eight(first), eight(_mm_srli_si128::<8>(first)))),
        nearest((eight(last), eight(_mm_srli_si128::<8>(last)))),
    );
    // All or nothing is put.
    let (low_block, high_block) =
        (Block::<PARTS>::with(call.d, bits), Block::<PARTS>::with(call.d + 32, bits >> 16));
    high_block.put_halves(hart, high)?;
    low_block.put_halves(hart, low)
}

/// Integers of 16 bits in single precision.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn singles_of_integers<const SIGNED: bool, const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    let (low, high) = integers::<SIGNED>(halves(hart, call.a)?);
    WordBlock::<PARTS>::of(hart, call).put(hart, (_mm256_cvtepi32_ps(low), _mm256_cvtepi32_ps(high)))
}

/// Numbers of binary16 in single precision.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn singles<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    let number = widened_pair(halves(hart, call.a)?);
    WordBlock::<PARTS>::of(hart, call).put_usual::<true>(hart, number, || number)
}

/// The nearest numbers of binary16.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn to_nearest<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    const LIMITS: AllLimits = Bounds::of_others::<Half>().limits::<Half>();
    let number = words(hart, call.a)?;
    put_nearest::<PARTS>(hart, call, &LIMITS, number)
}

/// Towards zero, with the last bit set where that is not exact.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn to_odd<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    // What is too large becomes the greatest number.
    const BOUNDS: Bounds =
        Bounds { first: Half::HIDDEN, last: Half::INFINITY - 2, ..Bounds::of_others::<Half>() };
    const LIMITS: AllLimits = BOUNDS.limits::<Half>();
    let number = words(hart, call.a)?;
    let cut = _mm256_set_m128i(
        _mm256_cvtps_ph::<_MM_FROUND_TO_ZERO>(number.1),
        _mm256_cvtps_ph::<_MM_FROUND_TO_ZERO>(number.0),
    );
    let exact = same(number, cut);
    let is_exact = in_order(_mm256_packs_epi32(_mm256_castps_si256(exact.0), _mm256_castps_si256(exact.1)));
    let odd = _mm256_andnot_si256(is_exact, _mm256_set1_epi16(1));
    let value = _mm256_or_si256(cut, odd);
    let none = _mm256_setzero_si256();
    Block::<PARTS>::of(hart, call).put_usual::<Half>(hart, &LIMITS, value, (none, none), || exact)
}

/// Numbers of BF16 in single precision.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn of_brains((low, high): Pair) -> Words {
    let wide = |brains: __m128i| _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(brains)));
    (wide(low), wide(high))
}

/// The same as an instruction.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn widened_brains<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    let number = of_brains(halves(hart, call.a)?);
    WordBlock::<PARTS>::of(hart, call).put_usual::<true>(hart, number, || number)
}

/// The nearest numbers of BF16.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn to_brains<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    const LIMITS: AllLimits = Bounds::of_others::<Brain>().limits::<Brain>();
    let number = words(hart, call.a)?;
    let value = (brain(number.0), brain(number.1));
    let none = _mm256_setzero_si256();
    let packed = in_order(_mm256_packus_epi32(value.0, value.1));
    Block::<PARTS>::of(hart, call)
        .put_usual::<Brain>(hart, &LIMITS, packed, (none, none), || (is_brain(number.0), is_brain(number.1)))
}

/// The nearest number of BF16; all ones of a NaN.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn brain(number: __m256) -> __m256i {
    let bits = _mm256_castps_si256(number);
    let last = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
    let up = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), last);
    _mm256_srli_epi32::<16>(_mm256_or_si256(up, is_nan(bits)))
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn is_nan(bits: __m256i) -> __m256i {
    let size = _mm256_and_si256(bits, _mm256_set1_epi32(i32::MAX));
    _mm256_cmpgt_epi32(size, _mm256_set1_epi32(Single::INFINITY as i32))
}

/// Lanes of ones where a number has no bits that BF16 has not, and is no NaN.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn is_brain(number: __m256) -> __m256 {
    let bits = _mm256_castps_si256(number);
    let cut = _mm256_and_si256(bits, _mm256_set1_epi32(0xffff));
    let none = _mm256_cmpeq_epi32(cut, _mm256_setzero_si256());
    _mm256_castsi256_ps(_mm256_andnot_si256(is_nan(bits), none))
}
