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
        _mm_or_si128, _mm_setzero_si128, _mm_srli_si128, _mm_sub_epi32, _mm256_add_pd, _mm256_and_si256,
        _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_castsi256_si128, _mm256_cmpeq_epi32,
        _mm256_cvtepi8_epi32, _mm256_cvtepi16_epi32, _mm256_cvtepi32_pd, _mm256_cvtepi32_ps,
        _mm256_cvtepu8_epi32, _mm256_cvtepu16_epi32, _mm256_cvtepu32_epi64, _mm256_cvttps_epi32,
        _mm256_div_pd, _mm256_div_ps, _mm256_mullo_epi16, _mm256_or_si256, _mm256_packus_epi16,
        _mm256_packus_epi32, _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_round_pd,
        _mm256_set1_epi32, _mm256_set1_pd, _mm256_setr_epi32, _mm256_setzero_si256, _mm256_sub_epi32,
        _mm256_sub_pd,
    };

    use crate::vector::VectorUnit;
    use crate::vector::element::Element;
    use crate::vector::host_block::{load, load_part, store, store_part};
    use crate::vector::kernel::{At, Kernel};
    use crate::vector::steps::{STEP, splat};

    pub fn kernel<const SIGNED: bool, const REST: bool>(is_group: bool, sew: u8) -> Option<Kernel> {
        let of: [[Kernel; 2]; 3] = [
            [each::<u8, SIGNED, REST, true>, each::<u8, SIGNED, REST, false>],
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

    /// The quotients or remainders of the elements of a block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn step<E: Element, const SIGNED: bool, const REST: bool>(a: __m128i, b: __m128i) -> __m128i {
        match E::BYTES {
            1 => {
                let low = eight::<REST>(of_bytes::<SIGNED>(a), of_bytes::<SIGNED>(b));
                let (a, b) = (_mm_srli_si128::<8>(a), _mm_srli_si128::<8>(b));
                let high = eight::<REST>(of_bytes::<SIGNED>(a), of_bytes::<SIGNED>(b));
                let mask = _mm256_set1_epi32(0xff);
                let words = _mm256_packus_epi32(_mm256_and_si256(low, mask), _mm256_and_si256(high, mask));
                let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(words);
                let bytes = _mm256_packus_epi16(words, words);
                _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b11_01_10_00>(bytes))
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
    fn of_bytes<const SIGNED: bool>(block: __m128i) -> __m256i {
        if SIGNED { _mm256_cvtepi8_epi32(block) } else { _mm256_cvtepu8_epi32(block) }
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
