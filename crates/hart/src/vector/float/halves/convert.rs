//! Conversions between numbers of binary16, of single precision and integers.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _CMP_GE_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _MM_FROUND_NO_EXC,
    _MM_FROUND_TO_NEAREST_INT, _MM_FROUND_TO_ZERO, _mm_add_epi16, _mm_and_si128, _mm_andnot_si128,
    _mm_packs_epi16, _mm_packs_epi32, _mm_packus_epi16, _mm_packus_epi32, _mm_set1_epi16, _mm256_and_ps,
    _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cvtepi8_epi32,
    _mm256_cvtepi16_epi32, _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32, _mm256_cvtepu16_epi32, _mm256_cvtph_ps,
    _mm256_cvtps_ph, _mm256_cvttps_epi32, _mm256_extracti128_si256, _mm256_min_epu32, _mm256_round_ps,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps,
};

use softfloat::environment::Flags;

use super::super::super::host_block::load;
use super::super::entries::{DirectLane, FloatDoubling};
use super::blocks::in_blocks;
use super::call::{Call, Halves};
use super::rounding::{Look, absolute, canonical, differ, kept, narrowed, signaling, signaling_singles};
use super::step::{
    Step, bits_of_singles, bytes, each, put_bytes, put_halves, put_singles, put_words, singles, words,
};
use super::to_integers::{to_bytes, to_halves, to_words};
use super::to_numbers::{
    of_bytes, of_integers, singles as usual_singles, singles_of_integers as usual_singles_of_integers,
    to_nearest as usual_to_nearest, to_odd as usual_to_odd,
};
use crate::hart::Hart;

/// Types of elements.
pub const BYTES: u8 = 0;
pub const HALVES: u8 = 1;
pub const WORDS: u8 = 2;

/// How compiled code does a conversion between elements as wide, if it is one of these.
pub fn of_direct(lane: DirectLane) -> Option<Halves> {
    Some(match lane {
        DirectLane::ToIntegers { signed: false, truncates: false } => {
            to_integers::<HALVES, HALVES, false, false>
        }
        DirectLane::ToIntegers { signed: false, truncates: true } => {
            to_integers::<HALVES, HALVES, false, true>
        }
        DirectLane::ToIntegers { signed: true, truncates: false } => {
            to_integers::<HALVES, HALVES, true, false>
        }
        DirectLane::ToIntegers { signed: true, truncates: true } => to_integers::<HALVES, HALVES, true, true>,
        DirectLane::FromIntegers { signed: false } => from_integers::<HALVES, false>,
        DirectLane::FromIntegers { signed: true } => from_integers::<HALVES, true>,
        _ => return None,
    })
}

/// The same where elements become wider or narrower; `sew` is log2 of the bytes of the narrower.
pub fn of_doubling(doubling: FloatDoubling, sew: u8) -> Option<Halves> {
    use FloatDoubling::{NarrowIntegers, Narrowed, OfIntegers, OfWideIntegers, WideIntegers, Widened};
    Some(match (doubling, sew) {
        (Widened, HALVES) => widened,
        (Narrowed { to_odd: false }, HALVES) => to_nearest,
        (Narrowed { to_odd: true }, HALVES) => to_odd,
        (WideIntegers { signed: false, truncates: false }, HALVES) => {
            to_integers::<HALVES, WORDS, false, false>
        }
        (WideIntegers { signed: false, truncates: true }, HALVES) => {
            to_integers::<HALVES, WORDS, false, true>
        }
        (WideIntegers { signed: true, truncates: false }, HALVES) => {
            to_integers::<HALVES, WORDS, true, false>
        }
        (WideIntegers { signed: true, truncates: true }, HALVES) => to_integers::<HALVES, WORDS, true, true>,
        (NarrowIntegers { signed: false, truncates: false }, BYTES) => {
            to_integers::<HALVES, BYTES, false, false>
        }
        (NarrowIntegers { signed: false, truncates: true }, BYTES) => {
            to_integers::<HALVES, BYTES, false, true>
        }
        (NarrowIntegers { signed: true, truncates: false }, BYTES) => {
            to_integers::<HALVES, BYTES, true, false>
        }
        (NarrowIntegers { signed: true, truncates: true }, BYTES) => to_integers::<HALVES, BYTES, true, true>,
        (NarrowIntegers { signed: false, truncates: false }, HALVES) => {
            to_integers::<WORDS, HALVES, false, false>
        }
        (NarrowIntegers { signed: false, truncates: true }, HALVES) => {
            to_integers::<WORDS, HALVES, false, true>
        }
        (NarrowIntegers { signed: true, truncates: false }, HALVES) => {
            to_integers::<WORDS, HALVES, true, false>
        }
        (NarrowIntegers { signed: true, truncates: true }, HALVES) => {
            to_integers::<WORDS, HALVES, true, true>
        }
        (OfIntegers { signed: false }, BYTES) => from_integers::<BYTES, false>,
        (OfIntegers { signed: true }, BYTES) => from_integers::<BYTES, true>,
        (OfIntegers { signed: false }, HALVES) => singles_of_integers::<false>,
        (OfIntegers { signed: true }, HALVES) => singles_of_integers::<true>,
        (OfWideIntegers { signed: false }, HALVES) => from_integers::<WORDS, false>,
        (OfWideIntegers { signed: true }, HALVES) => from_integers::<WORDS, true>,
        _ => return None,
    })
}

in_blocks! { widened [], 16, [4, 2, 2], usual_singles, any_widened }
in_blocks! { to_nearest [], 16, [2, 4, 2], usual_to_nearest, any_to_nearest }
in_blocks! { to_odd [], 16, [2, 4, 2], usual_to_odd, any_to_odd }
in_blocks! {
    to_integers [FROM: u8, TO: u8, SIGNED: bool, TRUNCATES: bool],
    if TO == BYTES { 32 } else { 16 }, [1 << TO, 1 << FROM, 2], usual_to_integers, any_to_integers
}
in_blocks! {
    from_integers [FROM: u8, SIGNED: bool],
    if FROM == BYTES { 32 } else { 16 }, [2, 1 << FROM, 2], usual_from_integers, any_from_integers
}
in_blocks! {
    singles_of_integers [SIGNED: bool], 16, [4, 2, 2], usual_singles_of_integers, any_singles_of_integers
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_to_integers<
    const FROM: u8,
    const TO: u8,
    const SIGNED: bool,
    const TRUNCATES: bool,
    const PARTS: bool,
>(
    hart: &mut Hart,
    call: Call,
) -> Option<()> {
    match TO {
        BYTES => to_bytes::<SIGNED, TRUNCATES, PARTS>(hart, call),
        HALVES => to_halves::<FROM, SIGNED, TRUNCATES, PARTS>(hart, call),
        _ => to_words::<SIGNED, TRUNCATES, PARTS>(hart, call),
    }
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_from_integers<const FROM: u8, const SIGNED: bool, const PARTS: bool>(
    hart: &mut Hart,
    call: Call,
) -> Option<()> {
    if FROM == BYTES {
        of_bytes::<SIGNED, PARTS>(hart, call)
    } else {
        of_integers::<FROM, SIGNED, PARTS>(hart, call)
    }
}

#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_widened(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
    each(hart, Call { d, a, second, how, tail_end }, 4, |registers, step| {
        let half = load(registers, step.at(a, 2));
        let (number, flags) = kept(step, _mm256_cvtph_ps(half), true, || Look {
            invalid: signaling(half),
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
extern "C" fn any_to_nearest(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
    each(hart, Call { d, a, second, how, tail_end }, 2, |registers, step| {
        let number = singles(registers, step.at(a, 4));
        let (halves, flags) = narrowed(step, number, 0, || Look {
            invalid: signaling_singles(number),
            inexact: _mm256_setzero_ps(),
            finite: _mm256_setzero_ps(),
        });
        put_halves(registers, step.at(d, 2), step.active, halves);
        flags
    });
}

/// Towards zero, with the last bit set where that is not exact.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_to_odd(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
    each(hart, Call { d, a, second, how, tail_end }, 2, |registers, step| {
        let number = singles(registers, step.at(a, 4));
        let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_ZERO>(number);
        let differs = differ(_mm256_cvtph_ps(halves), number);
        let lanes = narrow_lanes(differs);
        let is_even = _mm_and_si128(lanes, _mm_set1_epi16(1));
        // Where the last bit is set already, it stays.
        let last = _mm_and_si128(halves, _mm_set1_epi16(1));
        let halves = _mm_add_epi16(halves, _mm_andnot_si128(last, is_even));
        let size = absolute(number);
        let tiny = _mm256_cmp_ps::<_CMP_LT_OQ>(size, _mm256_set1_ps(LEAST));
        let grown = _mm256_cmp_ps::<_CMP_GE_OQ>(size, _mm256_set1_ps(BEYOND));
        let any = |lanes| bits_of_singles(_mm256_and_ps(lanes, differs)) & step.active != 0;
        let mut flags = 0;
        for (lanes, flag) in [(differs, Flags::INEXACT), (tiny, Flags::UNDERFLOW), (grown, Flags::OVERFLOW)] {
            flags |= if any(lanes) { flag.0 } else { 0 };
        }
        flags |= if signaling_singles(number) & step.active != 0 { Flags::INVALID.0 } else { 0 };
        put_halves(registers, step.at(d, 2), step.active, canonical(halves));
        flags
    });
}

/// The least normal number of binary16, and the power of two after all of them.
const LEAST: f32 = 1.0 / (1 << 14) as f32;
const BEYOND: f32 = (1 << 16) as f32;

/// Lanes half as wide.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn narrow_lanes(lanes: __m256) -> __m128i {
    let lanes = _mm256_castps_si256(lanes);
    _mm_packs_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes))
}

/// The bounds of integers, as numbers and as words.
const fn bounds(to: u8, signed: bool) -> ([f32; 2], [i32; 2]) {
    match (to, signed) {
        (BYTES, true) => ([-128.0, 127.0], [-128, 127]),
        (BYTES, false) => ([0.0, 255.0], [0, 255]),
        (HALVES, true) => ([-32768.0, 32767.0], [-32768, 32767]),
        (HALVES, false) => ([0.0, 65535.0], [0, 65535]),
        // No number of binary16 that is finite has more.
        (_, true) => ([-65504.0, 65504.0], [i32::MIN, i32::MAX]),
        (_, false) => ([0.0, 65504.0], [0, -1]),
    }
}

#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_to_integers<const FROM: u8, const TO: u8, const SIGNED: bool, const TRUNCATES: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    each(hart, Call { d, a, second, how, tail_end }, 1 << TO, |registers, step| {
        let number = if FROM == WORDS {
            singles(registers, step.at(a, 4))
        } else {
            _mm256_cvtph_ps(load(registers, step.at(a, 2)))
        };
        let (integers, flags) = integers::<TO, SIGNED, TRUNCATES>(step, number);
        let low = _mm256_castsi256_si128(integers);
        let high = _mm256_extracti128_si256::<1>(integers);
        let at = step.at(d, 1 << TO);
        match (TO, SIGNED) {
            (BYTES, true) => {
                let narrow = _mm_packs_epi32(low, high);
                put_bytes(registers, at, step.active, _mm_packs_epi16(narrow, narrow));
            }
            (BYTES, false) => {
                let narrow = _mm_packs_epi32(low, high);
                put_bytes(registers, at, step.active, _mm_packus_epi16(narrow, narrow));
            }
            (HALVES, true) => put_halves(registers, at, step.active, _mm_packs_epi32(low, high)),
            (HALVES, false) => put_halves(registers, at, step.active, _mm_packus_epi32(low, high)),
            _ => put_words(registers, at, step.active, integers),
        }
        flags
    });
}

/// Numbers as integers of a type, and flags.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn integers<const TO: u8, const SIGNED: bool, const TRUNCATES: bool>(
    step: Step,
    number: __m256,
) -> (__m256i, u8) {
    let ([least, most], [least_word, most_word]) = const { bounds(TO, SIGNED) };
    let rounded = if TRUNCATES {
        _mm256_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(number)
    } else {
        _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(number)
    };
    let above = _mm256_cmp_ps::<_CMP_GE_OQ>(rounded, _mm256_set1_ps(least));
    let below = _mm256_cmp_ps::<_CMP_LE_OQ>(rounded, _mm256_set1_ps(most));
    let fits = _mm256_and_ps(above, below);
    let mut words = _mm256_cvttps_epi32(rounded);
    let mut flags = 0;
    let others = !bits_of_singles(fits) & step.active;
    if others != 0 {
        let is_negative = _mm256_cmp_ps::<_CMP_LT_OQ>(rounded, _mm256_setzero_ps());
        let bound = _mm256_blendv_epi8(
            _mm256_set1_epi32(most_word),
            _mm256_set1_epi32(least_word),
            _mm256_castps_si256(is_negative),
        );
        words = _mm256_blendv_epi8(bound, words, _mm256_castps_si256(fits));
        flags = Flags::INVALID.0;
    }
    let inexact = bits_of_singles(_mm256_and_ps(fits, differ(rounded, number)));
    if inexact & step.active != 0 {
        flags |= Flags::INEXACT.0;
    }
    (words, flags)
}

/// As numbers of binary16.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_from_integers<const FROM: u8, const SIGNED: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    /// Too large a number, of which there is none between it and a larger one.
    const MOST: i32 = 1 << 20;
    each(hart, Call { d, a, second, how, tail_end }, 2, |registers, step| {
        let integers = match (FROM, SIGNED) {
            (BYTES, true) => _mm256_cvtepi8_epi32(bytes(registers, step.at(a, 1))),
            (BYTES, false) => _mm256_cvtepu8_epi32(bytes(registers, step.at(a, 1))),
            (HALVES, true) => _mm256_cvtepi16_epi32(load(registers, step.at(a, 2))),
            (HALVES, false) => _mm256_cvtepu16_epi32(load(registers, step.at(a, 2))),
            // Those that are rounded here are too large.
            (_, true) => words(registers, step.at(a, 4)),
            (_, false) => _mm256_min_epu32(words(registers, step.at(a, 4)), _mm256_set1_epi32(MOST)),
        };
        let number = _mm256_cvtepi32_ps(integers);
        let (halves, flags) = if FROM == BYTES {
            (_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(number), 0)
        } else {
            narrowed(step, number, 0, || Look {
                invalid: 0,
                inexact: _mm256_setzero_ps(),
                finite: _mm256_setzero_ps(),
            })
        };
        put_halves(registers, step.at(d, 2), step.active, halves);
        flags
    });
}

/// Integers of 16 bits in single precision.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_singles_of_integers<const SIGNED: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    each(hart, Call { d, a, second, how, tail_end }, 4, |registers, step| {
        let halves = load(registers, step.at(a, 2));
        let integers = if SIGNED { _mm256_cvtepi16_epi32(halves) } else { _mm256_cvtepu16_epi32(halves) };
        put_singles(registers, step.at(d, 4), step.active, _mm256_cvtepi32_ps(integers));
        0
    });
}
