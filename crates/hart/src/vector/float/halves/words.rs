//! Sixteen results of 32 bits at a time.

use std::arch::x86_64::{
    __m256, _CMP_NLT_UQ, _mm_cvtsi32_si128, _mm256_and_ps, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_broadcastd_epi32, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cmpeq_epi32,
    _mm256_movemask_ps, _mm256_or_ps, _mm256_set_m128i, _mm256_set1_ps, _mm256_setr_epi32, _mm256_setzero_ps,
};

use softfloat::environment::Flags;

use super::super::super::host_block::{load, store_two};
use super::blocks::active_bits;
use super::call::Call;
use super::rounding::{absolute, canonical_singles, unordered};
use crate::hart::Hart;

/// Eight elements and eight more.
pub type Words = (__m256, __m256);

/// Elements of 32 bits of a group, if as many are in the register file.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn words(hart: &Hart, group: usize) -> Option<Words> {
    // So that sums are known to have room.
    let at = group as u32 as usize;
    let bytes = hart.vector.registers.get(at..at + 64)?;
    let eight = |at: usize| _mm256_castsi256_ps(_mm256_set_m128i(load(bytes, at + 16), load(bytes, at)));
    Some((eight(0), eight(32)))
}

/// The elements of a block. Without `PARTS`, all are in the body, and none is masked off.
#[derive(Clone, Copy)]
pub struct WordBlock<const PARTS: bool> {
    call: Call,
    /// Lanes of ones for those that are active.
    active: Words,
}

impl<const PARTS: bool> WordBlock<PARTS> {
    /// That of an instruction.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn of(hart: &Hart, call: Call) -> Self {
        let active = if PARTS {
            let bits = _mm256_broadcastd_epi32(_mm_cvtsi32_si128(active_bits::<2>(hart, &call) as i32));
            let low = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let high = _mm256_setr_epi32(256, 512, 1024, 2048, 4096, 8192, 16384, 32768);
            let lanes = |each| _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(bits, each), each));
            (lanes(low), lanes(high))
        } else {
            (_mm256_setzero_ps(), _mm256_setzero_ps())
        };
        Self { call, active }
    }

    /// True if lanes are ones for none of those that are active.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn is_none(&self, (low, high): Words) -> bool {
        if PARTS {
            let any = _mm256_or_ps(_mm256_and_ps(low, self.active.0), _mm256_and_ps(high, self.active.1));
            _mm256_movemask_ps(any) == 0
        } else {
            _mm256_movemask_ps(_mm256_or_ps(low, high)) == 0
        }
    }

    /// Puts those that are active to `vd`.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn put(&self, hart: &mut Hart, (low, high): Words) -> Option<()> {
        let at = self.call.d as u32 as usize;
        let bytes = hart.vector.registers.get_mut(at..at + 64)?;
        let value = |new: __m256, at: usize, active: __m256| {
            let new = _mm256_castps_si256(new);
            if !PARTS {
                return new;
            }
            let old = _mm256_set_m128i(load(bytes, at + 16), load(bytes, at));
            _mm256_blendv_epi8(old, new, _mm256_castps_si256(active))
        };
        let (low, high) = (value(low, 0, self.active.0), value(high, 32, self.active.1));
        store_two(bytes, 0, low);
        store_two(bytes, 32, high);
        Some(())
    }

    /// Puts results that raise nothing new, if all are such. Those of finite operands are neither infinite nor tiny; `lost` has
    /// lanes of ones where one is not exact, unless all are.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn put_usual<const EXACT: bool>(
        &self,
        hart: &mut Hart,
        (low, high): Words,
        lost: impl FnOnce() -> Words,
    ) -> Option<()> {
        let raised = hart.float.raised().0;
        let others = (is_not_finite(low), is_not_finite(high));
        let lost = if EXACT || raised & Flags::INEXACT.0 != 0 {
            (_mm256_setzero_ps(), _mm256_setzero_ps())
        } else {
            lost()
        };
        if self.is_none((_mm256_or_ps(others.0, lost.0), _mm256_or_ps(others.1, lost.1))) {
            return self.put(hart, (low, high));
        }
        let nans = (unordered(low, low), unordered(high, high));
        let is_invalid_new = raised & Flags::INVALID.0 == 0;
        if !self.is_none(lost) || is_invalid_new && !self.is_none(nans) {
            return None;
        }
        self.put(hart, (canonical_singles(low), canonical_singles(high)))
    }
}

/// Lanes of ones where numbers are infinite or NaNs.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn is_not_finite(number: __m256) -> __m256 {
    _mm256_cmp_ps::<_CMP_NLT_UQ>(absolute(number), _mm256_set1_ps(f32::INFINITY))
}
