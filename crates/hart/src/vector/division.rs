//! Division by the host's floating-point vectors: kernels of `vdiv`, `vdivu`, `vrem` and `vremu` for elements of at most 32
//! bits. The nearest number to a / b, truncated, is the integer quotient if numbers have more bits than `a`: a quotient that
//! is not an integer is at least 1 / b away from the next one, and is rounded by less.

use super::kernel::Kernel;
use super::lanes::Lane;

/// The kernel of an operation whose second operand is a register group or not on elements of a width (log2 of bytes), if
/// it is one of these. Undefined on a host without what [`super::kernel::available`] looks for.
#[cfg(target_arch = "x86_64")]
pub fn kernel(lane: Lane, is_group: bool, sew: u8) -> Option<Kernel> {
    match lane {
        Lane::VDIVU => host::kernel::<false, false>(is_group, sew),
        Lane::VDIV => host::kernel::<true, false>(is_group, sew),
        Lane::VREMU => host::kernel::<false, true>(is_group, sew),
        Lane::VREM => host::kernel::<true, true>(is_group, sew),
        _ => None,
    }
}

/// There is none.
#[cfg(not(target_arch = "x86_64"))]
pub const fn kernel(_: Lane, _: bool, _: u8) -> Option<Kernel> {
    None
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m128i, __m256d, __m256i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_ZERO, _mm_cmpeq_epi32, _mm_mullo_epi32,
        _mm_or_si128, _mm_setzero_si128, _mm_sub_epi32, _mm256_add_pd, _mm256_and_si256, _mm256_castpd_si256,
        _mm256_castsi128_si256, _mm256_castsi256_pd, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
        _mm256_cmpeq_epi32, _mm256_cmpgt_epi8, _mm256_cmpgt_epi16, _mm256_cvtepi16_epi32, _mm256_cvtepi32_pd,
        _mm256_cvtepi32_ps, _mm256_cvtepu16_epi32, _mm256_cvtepu32_epi64, _mm256_cvttps_epi32, _mm256_div_pd,
        _mm256_div_ps, _mm256_mul_ps, _mm256_mullo_epi16, _mm256_or_si256, _mm256_packs_epi32,
        _mm256_packus_epi16, _mm256_packus_epi32, _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32,
        _mm256_rcp_ps, _mm256_round_pd, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32,
        _mm256_set1_pd, _mm256_set1_ps, _mm256_setr_epi32, _mm256_setzero_si256, _mm256_sub_epi16,
        _mm256_sub_epi32, _mm256_sub_pd, _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpacklo_epi8,
        _mm256_unpacklo_epi16,
    };

    use crate::vector::VectorUnit;
    use crate::vector::element::Element;
    use crate::vector::host_block::{load, load_part, load_two, store, store_part, store_two};
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
        let scalar = load(&splat(E::truncate(b)), 0);
        let registers = &mut unit.registers[..];
        let whole = body - body % STEP;
        for offset in (0..whole).step_by(STEP) {
            let divisors = if SCALAR { scalar } else { load(registers, b as usize + offset) };
            let result = step::<E, SIGNED, REST>(load(registers, a + offset), divisors);
            store(registers, d + offset, result);
        }
        if whole < body {
            let of = |start: usize| load_part(&registers[start + whole..start + body]);
            let divisors = if SCALAR { scalar } else { of(b as usize) };
            let result = step::<E, SIGNED, REST>(of(a), divisors);
            store_part(&mut registers[d + whole..d + body], result);
        }
        unit.fill_tail(At { d, a, b, body, tail_end });
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
        let scalar = _mm256_set1_epi8(b as i8);
        let registers = &mut unit.registers[..];
        let pairs = body - body % (2 * STEP);
        for offset in (0..pairs).step_by(2 * STEP) {
            let divisors = if SCALAR { scalar } else { load_two(registers, b as usize + offset) };
            let result = of_bytes::<SIGNED, REST>(load_two(registers, a + offset), divisors);
            store_two(registers, d + offset, result);
        }
        for offset in (pairs..body).step_by(STEP) {
            let length = (body - offset).min(STEP);
            let of = |start: usize| _mm256_castsi128_si256(load_part(&registers[start + offset..][..length]));
            let divisors = if SCALAR { scalar } else { of(b as usize) };
            let result = _mm256_castsi256_si128(of_bytes::<SIGNED, REST>(of(a), divisors));
            store_part(&mut registers[d + offset..][..length], result);
        }
        unit.fill_tail(At { d, a, b, body, tail_end });
    }

    /// The quotients or remainders of bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of_bytes<const SIGNED: bool, const REST: bool>(a: __m256i, b: __m256i) -> __m256i {
        let (dividends, divisors) = (halves::<SIGNED>(a), halves::<SIGNED>(b));
        let low = sixteen::<SIGNED, REST>(dividends[0], divisors[0]);
        let high = sixteen::<SIGNED, REST>(dividends[1], divisors[1]);
        let bytes = _mm256_packus_epi16(low, high);
        if REST { bytes } else { _mm256_or_si256(bytes, _mm256_cmpeq_epi8(b, _mm256_setzero_si256())) }
    }

    /// Of integers of at most nine bits, the low bytes. The result of a quotient by zero is any.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn sixteen<const SIGNED: bool, const REST: bool>(a: __m256i, b: __m256i) -> __m256i {
        let (dividends, divisors) = (words::<SIGNED>(a), words::<SIGNED>(b));
        let quotients =
            _mm256_packs_epi32(quotients(dividends[0], divisors[0]), quotients(dividends[1], divisors[1]));
        let result = if REST { _mm256_sub_epi16(a, _mm256_mullo_epi16(quotients, b)) } else { quotients };
        _mm256_and_si256(result, _mm256_set1_epi16(0xff))
    }

    /// Of integers of at most nine bits. The host's estimate of 1 / b is off by less than 2^-11 of it: with 2^-10 more, a
    /// quotient is not below the right one, nor does it reach the next integer, which is further away than 2^-9 of it: at
    /// least 1 / |a|.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn quotients(a: __m256i, b: __m256i) -> __m256i {
        /// 1 + 2^-10.
        const GREATER: f32 = 1.0 + 1.0 / 1024.0;
        let a = _mm256_mul_ps(_mm256_cvtepi32_ps(a), _mm256_set1_ps(GREATER));
        _mm256_cvttps_epi32(_mm256_mul_ps(a, _mm256_rcp_ps(_mm256_cvtepi32_ps(b))))
    }

    /// Bytes as integers of 16 bits, in the order that packing them again takes them.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn halves<const SIGNED: bool>(bytes: __m256i) -> [__m256i; 2] {
        let zero = _mm256_setzero_si256();
        let above = if SIGNED { _mm256_cmpgt_epi8(zero, bytes) } else { zero };
        [_mm256_unpacklo_epi8(bytes, above), _mm256_unpackhi_epi8(bytes, above)]
    }

    /// The same of integers of 16 bits.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn words<const SIGNED: bool>(halves: __m256i) -> [__m256i; 2] {
        let zero = _mm256_setzero_si256();
        let above = if SIGNED { _mm256_cmpgt_epi16(zero, halves) } else { zero };
        [_mm256_unpacklo_epi16(halves, above), _mm256_unpackhi_epi16(halves, above)]
    }

    /// The quotients or remainders of the elements of a block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn step<E: Element, const SIGNED: bool, const REST: bool>(a: __m128i, b: __m128i) -> __m128i {
        match E::BYTES {
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
