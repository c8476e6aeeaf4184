//! Sixteen numbers of binary16 at a time, as long as no flag is raised that is not raised already.

use std::arch::x86_64::{
    __m256, __m256i, _MM_FROUND_TO_NEAREST_INT, _mm256_and_si256, _mm256_blendv_epi8, _mm256_castsi256_si128,
    _mm256_cmpeq_epi16, _mm256_cvtph_ps, _mm256_cvtps_ph, _mm256_extracti128_si256, _mm256_min_epu16,
    _mm256_set_m128i, _mm256_set1_epi16, _mm256_setr_epi16, _mm256_sub_epi16, _mm256_testc_si256,
};
use std::ops::Range;

use softfloat::environment::Flags;
use softfloat::format::{Format, Half};

use super::super::super::host_block::{load_two, store_two};
use super::super::super::kernel::At;
use super::super::host::Kind;
use super::call::Call;
use crate::hart::Hart;

/// Magnitudes of results that raise nothing new, if there are any, in which NaNs are not.
pub fn usual(kind: Kind, raised: Flags) -> Option<Range<u64>> {
    let are_raised = |flags: u8| raised.0 & flags == flags;
    let of_infinity = match kind {
        Kind::Quotient => Flags::OVERFLOW.0 | Flags::DIVIDE_BY_ZERO.0,
        Kind::Sum | Kind::Product => Flags::OVERFLOW.0,
    };
    let start = if kind == Kind::Sum || are_raised(Flags::UNDERFLOW.0) { 0 } else { Half::HIDDEN + 1 };
    let end = if are_raised(of_infinity) { Half::INFINITY + 1 } else { Half::INFINITY };
    are_raised(Flags::INEXACT.0).then_some(start..end)
}

/// Computes with `f` as many results as are so, from numbers of `vs2`, the second operand and, if it is one, `vd`. Ends the
/// instruction if these are all. Returns how many there are, if there are others.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn pairs<const HAS_D: bool>(
    hart: &mut Hart,
    call: Call,
    kind: Kind,
    f: impl Fn(__m256, __m256, __m256) -> __m256,
) -> Option<usize> {
    let Range { start, end } = usual(kind, hart.float.raised()).unwrap_or(0..0);
    let (start, last) = (start as i16, (end.max(start + 1) - start) as i16 - 1);
    let splat = call.scalar(hart).map(|bits| _mm256_set1_epi16(bits));
    let unit = &mut hart.vector;
    let count = if end == 0 { 0 } else { unit.vl };
    let registers = &mut unit.registers[..];
    let mut index = 0;
    while index + 16 <= count {
        let a = load_two(registers, call.a + 2 * index);
        let b = match splat {
            Some(b) => b,
            None => load_two(registers, call.second as usize + 2 * index),
        };
        let d = if HAS_D { load_two(registers, call.d + 2 * index) } else { a };
        let [of_a, of_b, of_d] = [numbers(a), numbers(b), numbers(d)];
        let [low, high] = [f(of_a[0], of_b[0], of_d[0]), f(of_a[1], of_b[1], of_d[1])];
        let value = _mm256_set_m128i(
            _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(high),
            _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(low),
        );
        let size = _mm256_and_si256(value, _mm256_set1_epi16(i16::MAX));
        let beyond = _mm256_sub_epi16(size, _mm256_set1_epi16(start));
        let fits = _mm256_cmpeq_epi16(_mm256_min_epu16(beyond, _mm256_set1_epi16(last)), beyond);
        let at = call.d + 2 * index;
        if call.is_masked() {
            let bits = u16::from_le_bytes([registers[index / 8], registers[index / 8 + 1]]);
            let active = lanes(bits);
            if _mm256_testc_si256(fits, active) == 0 {
                break;
            }
            store_two(registers, at, _mm256_blendv_epi8(load_two(registers, at), value, active));
        } else {
            if _mm256_testc_si256(fits, _mm256_set1_epi16(-1)) == 0 {
                break;
            }
            store_two(registers, at, value);
        }
        index += 16;
    }
    if index < unit.vl {
        return Some(index);
    }
    let (d, a, b, body) = (call.d, call.a, call.second, 2 * unit.vl);
    unit.fill_tail(At { d, a, b, body, tail_end: call.tail_end });
    None
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn numbers(halves: __m256i) -> [__m256; 2] {
    [_mm256_cvtph_ps(_mm256_castsi256_si128(halves)), _mm256_cvtph_ps(_mm256_extracti128_si256::<1>(halves))]
}

/// Lanes of ones for bits.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn lanes(bits: u16) -> __m256i {
    let each =
        _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, -32768);
    _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(bits as i16), each), each)
}
