//! Sixteen results of 16 bits at a time, as long as no flag is raised that is not raised already.

use std::arch::x86_64::{
    __m256i, _MM_FROUND_TO_NEAREST_INT, _mm256_and_si256, _mm256_andnot_si256, _mm256_castps_si256,
    _mm256_castsi256_si128, _mm256_cmpeq_epi16, _mm256_cmpgt_epi16, _mm256_cvtph_ps, _mm256_cvtps_ph,
    _mm256_extracti128_si256, _mm256_min_epu16, _mm256_or_si256, _mm256_packs_epi32,
    _mm256_permute4x64_epi64, _mm256_set_m128i, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_sub_epi16,
    _mm256_testz_si256,
};

use softfloat::environment::Flags;
use softfloat::format::Format;

use super::blocks::{Block, Pair};
use super::words::Words;
use crate::hart::Hart;

/// The least magnitude, and how many more there are.
type Limits = [i32; 2];

/// Those for all flags that may be raised.
pub type AllLimits = [Limits; 32];

/// No magnitude is among these.
const NONE: Limits = [0x8000_8000_u32 as i32, 0];

/// Where magnitudes begin that may raise a flag.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// The least one of which it is known at once that it is not tiny, or may be, if the flag is not raised already.
    pub first: u64,
    /// The same if the flag is raised.
    pub first_tiny: u64,
    /// The greatest that is not too large.
    pub last: u64,
    /// The flags that an infinity may raise.
    pub infinite: Flags,
}

impl Bounds {
    /// Those of sums of numbers of a format, and of integers: what is tiny is exact.
    pub const fn of_sums<F: Format>() -> Self {
        Self { first: 0, first_tiny: 0, last: F::INFINITY - 1, infinite: Flags::OVERFLOW }
    }

    /// Those of other numbers that are rounded to a format.
    pub const fn of_others<F: Format>() -> Self {
        Self { first: F::HIDDEN + 1, ..Self::of_sums::<F>() }
    }

    /// Magnitudes that raise nothing new, for all flags that may be raised. NaNs are among them if infinities are, and both
    /// raise nothing new.
    pub const fn limits<F: Format>(self) -> AllLimits {
        let mut all = [NONE; 32];
        let mut raised = 0;
        while raised < all.len() {
            let flags = raised as u8;
            if flags & Flags::INEXACT.0 != 0 {
                let is_tiny_new = flags & Flags::UNDERFLOW.0 == 0;
                let first = if is_tiny_new { self.first } else { self.first_tiny };
                let is_infinity_new = flags & self.infinite.0 != self.infinite.0;
                let last = match (is_infinity_new, flags & Flags::INVALID.0 == 0) {
                    (true, _) => self.last,
                    (false, true) => F::INFINITY,
                    (false, false) => F::SIGN - 1,
                };
                // Numbers of 16 bits twice in a word.
                let twice = if F::BITS == 16 { 0x1_0001 } else { 1 };
                all[raised] = [(first * twice) as i32, ((last - first) * twice) as i32];
            }
            raised += 1;
        }
        all
    }
}

impl<const PARTS: bool> Block<PARTS> {
    /// Puts numbers of format `F` that raise nothing new, if all are such. Magnitudes within the limits are, unless there are
    /// doubts; `exact` has lanes of ones where numbers are exact, so that nothing is raised.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn put_usual<F: Format>(
        &self,
        hart: &mut Hart,
        limits: &'static AllLimits,
        value: __m256i,
        doubts: (__m256i, __m256i),
        exact: impl FnOnce() -> Words,
    ) -> Option<()> {
        let raised = hart.float.raised().0;
        let [first, more] = limits[usize::from(raised) % 32];
        let (first, more) = (_mm256_set1_epi32(first), _mm256_set1_epi32(more));
        let size = magnitudes(value);
        let beyond = _mm256_sub_epi16(size, first);
        let fits = _mm256_cmpeq_epi16(_mm256_min_epu16(beyond, more), beyond);
        // Of other lanes, but none of them is to be ones.
        let any = _mm256_or_si256(doubts.0, doubts.1);
        let is_usual = if PARTS {
            _mm256_testz_si256(any, any) != 0 && self.are_all(fits)
        } else {
            self.are_all(_mm256_andnot_si256(any, fits))
        };
        let infinity = _mm256_set1_epi16(F::INFINITY as i16);
        let is_nan = _mm256_cmpgt_epi16(size, infinity);
        if !is_usual {
            let (low, high) = exact();
            let exact = halved(_mm256_castps_si256(low), _mm256_castps_si256(high));
            let certain = _mm256_andnot_si256(halved(doubts.0, doubts.1), fits);
            let right = _mm256_or_si256(exact, certain);
            let is_invalid_new = raised & Flags::INVALID.0 == 0;
            let right = if is_invalid_new { right } else { _mm256_or_si256(right, is_nan) };
            if !self.are_all(right) {
                return None;
            }
        }
        // The only NaN that there is.
        let nan = _mm256_and_si256(is_nan, _mm256_set1_epi16(F::NAN as i16));
        self.put_halves(hart, _mm256_or_si256(_mm256_andnot_si256(is_nan, value), nan))
    }
}

/// The nearest numbers of binary16.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn nearest((low, high): Words) -> __m256i {
    _mm256_set_m128i(
        _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(high),
        _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(low),
    )
}

/// Numbers of binary16 in single precision.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn widened(halves: __m256i) -> Words {
    widened_pair((_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves)))
}

/// The same of eight and eight more.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn widened_pair((low, high): Pair) -> Words {
    (_mm256_cvtph_ps(low), _mm256_cvtph_ps(high))
}

/// The lanes of two vectors that were packed to one, in their order.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn in_order(packed: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn magnitudes(halves: __m256i) -> __m256i {
    _mm256_and_si256(halves, _mm256_set1_epi16(i16::MAX))
}

/// Lanes half as wide.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn halved(low: __m256i, high: __m256i) -> __m256i {
    in_order(_mm256_packs_epi32(low, high))
}
