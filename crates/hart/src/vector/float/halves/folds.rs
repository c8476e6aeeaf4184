//! Numbers of binary16 folded into one: sums in the order of the elements, the least and the greatest.

use std::arch::x86_64::{
    __m128, __m128i, __m256i, _mm_add_epi32, _mm_add_ss, _mm_and_si128, _mm_andnot_si128, _mm_blendv_epi8,
    _mm_castps_si128, _mm_castsi128_ps, _mm_cmpneq_ss, _mm_cvtps_ph, _mm_cvtsi128_si32, _mm_max_epi16,
    _mm_max_epu32, _mm_min_epi16, _mm_minpos_epu16, _mm_movelh_ps, _mm_or_ps, _mm_or_si128, _mm_set1_epi16,
    _mm_set1_epi32, _mm_setzero_ps, _mm_setzero_si128, _mm_shuffle_ps, _mm_srli_epi32, _mm_sub_ss,
    _mm_unpacklo_ps, _mm_xor_si128, _mm256_and_si256, _mm256_blend_ps, _mm256_blendv_epi8, _mm256_blendv_ps,
    _mm256_castps128_ps256, _mm256_castps256_ps128, _mm256_castsi256_ps, _mm256_castsi256_si128,
    _mm256_cmpeq_epi16, _mm256_cmpgt_epi16, _mm256_cvtph_ps, _mm256_extractf128_ps, _mm256_extracti128_si256,
    _mm256_movemask_ps, _mm256_or_ps, _mm256_permutevar8x32_ps, _mm256_set_m128, _mm256_set1_epi16,
    _mm256_set1_ps, _mm256_setr_epi32, _mm256_setzero_ps, _mm256_testc_si256, _mm256_testz_si256,
};

use softfloat::arithmetic::add;
use softfloat::convert::between;
use softfloat::environment::{Environment, Flags, Rounding};
use softfloat::format::{Format, Half, Single, is_nan, is_signaling};

use super::super::super::host_block::{load, load_two};
use super::super::entries::{DirectLane, FloatDoubling};
use super::bits::{keys, sixteen_keys};
use super::blocks::lanes;
use super::call::{Call, Halves};
use super::rounding::{are_nans, loses, signaling};
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
    let mut done = 0;
    if count == 16 {
        let bits = if call.is_masked() { u16::from_le_bytes([registers[0], registers[1]]) } else { 0xffff };
        let of_block;
        (of_block, invalid) = of_sixteen::<LEAST>(load_two(registers, a), lanes(bits));
        let [low, high] = [_mm256_castsi256_si128(of_block), _mm256_extracti128_si256::<1>(of_block)];
        best = if LEAST { _mm_min_epi16(low, high) } else { _mm_max_epi16(low, high) };
        any = u8::from(bits != 0);
        done = count;
    }
    for index in (done..count).step_by(8) {
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

/// Keys of sixteen numbers, or that of none if they are NaNs or not active; also a bit if any of them is a signaling NaN.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn of_sixteen<const LEAST: bool>(numbers: __m256i, active: __m256i) -> (__m256i, u8) {
    let none = _mm256_set1_epi16(if LEAST { i16::MAX } else { i16::MIN });
    let keys = _mm256_blendv_epi8(none, sixteen_keys(numbers), active);
    let size = _mm256_and_si256(numbers, _mm256_set1_epi16(i16::MAX));
    let is_nan = _mm256_cmpgt_epi16(size, _mm256_set1_epi16(Half::INFINITY as i16));
    let is_nan = _mm256_and_si256(is_nan, active);
    if _mm256_testz_si256(is_nan, is_nan) != 0 {
        return (keys, 0);
    }
    let quiet = _mm256_set1_epi16(Half::QUIET as i16);
    let is_quiet = _mm256_cmpeq_epi16(_mm256_and_si256(numbers, quiet), quiet);
    let is_valid = _mm256_testc_si256(is_quiet, is_nan) != 0;
    (_mm256_blendv_epi8(keys, none, is_nan), u8::from(!is_valid))
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
    let (result, flags) = match plain {
        Some(plain) => plain,
        None => {
            let environment = Environment::new(Rounding::NearestEven).accruing(raised);
            one_by_one::<DOUBLES, COMPUTES>(hart, &call, environment)
        }
    };
    let bytes = if DOUBLES { 4 } else { 2 };
    hart.vector.registers[d..d + bytes].copy_from_slice(&result.to_le_bytes()[..bytes]);
    hart.accrue_flags(Flags(flags));
}

/// The bits of the first summand.
fn first_of(registers: &[u8], call: &Call, doubles: bool) -> u32 {
    let at = call.second as usize;
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&registers[at..at + 4]);
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
    let mut any_lost = _mm256_setzero_ps();
    for index in (0..count).step_by(8) {
        let active = active_at(registers, call, index, count);
        let numbers = _mm256_cvtph_ps(load(registers, call.a + 2 * index));
        let numbers = if active == 0xff {
            numbers
        } else {
            // Zeros, of which nothing comes.
            let zeros = _mm256_set1_ps(-0.0);
            _mm256_blendv_ps(zeros, numbers, _mm256_castsi256_ps(lanes_of_words(active)))
        };
        let halves = [_mm256_castps256_ps128(numbers), _mm256_extractf128_ps::<1>(numbers)];
        if DOUBLES && ASKS {
            let before = sum;
            let low = sums(before, halves[0]);
            let high = sums(last_of(low), halves[1]);
            sum = last_of(high);
            let after = _mm256_set_m128(high, low);
            // Each sum, and the one before it.
            let order = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
            let moved = _mm256_permutevar8x32_ps(after, order);
            let before = _mm256_blend_ps::<1>(moved, _mm256_castps128_ps256(before));
            any_lost = _mm256_or_ps(any_lost, loses(before, numbers, after));
            continue;
        }
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
    let is_inexact = _mm_cvtsi128_si32(_mm_or_si128(rounded, _mm_castps_si128(lost))) != 0
        || _mm256_movemask_ps(any_lost) != 0;
    let flags = if is_inexact { Flags::INEXACT.0 } else { 0 };
    if DOUBLES {
        // An infinity or a NaN in between would still be there.
        return (bits & !(1 << 31) < f32::INFINITY.to_bits()).then_some((bits, flags));
    }
    let halves = _mm_cvtps_ph::<0>(sum);
    (_mm_cvtsi128_si32(greatest) as u32 <= MOST).then_some((_mm_cvtsi128_si32(halves) as u32 & 0xffff, flags))
}

/// A number and the first of four, that and the second, and so on.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn sums(first: __m128, numbers: __m128) -> __m128 {
    let [a, b, c, d] = in_lanes(numbers);
    let a = _mm_add_ss(first, a);
    let b = _mm_add_ss(a, b);
    let c = _mm_add_ss(b, c);
    let d = _mm_add_ss(c, d);
    _mm_movelh_ps(_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d))
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn last_of(numbers: __m128) -> __m128 {
    _mm_shuffle_ps::<3>(numbers, numbers)
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
#[inline(never)]
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
