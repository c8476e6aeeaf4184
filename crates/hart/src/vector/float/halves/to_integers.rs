//! Numbers as integers, as long as no flag is raised that is not raised already.

use std::arch::x86_64::{
    __m256, __m256i, _CMP_EQ_OQ, _CMP_NLT_UQ, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cmpeq_epi8,
    _mm256_cmpeq_epi32, _mm256_cvtepi32_ps, _mm256_cvtps_epi32, _mm256_cvttps_epi32, _mm256_min_epu32,
    _mm256_min_ps, _mm256_movemask_epi8, _mm256_or_si256, _mm256_packs_epi16, _mm256_packs_epi32,
    _mm256_packus_epi16, _mm256_packus_epi32, _mm256_permutevar8x32_epi32, _mm256_set_m128i,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_set1_ps, _mm256_setr_epi32, _mm256_setr_epi64x,
    _mm256_shuffle_epi8, _mm256_srai_epi32, _mm256_testz_si256, _mm256_xor_si256,
};

use softfloat::environment::Flags;

use super::super::super::host_block::{load, store_two};
use super::blocks::{Block, active_bits, halves};
use super::call::Call;
use super::convert::{BYTES, HALVES, WORDS};
use super::narrow::{in_order, widened_pair};
use super::words::{WordBlock, words};
use crate::hart::Hart;

/// Which flags are not raised.
#[derive(Clone, Copy)]
struct New {
    invalid: bool,
    inexact: bool,
}

impl New {
    fn of(hart: &Hart) -> Self {
        let raised = hart.float.raised().0;
        Self { invalid: raised & Flags::INVALID.0 == 0, inexact: raised & Flags::INEXACT.0 == 0 }
    }

    const fn any(self) -> bool {
        self.invalid || self.inexact
    }

    /// Lanes of ones for numbers that raise one of these, if there are any. They fit or do not, and were rounded to a word.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    fn raised(self, number: __m256, word: __m256i, fits: __m256i) -> __m256i {
        let ones = _mm256_set1_epi32(-1);
        if !self.inexact {
            return _mm256_xor_si256(fits, ones);
        }
        let same = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_EQ_OQ>(_mm256_cvtepi32_ps(word), number));
        if self.invalid {
            _mm256_xor_si256(_mm256_and_si256(same, fits), ones)
        } else {
            _mm256_andnot_si256(same, fits)
        }
    }
}

/// The nearest integers, or those next to them towards zero; the least one for NaNs and what has none.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn rounded<const TRUNCATES: bool>(number: __m256) -> __m256i {
    if TRUNCATES { _mm256_cvttps_epi32(number) } else { _mm256_cvtps_epi32(number) }
}

/// NaNs and what is too large as a number that is too large.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn bounded(number: __m256) -> __m256 {
    // Of a NaN and a number, the host returns the second.
    _mm256_min_ps(number, _mm256_set1_ps((1 << 16) as f32))
}

/// Lanes of ones for words that are integers of a type.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn fit<const TO: u8, const SIGNED: bool>(word: __m256i) -> __m256i {
    let bits = 8 << TO;
    let count = _mm256_set1_epi32((1 << bits) - 1);
    let beyond = if SIGNED { _mm256_add_epi32(word, _mm256_set1_epi32(1 << (bits - 1))) } else { word };
    _mm256_cmpeq_epi32(_mm256_min_epu32(beyond, count), beyond)
}

/// As integers of 16 bits.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn to_halves<const FROM: u8, const SIGNED: bool, const TRUNCATES: bool, const PARTS: bool>(
    hart: &mut Hart,
    call: Call,
) -> Option<()> {
    let block = Block::<PARTS>::of(hart, call);
    let number = if FROM == WORDS { words(hart, call.a)? } else { widened_pair(halves(hart, call.a)?) };
    let number = (bounded(number.0), bounded(number.1));
    let word = (rounded::<TRUNCATES>(number.0), rounded::<TRUNCATES>(number.1));
    let new = New::of(hart);
    if new.any() {
        let low = new.raised(number.0, word.0, fit::<HALVES, SIGNED>(word.0));
        let high = new.raised(number.1, word.1, fit::<HALVES, SIGNED>(word.1));
        if !block.are_none(in_order(_mm256_packs_epi32(low, high))) {
            return None;
        }
    }
    let packed =
        if SIGNED { _mm256_packs_epi32(word.0, word.1) } else { _mm256_packus_epi32(word.0, word.1) };
    block.put_halves(hart, in_order(packed))
}

/// As integers of 32 bits, of which there is one for each number that is finite, but not a negative one.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn to_words<const SIGNED: bool, const TRUNCATES: bool, const PARTS: bool>(
    hart: &mut Hart,
    call: Call,
) -> Option<()> {
    let block = WordBlock::<PARTS>::of(hart, call);
    let number = widened_pair(halves(hart, call.a)?);
    let word = (rounded::<TRUNCATES>(number.0), rounded::<TRUNCATES>(number.1));
    let new = New::of(hart);
    if new.any() {
        let low = new.raised(number.0, word.0, fit_word::<SIGNED>(word.0));
        let high = new.raised(number.1, word.1, fit_word::<SIGNED>(word.1));
        if !block.is_none((_mm256_castsi256_ps(low), _mm256_castsi256_ps(high))) {
            return None;
        }
    }
    block.put(hart, (bound_word::<SIGNED>(number.0, word.0), bound_word::<SIGNED>(number.1, word.1)))
}

/// Lanes of ones for words that are integers, not the least one, or are not negative.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn fit_word<const SIGNED: bool>(word: __m256i) -> __m256i {
    let ones = _mm256_set1_epi32(-1);
    let others = if SIGNED {
        _mm256_cmpeq_epi32(word, _mm256_set1_epi32(i32::MIN))
    } else {
        _mm256_srai_epi32::<31>(word)
    };
    _mm256_xor_si256(others, ones)
}

/// The integers of numbers, the greatest one for what is greater and NaNs.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn bound_word<const SIGNED: bool>(number: __m256, word: __m256i) -> __m256 {
    let above = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_NLT_UQ>(number, _mm256_set1_ps(f32::INFINITY)));
    _mm256_castsi256_ps(if SIGNED {
        // The least one becomes the greatest.
        _mm256_xor_si256(word, above)
    } else {
        _mm256_or_si256(_mm256_andnot_si256(_mm256_srai_epi32::<31>(word), word), above)
    })
}

/// Thirty-two numbers as integers of 8 bits.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn to_bytes<const SIGNED: bool, const TRUNCATES: bool, const PARTS: bool>(
    hart: &mut Hart,
    call: Call,
) -> Option<()> {
    let first = widened_pair(halves(hart, call.a)?);
    let last = widened_pair(halves(hart, call.a + 32)?);
    let first = (bounded(first.0), bounded(first.1));
    let last = (bounded(last.0), bounded(last.1));
    let first_word = (rounded::<TRUNCATES>(first.0), rounded::<TRUNCATES>(first.1));
    let last_word = (rounded::<TRUNCATES>(last.0), rounded::<TRUNCATES>(last.1));
    let block = ByteBlock::<PARTS>::of(hart, call);
    let new = New::of(hart);
    if new.any() {
        let a = new.raised(first.0, first_word.0, fit::<BYTES, SIGNED>(first_word.0));
        let b = new.raised(first.1, first_word.1, fit::<BYTES, SIGNED>(first_word.1));
        let c = new.raised(last.0, last_word.0, fit::<BYTES, SIGNED>(last_word.0));
        let d = new.raised(last.1, last_word.1, fit::<BYTES, SIGNED>(last_word.1));
        if !block.are_none(packed::<true>(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d))) {
            return None;
        }
    }
    let (a, b) =
        (_mm256_packs_epi32(first_word.0, first_word.1), _mm256_packs_epi32(last_word.0, last_word.1));
    block.put(hart, packed::<SIGNED>(a, b))
}

/// Bytes of what four vectors of words were packed to.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn packed<const SIGNED: bool>(first: __m256i, last: __m256i) -> __m256i {
    let bytes = if SIGNED { _mm256_packs_epi16(first, last) } else { _mm256_packus_epi16(first, last) };
    _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
}

/// Thirty-two bytes of `vd`. Without `PARTS`, all are in the body, and none is masked off.
#[derive(Clone, Copy)]
struct ByteBlock<const PARTS: bool> {
    call: Call,
    active: __m256i,
}

impl<const PARTS: bool> ByteBlock<PARTS> {
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    fn of(hart: &Hart, call: Call) -> Self {
        let bits = if PARTS { active_bits::<4>(hart, &call) } else { 0 };
        // Each byte of bits eight times.
        let bytes = _mm256_shuffle_epi8(
            _mm256_set1_epi32(bits as i32),
            _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303),
        );
        let each = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        Self { call, active: _mm256_cmpeq_epi8(_mm256_and_si256(bytes, each), each) }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    fn are_none(&self, lanes: __m256i) -> bool {
        if PARTS { _mm256_testz_si256(lanes, self.active) != 0 } else { _mm256_movemask_epi8(lanes) == 0 }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    fn put(&self, hart: &mut Hart, new: __m256i) -> Option<()> {
        let at = self.call.d as u32 as usize;
        let bytes = hart.vector.registers.get_mut(at..at + 32)?;
        let value = if PARTS {
            _mm256_blendv_epi8(_mm256_set_m128i(load(bytes, 16), load(bytes, 0)), new, self.active)
        } else {
            new
        };
        store_two(bytes, 0, value);
        Some(())
    }
}
