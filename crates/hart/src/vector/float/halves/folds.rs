//! Numbers of binary16 folded into one: sums in the order of the elements, the least and the greatest.

use std::arch::x86_64::{
    __m128, __m128i, _mm_add_epi32, _mm_add_ss, _mm_and_si128, _mm_andnot_si128, _mm_blendv_epi8,
    _mm_castps_si128, _mm_castsi128_ps, _mm_cmpneq_ss, _mm_cvtps_ph, _mm_cvtsi128_si32, _mm_max_epi16,
    _mm_max_epu32, _mm_min_epi16, _mm_minpos_epu16, _mm_or_ps, _mm_or_si128, _mm_set1_epi16, _mm_set1_epi32,
    _mm_setzero_ps, _mm_setzero_si128, _mm_shuffle_ps, _mm_srli_epi32, _mm_sub_ss, _mm_xor_si128,
    _mm256_blendv_ps, _mm256_castps256_ps128, _mm256_castsi256_ps, _mm256_cvtph_ps, _mm256_extractf128_ps,
    _mm256_set1_ps,
};

use softfloat::arithmetic::add;
use softfloat::convert::between;
use softfloat::environment::{Environment, Flags, Rounding};
use softfloat::format::{Format, Half, Single, is_nan, is_signaling};

use super::super::super::host_block::load;
use super::super::entries::{DirectLane, FloatDoubling};
use super::bits::keys;
use super::call::{Call, Halves};
use super::rounding::{are_nans, signaling};
use super::step::{active_at, lanes_of_halves, lanes_of_words};
use crate::hart::Hart;

/// How compiled code does a reduction, if it is one of these.
pub fn of_direct(lane: DirectLane) -> Option<Halves> {
    Some(match lane {
        DirectLane::VFREDMIN => extreme::<true>,
        DirectLane::VFREDMAX => extreme::<false>,
        DirectLane::VFREDUSUM => sum::<false, true>,
        DirectLane::VFREDOSUM => sum::<false, false>,
        _ => return None,
    })
}

/// The same of one into a number of single precision; whether the sum is ordered does not matter but where no element is
/// active.
pub fn of_doubling(doubling: FloatDoubling) -> Option<Halves> {
    Some(match doubling {
        FloatDoubling::Folded { is_computed: true } => sum::<true, true>,
        FloatDoubling::Folded { is_computed: false } => sum::<true, false>,
        _ => return None,
    })
}

/// The least or the greatest of a number and all that are active; of a number and a NaN, the number.
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn extreme<const LEAST: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    let call = Call { d, a, second, how, tail_end };
    let unit = &mut hart.vector;
    let (count, registers) = (unit.vl, &mut unit.registers[..]);
    // Beyond all numbers.
    let none = if LEAST { i16::MAX } else { i16::MIN };
    let first = load(registers, second as usize);
    let mut best = _mm_set1_epi16(none);
    let (mut invalid, mut any) = (0, 0);
    for index in (0..count).step_by(8) {
        let active = active_at(registers, &call, index, count);
        let numbers = load(registers, a + 2 * index);
        let chosen = _mm_andnot_si128(are_nans(numbers), lanes_of_halves(active));
        let of_numbers = _mm_blendv_epi8(_mm_set1_epi16(none), keys(numbers), chosen);
        best = if LEAST { _mm_min_epi16(best, of_numbers) } else { _mm_max_epi16(best, of_numbers) };
        invalid |= signaling(numbers) & active;
        any |= active;
    }
    if any == 0 {
        if count > 0 {
            registers.copy_within(second as usize..second as usize + 2, d);
        }
        return;
    }
    invalid |= signaling(first) & 1;
    let of_first = _mm_blendv_epi8(keys(first), _mm_set1_epi16(none), are_nans(first));
    let of_first = _mm_set1_epi16(_mm_cvtsi128_si32(of_first) as i16);
    best = if LEAST { _mm_min_epi16(best, of_first) } else { _mm_max_epi16(best, of_first) };
    // The least of numbers without signs is the host's.
    let order = _mm_set1_epi16(if LEAST { i16::MIN } else { i16::MAX });
    let least = _mm_minpos_epu16(_mm_xor_si128(best, order));
    let key = _mm_cvtsi128_si32(_mm_xor_si128(least, order)) as i16;
    let result =
        if key == none { Half::NAN as u16 } else { _mm_cvtsi128_si32(keys(_mm_set1_epi16(key))) as u16 };
    registers[d..d + 2].copy_from_slice(&result.to_le_bytes());
    hart.accrue_flags(Flags(if invalid != 0 { Flags::INVALID.0 } else { 0 }));
}

/// The sum of a number and all that are active, each rounded; it has single precision or not.
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn sum<const DOUBLES: bool, const COMPUTES: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    let call = Call { d, a, second, how, tail_end };
    if hart.vector.vl == 0 {
        return;
    }
    let raised = hart.float.raised();
    let is_inexact = raised.0 & Flags::INEXACT.0 != 0;
    let plain = if is_inexact {
        plain_sum::<DOUBLES, false>(hart, &call)
    } else {
        plain_sum::<DOUBLES, true>(hart, &call)
    };
    let (result, flags) = plain.unwrap_or_else(|| {
        let environment = Environment::new(Rounding::NearestEven).accruing(raised);
        one_by_one::<DOUBLES, COMPUTES>(hart, &call, environment)
    });
    let bytes = if DOUBLES { 4 } else { 2 };
    hart.vector.registers[d..d + bytes].copy_from_slice(&result.to_le_bytes()[..bytes]);
    hart.accrue_flags(Flags(flags));
}

/// The bits of the first summand.
fn first_of(registers: &[u8], call: &Call, doubles: bool) -> u32 {
    let at = call.second as usize;
    let bytes: [u8; 4] = std::array::from_fn(|byte| registers[at + byte]);
    let word = u32::from_le_bytes(bytes);
    if doubles { word } else { word & 0xffff }
}

/// The sum, if all are finite, and whether it is inexact, if it is asked for.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn plain_sum<const DOUBLES: bool, const ASKS: bool>(hart: &Hart, call: &Call) -> Option<(u32, u8)> {
    /// The greatest number of binary16 in single precision.
    const MOST: u32 = 65504_f32.to_bits();
    let (count, registers) = (hart.vector.vl, &hart.vector.registers[..]);
    let first = first_of(registers, call, DOUBLES);
    let mut sum: __m128 = if DOUBLES {
        _mm_castsi128_ps(_mm_set1_epi32(first as i32))
    } else {
        _mm256_castps256_ps128(_mm256_cvtph_ps(_mm_set1_epi16(first as i16)))
    };
    let magnitude = _mm_set1_epi32(i32::MAX);
    let mut greatest = _mm_and_si128(_mm_castps_si128(sum), magnitude);
    let (mut rounded, mut lost) = (_mm_setzero_si128(), _mm_setzero_ps());
    for index in (0..count).step_by(8) {
        let active = active_at(registers, call, index, count);
        let numbers = _mm256_cvtph_ps(load(registers, call.a + 2 * index));
        // Of which nothing comes.
        let zeros = _mm256_set1_ps(-0.0);
        let numbers = _mm256_blendv_ps(zeros, numbers, _mm256_castsi256_ps(lanes_of_words(active)));
        let halves = [_mm256_castps256_ps128(numbers), _mm256_extractf128_ps::<1>(numbers)];
        for half in halves {
            for number in in_lanes(half) {
                let exact = _mm_add_ss(sum, number);
                if ASKS {
                    let of_number = _mm_cmpneq_ss(_mm_sub_ss(exact, sum), number);
                    let of_sum = _mm_cmpneq_ss(_mm_sub_ss(exact, number), sum);
                    lost = _mm_or_ps(lost, _mm_or_ps(of_number, of_sum));
                }
                sum = exact;
                if !DOUBLES {
                    sum = _mm_castsi128_ps(to_half(_mm_castps_si128(exact)));
                    let changed = _mm_xor_si128(_mm_castps_si128(exact), _mm_castps_si128(sum));
                    rounded = _mm_or_si128(rounded, changed);
                    greatest = _mm_max_epu32(greatest, _mm_and_si128(_mm_castps_si128(sum), magnitude));
                }
            }
        }
    }
    let bits = _mm_cvtsi128_si32(_mm_castps_si128(sum)) as u32;
    let is_inexact = _mm_cvtsi128_si32(_mm_or_si128(rounded, _mm_castps_si128(lost))) != 0;
    let flags = if is_inexact { Flags::INEXACT.0 } else { 0 };
    if DOUBLES {
        // An infinity or a NaN in between would still be there.
        return (bits & !(1 << 31) < f32::INFINITY.to_bits()).then_some((bits, flags));
    }
    let halves = _mm_cvtps_ph::<0>(sum);
    (_mm_cvtsi128_si32(greatest) as u32 <= MOST).then_some((_mm_cvtsi128_si32(halves) as u32 & 0xffff, flags))
}

/// Each of four numbers as the first.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn in_lanes(numbers: __m128) -> [__m128; 4] {
    [
        numbers,
        _mm_shuffle_ps::<1>(numbers, numbers),
        _mm_shuffle_ps::<2>(numbers, numbers),
        _mm_shuffle_ps::<3>(numbers, numbers),
    ]
}

/// Bits of single precision rounded to as many as numbers of binary16 have.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn to_half(bits: __m128i) -> __m128i {
    let last = _mm_and_si128(_mm_srli_epi32::<13>(bits), _mm_set1_epi32(1));
    let up = _mm_add_epi32(bits, _mm_set1_epi32((1 << 12) - 1));
    _mm_and_si128(_mm_add_epi32(up, last), _mm_set1_epi32(-1 << 13))
}

/// The sum, whatever the numbers, and flags.
#[cold]
fn one_by_one<const DOUBLES: bool, const COMPUTES: bool>(
    hart: &Hart,
    call: &Call,
    mut environment: Environment,
) -> (u32, u8) {
    let registers = &hart.vector.registers[..];
    let mut result = u64::from(first_of(registers, call, DOUBLES));
    let mut is_alone = true;
    for index in 0..hart.vector.vl {
        if call.is_masked() && registers[index / 8] >> (index % 8) & 1 == 0 {
            continue;
        }
        let at = call.a + 2 * index;
        let number = u64::from(u16::from_le_bytes([registers[at], registers[at + 1]]));
        result = if DOUBLES {
            let number = between::<Half, Single>(number, &mut environment);
            add::<Single>(result, number, &mut environment)
        } else {
            add::<Half>(result, number, &mut environment)
        };
        is_alone = false;
    }
    if is_alone && COMPUTES {
        result = match DOUBLES {
            true if is_nan::<Single>(result) => environment.nan::<Single>(is_signaling::<Single>(result)),
            false if is_nan::<Half>(result) => environment.nan::<Half>(is_signaling::<Half>(result)),
            _ => result,
        };
    }
    (result as u32, environment.flags.0)
}
