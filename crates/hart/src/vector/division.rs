//! Division by the host's floating-point vectors: kernels of `vdiv`, `vdivu`, `vrem` and `vremu` for elements of at most 32
//! bits. The nearest number to a / b, truncated, is the integer quotient if numbers have more bits than `a`: a quotient that
//! is not an integer is at least 1 / b away from the next one, and is rounded by less.

use super::kernel::Kernel;
use super::lanes::Lane;
#[cfg(target_arch = "x86_64")]
use super::quotients;

/// The kernel of an operation whose second operand is a register group or not on elements of a width (log2 of bytes), if
/// it is one of these and the host can execute it. Undefined on a host without what [`super::kernel::available`] looks for.
#[cfg(target_arch = "x86_64")]
pub fn kernel(lane: Lane, is_group: bool, sew: u8) -> Option<Kernel> {
    match lane {
        Lane::VDIVU => of_width::<false, false>(is_group, sew),
        Lane::VDIV => of_width::<true, false>(is_group, sew),
        Lane::VREMU => of_width::<false, true>(is_group, sew),
        Lane::VREM => of_width::<true, true>(is_group, sew),
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
fn of_width<const SIGNED: bool, const REST: bool>(is_group: bool, sew: u8) -> Option<Kernel> {
    if sew == 3 {
        quotients::kernel::<SIGNED, REST>(is_group, false)
    } else {
        host::kernel::<SIGNED, REST>(is_group, sew)
    }
}

/// The same of a masked instruction, if it leaves alone what is masked off.
#[cfg(target_arch = "x86_64")]
pub fn masked_kernel(lane: Lane, is_group: bool, sew: u8) -> Option<Kernel> {
    match lane {
        _ if sew != 3 => None,
        Lane::VDIVU => quotients::kernel::<false, false>(is_group, true),
        Lane::VDIV => quotients::kernel::<true, false>(is_group, true),
        Lane::VREMU => quotients::kernel::<false, true>(is_group, true),
        Lane::VREM => quotients::kernel::<true, true>(is_group, true),
        _ => None,
    }
}

/// There is none.
#[cfg(not(target_arch = "x86_64"))]
pub const fn kernel(_: Lane, _: bool, _: u8) -> Option<Kernel> {
    None
}

/// There is none.
#[cfg(not(target_arch = "x86_64"))]
pub const fn masked_kernel(_: Lane, _: bool, _: u8) -> Option<Kernel> {
    None
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m128i, __m256d, __m256i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_ZERO, _mm_cmpeq_epi32, _mm_mullo_epi32,
        _mm_or_si128, _mm_setzero_si128, _mm_sub_epi32, _mm256_abs_epi8, _mm256_add_pd, _mm256_and_si256,
        _mm256_andnot_si256, _mm256_blendv_epi8, _mm256_castpd_si256, _mm256_castsi128_si256,
        _mm256_castsi256_pd, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
        _mm256_cmpeq_epi32, _mm256_cvtepi16_epi32, _mm256_cvtepi32_pd, _mm256_cvtepi32_ps,
        _mm256_cvtepu16_epi32, _mm256_cvtepu32_epi64, _mm256_cvtps_epi32, _mm256_cvttps_epi32, _mm256_div_pd,
        _mm256_div_ps, _mm256_mulhi_epu16, _mm256_mullo_epi16, _mm256_or_si256, _mm256_packus_epi32,
        _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_rcp_ps, _mm256_round_pd,
        _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_pd, _mm256_set1_ps,
        _mm256_setr_epi32, _mm256_setzero_si256, _mm256_sign_epi8, _mm256_slli_epi16, _mm256_srli_epi16,
        _mm256_sub_epi8, _mm256_sub_epi32, _mm256_sub_pd, _mm256_sub_ps, _mm256_unpackhi_epi16,
        _mm256_unpacklo_epi16, _mm256_xor_si256,
    };
    use std::hint::black_box;

    use crate::vector::VectorUnit;
    use crate::vector::element::Element;
    use crate::vector::host_block::{each_one, each_two, load, load_part, operands, store_part};
    use crate::vector::kernel::{At, Kernel};
    use crate::vector::steps::{STEP, splat};

    pub fn kernel<const SIGNED: bool, const REST: bool>(is_group: bool, sew: u8) -> Option<Kernel> {
        let of: [[Kernel; 2]; 3] = [
            [bytes::<SIGNED, REST, true>, bytes::<SIGNED, REST, false>],
            [each::<u16, SIGNED, REST, true>, each::<u16, SIGNED, REST, false>],
            [each::<u32, SIGNED, REST, true>, each::<u32, SIGNED, REST, false>],
        ];
        of.get(usize::from(sew)).map(|kernels| kernels[usize::from(is_group)])
    }

    #[target_feature(enable = "avx2")]
    extern "C" fn each<E: Element, const SIGNED: bool, const REST: bool, const SCALAR: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        if !body.is_multiple_of(STEP) {
            return partly::<E, SIGNED, REST, SCALAR>(unit, d, a, b, body, tail_end);
        }
        let at = At { d, a, b, body, tail_end };
        let scalar = load(&splat(E::truncate(b)), 0);
        each_one(operands(unit, at, !SCALAR), |a, b, _| {
            step::<E, SIGNED, REST>(a, if SCALAR { scalar } else { b })
        });
        unit.fill_tail(at);
    }

    /// The same of a body that ends within a block. Apart, because it takes more of the host's registers.
    #[inline(never)]
    #[target_feature(enable = "avx2")]
    extern "C" fn partly<E: Element, const SIGNED: bool, const REST: bool, const SCALAR: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        let at = At { d, a, b, body, tail_end };
        let scalar = load(&splat(E::truncate(b)), 0);
        let [d, a, b] = each_one(operands(unit, at, !SCALAR), |a, b, _| {
            step::<E, SIGNED, REST>(a, if SCALAR { scalar } else { b })
        });
        let divisors = if SCALAR { scalar } else { load_part(b) };
        store_part(d, step::<E, SIGNED, REST>(load_part(a), divisors));
        unit.fill_tail(at);
    }

    /// Bytes, two blocks at a time.
    #[target_feature(enable = "avx2")]
    extern "C" fn bytes<const SIGNED: bool, const REST: bool, const SCALAR: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        if !body.is_multiple_of(STEP) {
            return partly::<u8, SIGNED, REST, SCALAR>(unit, d, a, b, body, tail_end);
        }
        let at = At { d, a, b, body, tail_end };
        let scalar = _mm256_set1_epi8(b as i8);
        let reciprocal = RECIPROCALS[usize::from(if SIGNED { (b as i8).unsigned_abs() } else { b as u8 })];
        let of_bytes = |a, b| {
            if !SCALAR {
                return of_bytes::<SIGNED, REST>(a, b, None);
            }
            // Compilers are not to know that it is always the same: they would extend it beforehand, and then multiply
            // numbers of twice the width.
            let reciprocals = _mm256_set1_epi16(black_box(reciprocal) as i16);
            of_bytes::<SIGNED, REST>(a, scalar, Some(reciprocals))
        };
        let rest = each_two(operands(unit, at, !SCALAR), |a, b, _| of_bytes(a, b));
        each_one(rest, |a, b, _| {
            _mm256_castsi256_si128(of_bytes(_mm256_castsi128_si256(a), _mm256_castsi128_si256(b)))
        });
        unit.fill_tail(at);
    }

    /// What 2^17 / b is nearest to, or the largest number; of 0, any.
    const RECIPROCALS: [u16; 256] = {
        let mut table = [0; 256];
        let mut b = 1;
        while b < table.len() {
            let nearest = ((1 << 17) + b / 2) / b;
            table[b] = if nearest < 1 << 16 { nearest as u16 } else { u16::MAX };
            b += 1;
        }
        table
    };

    /// The quotients or remainders of bytes; `reciprocals` as [`reciprocals`] has them, if they are known.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of_bytes<const SIGNED: bool, const REST: bool>(
        a: __m256i,
        b: __m256i,
        reciprocals: Option<__m256i>,
    ) -> __m256i {
        if !SIGNED {
            return unsigned::<REST>(a, b, reciprocals);
        }
        let result = unsigned::<REST>(_mm256_abs_epi8(a), _mm256_abs_epi8(b), reciprocals);
        if REST {
            return _mm256_sign_epi8(result, a);
        }
        let sign = _mm256_or_si256(_mm256_xor_si256(a, b), _mm256_set1_epi8(1));
        let by_zero = _mm256_cmpeq_epi8(b, _mm256_setzero_si256());
        _mm256_or_si256(_mm256_sign_epi8(result, sign), by_zero)
    }

    /// Of a byte, (a + 1/2) / b is at least 1 / 2b away from any integer: so far that 2^17 / b, as an integer of 16 bits,
    /// may be off by 2^-11 of it before that is rounded. Only for 0 and 1 there is no such integer.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn unsigned<const REST: bool>(a: __m256i, b: __m256i, known: Option<__m256i>) -> __m256i {
        let (half, upper) = (_mm256_set1_epi16(0x80), _mm256_set1_epi16(-0x100));
        // Of each pair of bytes, the lower and the upper one.
        let (even, odd) = (_mm256_andnot_si256(upper, b), _mm256_srli_epi16::<8>(b));
        let low = _mm256_or_si256(_mm256_slli_epi16::<8>(a), half);
        let high = _mm256_or_si256(_mm256_and_si256(a, upper), half);
        let low = _mm256_mulhi_epu16(low, known.unwrap_or_else(|| reciprocals(even)));
        let high = _mm256_mulhi_epu16(high, known.unwrap_or_else(|| reciprocals(odd)));
        // Multiplied by 2^9.
        let (low, high) = (_mm256_srli_epi16::<9>(low), _mm256_srli_epi16::<1>(high));
        let by_one = _mm256_cmpeq_epi8(b, _mm256_set1_epi8(1));
        if REST {
            let high = _mm256_mullo_epi16(_mm256_and_si256(high, upper), odd);
            let product = _mm256_or_si256(_mm256_mullo_epi16(low, even), high);
            _mm256_andnot_si256(by_one, _mm256_sub_epi8(a, product))
        } else {
            let quotients = _mm256_blendv_epi8(_mm256_blendv_epi8(low, high, upper), a, by_one);
            _mm256_or_si256(quotients, _mm256_cmpeq_epi8(b, _mm256_setzero_si256()))
        }
    }

    /// The host's estimates of 2^17 / b, off by less than 2^-11 of it; of 0, there are zeros.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn reciprocals(b: __m256i) -> __m256i {
        /// The upper half of a number whose last bit has the weight 2^-17.
        const UNIT: f32 = (1 << 6) as f32;
        let unit = _mm256_set1_epi16((UNIT.to_bits() >> 16) as i16);
        let estimate = |number| {
            let scaled = _mm256_sub_ps(_mm256_castsi256_ps(number), _mm256_set1_ps(UNIT));
            _mm256_cvtps_epi32(_mm256_rcp_ps(scaled))
        };
        let (low, high) = (_mm256_unpacklo_epi16(b, unit), _mm256_unpackhi_epi16(b, unit));
        _mm256_packus_epi32(estimate(low), estimate(high))
    }

    /// The quotients or remainders of the elements of a block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn step<E: Element, const SIGNED: bool, const REST: bool>(a: __m128i, b: __m128i) -> __m128i {
        match E::BYTES {
            1 => {
                let (a, b) = (_mm256_castsi128_si256(a), _mm256_castsi128_si256(b));
                _mm256_castsi256_si128(of_bytes::<SIGNED, REST>(a, b, None))
            }
            2 => {
                let words = eight::<REST>(of_halves::<SIGNED>(a), of_halves::<SIGNED>(b));
                let words = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
                let halves = _mm256_packus_epi32(words, words);
                _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b11_01_10_00>(halves))
            }
            _ => four::<SIGNED, REST>(a, b),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn of_halves<const SIGNED: bool>(block: __m128i) -> __m256i {
        if SIGNED { _mm256_cvtepi16_epi32(block) } else { _mm256_cvtepu16_epi32(block) }
    }

    /// Of integers of at most 17 bits, in single precision; the low bits count.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn eight<const REST: bool>(a: __m256i, b: __m256i) -> __m256i {
        let quotient = _mm256_div_ps(_mm256_cvtepi32_ps(a), _mm256_cvtepi32_ps(b));
        let by_zero = _mm256_cmpeq_epi32(b, _mm256_setzero_si256());
        let quotient = _mm256_or_si256(_mm256_cvttps_epi32(quotient), by_zero);
        if REST { _mm256_sub_epi32(a, _mm256_mullo_epi16(quotient, b)) } else { quotient }
    }

    /// Of words, in double precision.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn four<const SIGNED: bool, const REST: bool>(a: __m128i, b: __m128i) -> __m128i {
        /// Its last bit has the weight 1: a sum with it is an integer in its lower bits.
        const UNIT: f64 = 1.5 * (1u64 << 52) as f64;
        let quotient = _mm256_div_pd(numbers::<SIGNED>(a), numbers::<SIGNED>(b));
        let integer = _mm256_round_pd::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(quotient);
        let sum = _mm256_castpd_si256(_mm256_add_pd(integer, _mm256_set1_pd(UNIT)));
        let even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
        let words = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(sum, even));
        let words = _mm_or_si128(words, _mm_cmpeq_epi32(b, _mm_setzero_si128()));
        if REST { _mm_sub_epi32(a, _mm_mullo_epi32(words, b)) } else { words }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn numbers<const SIGNED: bool>(words: __m128i) -> __m256d {
        /// Its last bit has the weight 1, and all of its lower bits are zero.
        const UNIT: f64 = (1u64 << 52) as f64;
        if SIGNED {
            _mm256_cvtepi32_pd(words)
        } else {
            let unit = _mm256_set1_pd(UNIT);
            let sum = _mm256_or_si256(_mm256_cvtepu32_epi64(words), _mm256_castpd_si256(unit));
            _mm256_sub_pd(_mm256_castsi256_pd(sum), unit)
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::arch::x86_64::_mm256_set1_epi16;

    use isa::{Isa, Vlen};

    use super::super::host_block::{load_two, store_two};
    use super::super::lanes::Lane;
    use super::super::{VectorUnit, kernel};

    const LANES: [Lane; 4] = [Lane::VDIVU, Lane::VDIV, Lane::VREMU, Lane::VREM];

    fn unit() -> VectorUnit {
        let mut unit = VectorUnit::new(&Isa::parse("rv64gcv", &[]).expect("it is one"));
        unit.set_vlen(Vlen::new(65536).expect("a power of two"));
        unit
    }

    /// What an instruction makes of two bytes ("M" Extension, "Division Operations").
    fn expected(lane: Lane, a: u8, b: u8) -> u8 {
        let (signed_a, signed_b) = (a as i8, b as i8);
        match lane {
            Lane::VDIVU => a.checked_div(b).unwrap_or(u8::MAX),
            Lane::VREMU => a.checked_rem(b).unwrap_or(a),
            Lane::VDIV if b != 0 => signed_a.wrapping_div(signed_b) as u8,
            Lane::VDIV => u8::MAX,
            _ if b != 0 => signed_a.wrapping_rem(signed_b) as u8,
            _ => a,
        }
    }

    #[allow(unsafe_code, reason = "kernels need instructions that not every host has")]
    fn run(unit: &mut VectorUnit, lane: Lane, is_group: bool, [d, a, b]: [usize; 3], body: usize) {
        let kernel = super::kernel(lane, is_group, 0).expect("there is one");
        // SAFETY: the host has them, see below.
        unsafe { kernel(unit, d, a, b as u64, body, 0) };
    }

    #[test]
    fn kernels_divide_all_pairs_of_bytes_in_bodies_of_all_lengths() {
        if !kernel::available() {
            return;
        }
        const PAIRS: usize = 1 << 16;
        let mut unit = unit();
        for lane in LANES {
            for pair in 0..PAIRS {
                unit.registers[PAIRS + pair] = (pair >> 8) as u8;
                unit.registers[2 * PAIRS + pair] = pair as u8;
            }
            let wanted = |pair: usize| expected(lane, (pair >> 8) as u8, pair as u8);
            run(&mut unit, lane, true, [0, PAIRS, 2 * PAIRS], PAIRS);
            for pair in 0..PAIRS {
                assert_eq!(unit.registers[pair], wanted(pair), "{lane:?} of {pair:#06x}");
            }
            for body in 0..=100 {
                // From where dividends change, to the dividends' own place.
                let (start, before) = (0x1234 + 0x100 * body, unit.registers.clone());
                run(&mut unit, lane, true, [PAIRS + start, PAIRS + start, 2 * PAIRS + start], body);
                for pair in start..start + body {
                    assert_eq!(unit.registers[PAIRS + pair], wanted(pair), "{lane:?}, {body} bytes");
                    unit.registers[PAIRS + pair] = before[PAIRS + pair];
                }
                assert!(unit.registers == before, "{lane:?}, {body} bytes, changes others");
            }
            for (b, body) in (0..=255).zip((240..=256).cycle()) {
                for pair in 0..256 {
                    unit.registers[PAIRS + pair] = pair as u8;
                }
                run(&mut unit, lane, false, [0, PAIRS, 0xab00 + b], body);
                for a in 0..body {
                    assert_eq!(
                        unit.registers[a],
                        expected(lane, a as u8, b as u8),
                        "{lane:?} of {a} and {b}"
                    );
                }
            }
        }
    }

    /// Other hosts estimate otherwise.
    #[test]
    fn reciprocals_may_be_off_by_as_much_as_estimates_are() {
        #[target_feature(enable = "avx2")]
        fn quotients(operands: &[u8; 64], reciprocal: u16) -> [u8; 32] {
            let (a, b) = (load_two(operands, 0), load_two(operands, 32));
            let mut bytes = [0; 32];
            let known = _mm256_set1_epi16(reciprocal as i16);
            store_two(&mut bytes, 0, super::host::unsigned::<false>(a, b, Some(known)));
            bytes
        }
        if !kernel::available() {
            return;
        }
        for b in 2..=255u8 {
            let exact = f64::from(1 << 17) / f64::from(b);
            let [least, most] = [-1.0, 1.0].map(|sign| (exact * (1.0 + sign / 2048.0)).round() as u32);
            for reciprocal in least..=most {
                for first in (0..=255u8).step_by(32) {
                    let operands =
                        std::array::from_fn(|index| if index < 32 { first + index as u8 } else { b });
                    #[allow(unsafe_code, reason = "it needs instructions that not every host has")]
                    // SAFETY: the host has them.
                    let found = unsafe { quotients(&operands, reciprocal.min(0xffff) as u16) };
                    for (a, quotient) in (first..=255).zip(found) {
                        assert_eq!(quotient, a / b, "{a} / {b} by {reciprocal}");
                    }
                }
            }
        }
    }
}
