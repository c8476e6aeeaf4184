//! Sixteen elements at a time, which are all of a register of 256 bits.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_set1_epi16, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi16,
    _mm256_movemask_epi8, _mm256_set_m128i, _mm256_set1_epi16, _mm256_setr_epi16, _mm256_testc_si256,
    _mm256_testz_si256,
};

use softfloat::format::Format;

use super::super::super::host_block::{load, store_two};
use super::super::super::kernel::At;
use super::call::Call;
use crate::hart::Hart;

/// Bytes of an element of `vd`, or 0 if it is a mask, of `vs2` and a second operand that is a group.
pub type Widths = [usize; 3];

/// Eight elements and eight more.
pub type Pair = (__m128i, __m128i);

/// True if an instruction has so many elements, and none is masked off.
#[inline(always)]
pub fn is_whole(hart: &Hart, call: &Call, elements: usize) -> bool {
    !call.is_masked() && hart.vector.vl == elements
}

/// Does an instruction block by block, each as if it were an instruction.
#[inline(never)]
pub fn many(hart: &mut Hart, call: Call, block: usize, [d, a, b]: Widths, f: &dyn Fn(&mut Hart, Call)) {
    let count = hart.vector.vl;
    for index in (0..count).step_by(block) {
        hart.vector.vl = (count - index).min(block);
        let second = if call.is_group() { call.second + (b * index) as u64 } else { call.second };
        let done = if d == 0 { index / 8 } else { d * index };
        let part = Call { d: call.d + done, a: call.a + a * index, second, tail_end: 0, ..call };
        f(hart, part.at(index));
    }
    hart.vector.vl = count;
    fill_tail(hart, call.d, call.tail_end, d * count);
}

/// Ends an instruction whose elements have so many bytes.
#[inline(always)]
pub fn end(hart: &mut Hart, call: &Call, bytes: usize) {
    let body = hart.vector.vl * bytes;
    if call.tail_end > body {
        fill_tail(hart, call.d, call.tail_end, body);
    }
}

#[cold]
#[inline(never)]
fn fill_tail(hart: &mut Hart, d: usize, tail_end: usize, body: usize) {
    hart.vector.fill_tail(At { d, a: 0, b: 0, body, tail_end });
}

/// A bit for each of so many bytes of eight elements that is in the body and not masked off.
#[inline(always)]
pub fn active_bits<const BYTES: usize>(hart: &Hart, call: &Call) -> u32 {
    let body = (u64::MAX.unbounded_shl(hart.vector.vl as u32) as u32) ^ u32::MAX;
    let mask = hart.vector.registers.get(call.mask_byte()..call.mask_byte() + BYTES);
    match mask.and_then(|bytes| bytes.first_chunk::<BYTES>()) {
        Some(bytes) if call.is_masked() => {
            let mut all = [0; 4];
            all[..BYTES].copy_from_slice(bytes);
            u32::from_le_bytes(all) & body
        }
        _ => body,
    }
}

/// Elements of 16 bits of a group, if as many are in the register file.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn halves(hart: &Hart, group: usize) -> Option<Pair> {
    // So that sums are known to have room.
    let at = group as u32 as usize;
    let bytes = hart.vector.registers.get(at..at + 32)?;
    Some((load(bytes, 0), load(bytes, 16)))
}

/// The second operand; if it is a scalar, a number of format `F`.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn second<F: Format>(hart: &Hart, call: &Call) -> Option<Pair> {
    match call.scalar::<F>(hart) {
        Some(bits) => Some((_mm_set1_epi16(bits), _mm_set1_epi16(bits))),
        None => halves(hart, call.second as usize),
    }
}

/// Sixteen elements of 16 bits of `vd`. Without `PARTS`, all are in the body, and none is masked off.
#[derive(Clone, Copy)]
pub struct Block<const PARTS: bool> {
    /// Where they are.
    at: usize,
    /// Lanes of ones for those that are active.
    active: __m256i,
}

impl<const PARTS: bool> Block<PARTS> {
    /// The first ones of an instruction.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn of(hart: &Hart, call: Call) -> Self {
        let bits = if PARTS { active_bits::<2>(hart, &call) } else { 0 };
        Self::with(call.d, bits)
    }

    /// Those at an offset, with a bit for each that is active.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn with(at: usize, bits: u32) -> Self {
        Self { at, active: if PARTS { lanes(bits as u16) } else { _mm256_set1_epi16(-1) } }
    }

    /// True if lanes are ones where elements are active.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn are_all(&self, lanes: __m256i) -> bool {
        if PARTS { _mm256_testc_si256(lanes, self.active) != 0 } else { _mm256_movemask_epi8(lanes) == -1 }
    }

    /// True if lanes are zeros where elements are active.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn are_none(&self, lanes: __m256i) -> bool {
        if PARTS { _mm256_testz_si256(lanes, self.active) != 0 } else { _mm256_movemask_epi8(lanes) == 0 }
    }

    /// Puts those that are active to `vd`.
    #[inline]
    #[target_feature(enable = "avx2,f16c,fma")]
    pub fn put_halves(&self, hart: &mut Hart, new: __m256i) -> Option<()> {
        let at = self.at as u32 as usize;
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

/// Lanes of ones for bits.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn lanes(bits: u16) -> __m256i {
    let each =
        _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, -32768);
    _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(bits as i16), each), each)
}

/// The function `$name` of an instruction in blocks of so many elements of `$widths`. Of a block, `$usual` writes what is active
/// if that raises nothing new and returns `None` otherwise, having written nothing; then `$others` does all.
macro_rules! in_blocks {
    ($name:ident [$($generic:ident: $type:ty),*], $block:expr, $widths:expr, $usual:ident, $others:ident) => {
        #[target_feature(enable = "avx2,f16c,fma")]
        pub extern "C" fn $name<$(const $generic: $type),*>(
            hart: &mut Hart,
            d: usize,
            a: usize,
            second: u64,
            how: u64,
            tail_end: usize,
        ) {
            use $crate::vector::float::halves::blocks::{Widths, end, is_whole, many};

            #[inline(never)]
            #[target_feature(enable = "avx2,f16c,fma")]
            extern "C" fn parts<$(const $generic: $type),*>(
                hart: &mut Hart,
                d: usize,
                a: usize,
                second: u64,
                how: u64,
                tail_end: usize,
            ) {
                let call = Call { d, a, second, how, tail_end };
                let widths: Widths = $widths;
                if hart.vector.vl > $block {
                    all::<$($generic),*>(hart, d, a, second, how, tail_end);
                } else if $usual::<$($generic,)* true>(hart, call).is_some() {
                    end(hart, &call, widths[0]);
                } else {
                    $others::<$($generic),*>(hart, d, a, second, how, tail_end);
                }
            }

            // Apart, so that the others need not save registers.
            #[inline(never)]
            #[target_feature(enable = "avx2,f16c,fma")]
            extern "C" fn all<$(const $generic: $type),*>(
                hart: &mut Hart,
                d: usize,
                a: usize,
                second: u64,
                how: u64,
                tail_end: usize,
            ) {
                many(hart, Call { d, a, second, how, tail_end }, $block, $widths, &|hart, call| {
                    $name::<$($generic),*>(hart, call.d, call.a, call.second, call.how, call.tail_end);
                });
            }

            let widths: Widths = $widths;
            let call = Call { d, a, second, how, tail_end };
            if !is_whole(hart, &call, $block) {
                parts::<$($generic),*>(hart, d, a, second, how, tail_end);
            } else if $usual::<$($generic,)* false>(hart, call).is_some() {
                end(hart, &call, widths[0]);
            } else {
                $others::<$($generic),*>(hart, d, a, second, how, tail_end);
            }
        }
    };
}

pub(super) use in_blocks;
