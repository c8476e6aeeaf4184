//! Operations on the bits of numbers of binary16: signs, classes, minima and maxima.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi16, _mm_and_si128, _mm_andnot_si128, _mm_blendv_epi8, _mm_cmpgt_epi16,
    _mm_max_epi16, _mm_min_epi16, _mm_or_si128, _mm_set1_epi16, _mm_srai_epi16, _mm_xor_si128,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi16, _mm256_cmpgt_epi16,
    _mm256_max_epi16, _mm256_min_epi16, _mm256_or_si256, _mm256_set_m128i, _mm256_set1_epi16,
    _mm256_srai_epi16, _mm256_xor_si256,
};

use softfloat::environment::Flags;
use softfloat::format::{Format, Half};

use super::super::super::host_block::load;
use super::super::arithmetic::FloatLane;
use super::super::entries::DirectLane;
use super::blocks::{Block, halves, in_blocks, second};
use super::call::{Call, Halves};
use super::rounding::{are_nans, canonical, signaling};
use super::step::{bits_of_halves, each, put_halves};
use crate::hart::Hart;

const INVALID: u8 = Flags::INVALID.0;

/// How compiled code does an operation, if it is one of these.
pub fn of_lane(lane: FloatLane) -> Option<Halves> {
    Some(match lane {
        FloatLane::VFSGNJ => sign::<0>,
        FloatLane::VFSGNJN => sign::<1>,
        FloatLane::VFSGNJX => sign::<2>,
        FloatLane::VFCLASS => classes,
        _ => return None,
    })
}

/// The same of a choice.
pub fn of_direct(lane: DirectLane) -> Option<Halves> {
    Some(match lane {
        DirectLane::VFMIN => chosen::<true>,
        DirectLane::VFMAX => chosen::<false>,
        _ => return None,
    })
}

/// The sign of the second operand, its opposite, or both signs together.
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn sign<const KIND: u8>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    each(hart, Call { d, a, second, how, tail_end }, 2, |registers, step| {
        let a = load(registers, step.at(a, 2));
        let bit = _mm_set1_epi16(Half::SIGN as i16);
        let b = _mm_and_si128(step.b, bit);
        let value = match KIND {
            0 => _mm_or_si128(_mm_andnot_si128(bit, a), b),
            1 => _mm_or_si128(_mm_andnot_si128(bit, a), _mm_xor_si128(b, bit)),
            _ => _mm_xor_si128(a, b),
        };
        put_halves(registers, step.at(d, 2), step.active, value);
        0
    });
}

in_blocks! { classes [], 16, [2, 2, 2], usual_classes, any_classes }

/// The classes of sixteen.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_classes<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    let (low, high) = halves(hart, call.a)?;
    Block::<PARTS>::of(hart, call).put_halves(hart, _mm256_set_m128i(class_of(high), class_of(low)))
}

#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_classes(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
    each(hart, Call { d, a, second, how, tail_end }, 2, |registers, step| {
        let value = class_of(load(registers, step.at(a, 2)));
        put_halves(registers, step.at(d, 2), step.active, value);
        0
    });
}

/// The classes of numbers, a bit of ten each.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn class_of(a: __m128i) -> __m128i {
    let magnitude = _mm_and_si128(a, _mm_set1_epi16(i16::MAX));
    // The classes from the next one on: subnormal and normal numbers, infinities, signaling and quiet NaNs.
    let quiet = Half::INFINITY | Half::QUIET;
    let firsts = [1, Half::HIDDEN, Half::INFINITY, Half::INFINITY + 1, quiet];
    let below = [Some(1 << 2), Some(1 << 1), Some(1), None, None];
    let (mut positive, mut negative) = (_mm_set1_epi16(1 << 4), _mm_set1_epi16(1 << 3));
    for (first, below) in firsts.into_iter().zip(below) {
        let is_beyond = _mm_cmpgt_epi16(magnitude, _mm_set1_epi16(first as i16 - 1));
        positive = _mm_add_epi16(positive, _mm_and_si128(positive, is_beyond));
        // NaNs have no sign.
        let class = match below {
            Some(class) => _mm_set1_epi16(class),
            None => positive,
        };
        negative = _mm_blendv_epi8(negative, class, is_beyond);
    }
    _mm_blendv_epi8(positive, negative, _mm_srai_epi16::<15>(a))
}

/// Integers in the order of numbers; −0 is less than +0.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn keys(a: __m128i) -> __m128i {
    let others = _mm_and_si128(_mm_srai_epi16::<15>(a), _mm_set1_epi16(i16::MAX));
    _mm_xor_si128(a, others)
}

in_blocks! { chosen [LEAST: bool], 16, [2, 2, 2], usual_chosen, any_chosen }

/// The least or the greatest of each two of sixteen; of a number and a NaN, the number.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_chosen<const LEAST: bool, const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
    let block = Block::<PARTS>::of(hart, call);
    let (a, b) = (halves(hart, call.a)?, second::<Half>(hart, &call)?);
    let (a, b) = (_mm256_set_m128i(a.1, a.0), _mm256_set_m128i(b.1, b.0));
    let (of_a, of_b) = (sixteen_keys(a), sixteen_keys(b));
    let value = sixteen_keys(if LEAST { _mm256_min_epi16(of_a, of_b) } else { _mm256_max_epi16(of_a, of_b) });
    let infinity = _mm256_set1_epi16(Half::INFINITY as i16);
    let most = _mm256_set1_epi16(i16::MAX);
    let (a_size, b_size) = (_mm256_and_si256(a, most), _mm256_and_si256(b, most));
    if block.are_none(_mm256_cmpgt_epi16(_mm256_max_epi16(a_size, b_size), infinity)) {
        return block.put_halves(hart, value);
    }
    let (a_is_nan, b_is_nan) = (_mm256_cmpgt_epi16(a_size, infinity), _mm256_cmpgt_epi16(b_size, infinity));
    // Those that do not have the bit of quiet ones.
    let quiet = _mm256_set1_epi16(Half::QUIET as i16);
    let is_loud =
        |nan, number| _mm256_andnot_si256(_mm256_cmpeq_epi16(_mm256_and_si256(number, quiet), quiet), nan);
    let signaling = _mm256_or_si256(is_loud(a_is_nan, a), is_loud(b_is_nan, b));
    let number = _mm256_blendv_epi8(_mm256_blendv_epi8(value, a, b_is_nan), b, a_is_nan);
    let nan = _mm256_set1_epi16(Half::NAN as i16);
    let value = _mm256_blendv_epi8(number, nan, _mm256_and_si256(a_is_nan, b_is_nan));
    block.put_halves(hart, value)?;
    if !block.are_none(signaling) {
        hart.accrue_flags(Flags::INVALID);
    }
    Some(())
}

/// The same as [`keys`] of sixteen.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn sixteen_keys(a: __m256i) -> __m256i {
    let others = _mm256_and_si256(_mm256_srai_epi16::<15>(a), _mm256_set1_epi16(i16::MAX));
    _mm256_xor_si256(a, others)
}

/// The least or the greatest of each two; of a number and a NaN, the number.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_chosen<const LEAST: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    each(hart, Call { d, a, second, how, tail_end }, 2, |registers, step| {
        let (a, b) = (load(registers, step.at(a, 2)), step.b);
        let [of_a, of_b] = [keys(a), keys(b)];
        let mut value = keys(if LEAST { _mm_min_epi16(of_a, of_b) } else { _mm_max_epi16(of_a, of_b) });
        let [a_is_nan, b_is_nan] = [are_nans(a), are_nans(b)];
        let mut flags = 0;
        if bits_of_halves(_mm_or_si128(a_is_nan, b_is_nan)) & step.active != 0 {
            value = _mm_blendv_epi8(value, a, b_is_nan);
            value = canonical(_mm_blendv_epi8(value, b, a_is_nan));
            flags = if (signaling(a) | signaling(b)) & step.active != 0 { INVALID } else { 0 };
        }
        put_halves(registers, step.at(d, 2), step.active, value);
        flags
    });
}
