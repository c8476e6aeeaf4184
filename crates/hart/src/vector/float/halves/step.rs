//! Eight numbers at a time, from the first on, and where they come from and go to.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _mm_and_si128, _mm_blendv_epi8, _mm_cmpeq_epi16, _mm_cvtsi64_si128,
    _mm_cvtsi128_si64, _mm_movemask_epi8, _mm_packs_epi16, _mm_set1_epi16, _mm_setr_epi16, _mm_setzero_si128,
    _mm256_and_si256, _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_castsi256_si128,
    _mm256_cmpeq_epi32, _mm256_extracti128_si256, _mm256_movemask_ps, _mm256_set_m128i, _mm256_set1_epi32,
    _mm256_setr_epi32,
};

use softfloat::environment::Flags;

use super::super::super::host_block::{load, store};
use super::super::super::kernel::At;
use super::call::Call;
use crate::hart::Hart;

/// Bytes of the register file that are loaded at a time.
const BLOCK: usize = 16;

/// Numbers that are taken together.
#[derive(Clone, Copy)]
pub struct Step {
    /// Of the first one.
    pub index: usize,
    /// A bit for each that is in the body and not masked off.
    pub active: u8,
    /// The second operand.
    pub b: __m128i,
    /// The flags that are raised already.
    pub raised: u8,
}

impl Step {
    /// Where the numbers begin in a group of elements of so many bytes.
    #[inline(always)]
    pub const fn at(&self, group: usize, bytes: usize) -> usize {
        group + self.index * bytes
    }

    /// True if the inexact flag is raised already.
    #[inline(always)]
    pub const fn is_inexact(&self) -> bool {
        self.raised & Flags::INEXACT.0 != 0
    }
}

/// Does a call with `f`, which writes what is active and returns flags. The elements of `vd` have `bytes`.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn each(hart: &mut Hart, call: Call, bytes: usize, f: impl Fn(&mut [u8], Step) -> u8) {
    let splat = call.any_scalar(hart).map(|bits| _mm_set1_epi16(bits));
    let mut raised = hart.float.raised().0;
    let unit = &mut hart.vector;
    let (count, registers) = (unit.vl, &mut unit.registers[..]);
    for index in (0..count).step_by(8) {
        let active = active_at(registers, &call, index, count);
        let b = match splat {
            Some(b) => b,
            None => load(registers, call.second as usize + 2 * index),
        };
        raised |= f(registers, Step { index, active, b, raised });
    }
    let (d, a, b, body) = (call.d, call.a, call.second, count * bytes);
    unit.fill_tail(At { d, a, b, body, tail_end: call.tail_end });
    hart.accrue_flags(Flags(raised));
}

/// A bit for each of eight numbers that is in the body and not masked off.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn active_at(registers: &[u8], call: &Call, index: usize, count: usize) -> u8 {
    let body = 0xff >> (8 - (count - index).min(8));
    if call.is_masked() { registers[call.mask_byte() + index / 8] & body } else { body }
}

/// Lanes of ones for bits.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn lanes_of_halves(active: u8) -> __m128i {
    let bits = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16(active.into()), bits), bits)
}

/// The same of wider lanes.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn lanes_of_words(active: u8) -> __m256i {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(active.into()), bits), bits)
}

/// Eight bytes from an offset on, and zeros.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn bytes(registers: &[u8], at: usize) -> __m128i {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&registers[at..at + 8]);
    _mm_cvtsi64_si128(i64::from_le_bytes(bytes))
}

/// Puts bytes there that are active.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn put_bytes(registers: &mut [u8], at: usize, active: u8, new: __m128i) {
    let lanes = lanes_of_halves(active);
    let value = _mm_blendv_epi8(bytes(registers, at), new, _mm_packs_epi16(lanes, lanes));
    registers[at..at + 8].copy_from_slice(&_mm_cvtsi128_si64(value).to_le_bytes());
}

/// Words from an offset on; zeros where there are none.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn words(registers: &[u8], at: usize) -> __m256i {
    let has_both = at + 2 * BLOCK <= registers.len();
    let high = if has_both { load(registers, at + BLOCK) } else { _mm_setzero_si128() };
    _mm256_set_m128i(high, load(registers, at))
}

/// The same as numbers.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn singles(registers: &[u8], at: usize) -> __m256 {
    _mm256_castsi256_ps(words(registers, at))
}

/// Puts numbers of 16 bits there that are active.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn put_halves(registers: &mut [u8], at: usize, active: u8, new: __m128i) {
    let value =
        if active == 0xff { new } else { _mm_blendv_epi8(load(registers, at), new, lanes_of_halves(active)) };
    store(registers, at, value);
}

/// Puts words there that are active.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn put_words(registers: &mut [u8], at: usize, active: u8, new: __m256i) {
    let value = if active == 0xff {
        new
    } else {
        _mm256_blendv_epi8(words(registers, at), new, lanes_of_words(active))
    };
    store(registers, at, _mm256_castsi256_si128(value));
    if active >> 4 != 0 {
        store(registers, at + BLOCK, _mm256_extracti128_si256::<1>(value));
    }
}

/// The same of numbers.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn put_singles(registers: &mut [u8], at: usize, active: u8, new: __m256) {
    put_words(registers, at, active, _mm256_castps_si256(new));
}

/// A bit for each lane of ones.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn bits_of_halves(lanes: __m128i) -> u8 {
    _mm_movemask_epi8(_mm_packs_epi16(lanes, _mm_setzero_si128())) as u8
}

/// The same of wider lanes.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn bits_of_singles(lanes: __m256) -> u8 {
    _mm256_movemask_ps(lanes) as u8
}
