//! Numbers of BF16, which are single precision with a shorter fraction.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _mm_packus_epi32, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmpeq_epi32,
    _mm256_cmpgt_epi32, _mm256_cvtepu16_epi32, _mm256_extracti128_si256, _mm256_fmadd_ps, _mm256_min_epu32,
    _mm256_mul_ps, _mm256_or_ps, _mm256_or_si256, _mm256_set1_epi32, _mm256_setzero_ps, _mm256_setzero_si256,
    _mm256_slli_epi32, _mm256_srli_epi32, _mm256_sub_epi32, _mm256_xor_si256,
};

use softfloat::arithmetic::multiply_add;
use softfloat::convert::between;
use softfloat::environment::{Environment, Flags, Rounding};
use softfloat::format::{Brain, Format, Single};

use super::super::super::host_block::{load, store};
use super::super::entries::OfBrain;
use super::blocks::{halves, in_blocks, second as second_operand};
use super::call::{Call, Halves};
use super::narrow::{AllLimits, Bounds};
use super::rounding::{Look, canonical_singles, kept, loses, signaling_singles};
use super::step::{Step, bits_of_singles, each, put_halves, put_singles, put_words, singles, words};
use super::to_numbers::{of_brains, to_brains, widened_brains};
use super::words::{WordBlock, words as all_words};
use crate::hart::Hart;

/// How compiled code does an operation.
pub const fn entry(operation: OfBrain) -> Halves {
    match operation {
        OfBrain::Widened => widened,
        OfBrain::Narrowed => narrowed,
        OfBrain::Accumulated => accumulated,
    }
}

in_blocks! { widened [], 16, [4, 2, 2], widened_brains, any_widened }
in_blocks! { narrowed [], 16, [2, 4, 2], to_brains, any_narrowed }
in_blocks! { accumulated [], 16, [4, 2, 2], usual_accumulated, any_accumulated }

/// In single precision.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn wide(brains: __m128i) -> __m256 {
    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(brains)))
}

#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_widened(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
    each(hart, Call { d, a, second, how, tail_end }, 4, |registers, step| {
        let number = wide(load(registers, step.at(a, 2)));
        let (number, flags) = kept(step, number, true, || Look {
            invalid: signaling_singles(number),
            inexact: _mm256_setzero_ps(),
            finite: _mm256_setzero_ps(),
        });
        put_singles(registers, step.at(d, 4), step.active, number);
        flags
    });
}

/// To the nearest.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_narrowed(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
    /// What is rounded to the least normal number, though it is less: the least such number.
    const TINY: i32 = (Single::HIDDEN - (1 << 14)) as i32;
    /// Bits that are cut off.
    const CUT: i32 = 0xffff;
    each(hart, Call { d, a, second, how, tail_end }, 2, |registers, step| {
        let all = |bits: i32| _mm256_set1_epi32(bits);
        let number = words(registers, step.at(a, 4));
        let last = _mm256_and_si256(_mm256_srli_epi32::<16>(number), all(1));
        let up = _mm256_add_epi32(_mm256_add_epi32(number, all(CUT >> 1)), last);
        let size = _mm256_and_si256(number, all(i32::MAX));
        let is_nan = _mm256_cmpgt_epi32(size, all(Single::INFINITY as i32));
        let value = _mm256_blendv_epi8(_mm256_srli_epi32::<16>(up), all(Brain::NAN as i32), is_nan);
        let cut = _mm256_and_si256(number, all(CUT));
        let is_exact = _mm256_or_si256(is_nan, _mm256_cmpeq_epi32(cut, _mm256_setzero_si256()));
        let is_finite = _mm256_cmpgt_epi32(all(Single::INFINITY as i32), size);
        let grown = _mm256_cmpgt_epi32(_mm256_and_si256(up, all(i32::MAX)), all(Single::INFINITY as i32 - 1));
        let any = |lanes: __m256i| bits_of_singles(_mm256_castsi256_ps(lanes)) & step.active != 0;
        let tiny = _mm256_andnot_si256(is_exact, _mm256_cmpgt_epi32(all(TINY), size));
        let mut flags = 0;
        for (lanes, flag) in [
            (_mm256_andnot_si256(is_exact, is_finite), Flags::INEXACT),
            (tiny, Flags::UNDERFLOW),
            (_mm256_and_si256(is_finite, grown), Flags::OVERFLOW),
        ] {
            flags |= if any(lanes) { flag.0 } else { 0 };
        }
        let invalid = signaling_singles(_mm256_castsi256_ps(number)) & step.active;
        flags |= if invalid != 0 { Flags::INVALID.0 } else { 0 };
        let high = _mm256_extracti128_si256::<1>(value);
        let halves = _mm_packus_epi32(_mm256_castsi256_si128(value), high);
        put_halves(registers, step.at(d, 2), step.active, halves);
        flags
    });
}

/// A product, which single precision may have no room for, added to a number and rounded once.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_accumulated<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    const LIMITS: AllLimits = Bounds::of_others::<Single>().limits::<Single>();
    let block = WordBlock::<PARTS>::of(hart, call);
    let (x, y) = (of_brains(halves(hart, call.a)?), of_brains(second_operand::<Brain>(hart, &call)?));
    let z = all_words(hart, call.d)?;
    let sum = (_mm256_fmadd_ps(x.0, y.0, z.0), _mm256_fmadd_ps(x.1, y.1, z.1));
    let raised = hart.float.raised().0;
    let limits = LIMITS[usize::from(raised) % 32];
    let others = (is_beyond(sum.0, limits), is_beyond(sum.1, limits));
    if block.is_none(others) {
        return block.put(hart, (canonical_singles(sum.0), canonical_singles(sum.1)));
    }
    let is_lost = |x, y, z, sum| {
        let product = _mm256_mul_ps(x, y);
        let unlike = _mm256_or_ps(is_beyond(sum, FINITE), is_beyond(product, NORMAL));
        _mm256_or_ps(unlike, loses(product, z, sum))
    };
    if block.is_none((is_lost(x.0, y.0, z.0, sum.0), is_lost(x.1, y.1, z.1, sum.1))) {
        return block.put(hart, sum);
    }
    None
}

/// Magnitudes of finite numbers, and of such products as are exact.
const FINITE: [i32; 2] = [0, Single::INFINITY as i32 - 1];
const NORMAL: [i32; 2] = [Single::HIDDEN as i32, (Single::INFINITY - 1 - Single::HIDDEN) as i32];

/// Lanes of ones where a magnitude is not within limits.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn is_beyond(number: __m256, [first, more]: [i32; 2]) -> __m256 {
    let size = _mm256_and_si256(_mm256_castps_si256(number), _mm256_set1_epi32(i32::MAX));
    let beyond = _mm256_sub_epi32(size, _mm256_set1_epi32(first));
    let fits = _mm256_cmpeq_epi32(_mm256_min_epu32(beyond, _mm256_set1_epi32(more)), beyond);
    _mm256_castsi256_ps(_mm256_xor_si256(fits, _mm256_set1_epi32(-1)))
}

/// The same, whatever the numbers.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_accumulated(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
    each(hart, Call { d, a, second, how, tail_end }, 4, |registers, step| {
        let halves = load(registers, step.at(a, 2));
        let before = singles(registers, step.at(d, 4));
        let number = _mm256_castps_si256(_mm256_fmadd_ps(wide(halves), wide(step.b), before));
        // Magnitudes of results that raise nothing new.
        let are_raised = |flags: Flags| step.raised & flags.0 != 0;
        let least = if are_raised(Flags::UNDERFLOW) { 0 } else { Single::HIDDEN as i32 + 1 };
        let end = Single::INFINITY as i32 + i32::from(are_raised(Flags::OVERFLOW));
        let size = _mm256_and_si256(number, _mm256_set1_epi32(i32::MAX));
        let above = _mm256_cmpgt_epi32(size, _mm256_set1_epi32(least - 1));
        let below = _mm256_cmpgt_epi32(_mm256_set1_epi32(end), size);
        let usual = bits_of_singles(_mm256_castsi256_ps(_mm256_and_si256(above, below)));
        if step.active & !usual == 0 && step.is_inexact() {
            put_words(registers, step.at(d, 4), step.active, number);
            return 0;
        }
        one_by_one(registers, step, a, d)
    });
}

/// The same of active numbers, one by one.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
fn one_by_one(registers: &mut [u8], step: Step, a: usize, d: usize) -> u8 {
    let mut environment = Environment::new(Rounding::NearestEven);
    let mut second = [0; 16];
    store(&mut second, 0, step.b);
    for lane in (0..8).filter(|lane| step.active >> lane & 1 != 0) {
        let half = |bytes: &[u8], at: usize| u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let at = step.at(d, 4) + 4 * lane;
        let mut word = [0; 4];
        word.copy_from_slice(&registers[at..at + 4]);
        let operands = [half(registers, step.at(a, 2) + 2 * lane), half(&second, 2 * lane)];
        let [x, y] = operands.map(|bits| between::<Brain, Single>(bits, &mut environment));
        let z = u32::from_le_bytes(word).into();
        let value = multiply_add::<Single>(x, y, z, &mut environment) as u32;
        registers[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    environment.flags.0
}
