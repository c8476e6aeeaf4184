//! Carry-less products by the host's own instruction: kernels of `vclmul` and `vclmulh`, and of multiplication in the field
//! of GHASH.

use super::kernel::Kernel;
use super::lanes::Lane;

/// True if the host has the instruction.
#[cfg(target_arch = "x86_64")]
pub fn available() -> bool {
    std::arch::is_x86_feature_detected!("pclmulqdq") && std::arch::is_x86_feature_detected!("avx2")
}

/// True if the host has the instruction.
#[cfg(not(target_arch = "x86_64"))]
pub const fn available() -> bool {
    false
}

/// The kernel of an operation whose second operand is a register group or not, if it is one of these and the host has the
/// instruction.
pub fn kernel(lane: Lane, is_group: bool) -> Option<Kernel> {
    let kernel: Kernel = match (lane, is_group) {
        (Lane::VCLMUL, true) => host::low::<false>,
        (Lane::VCLMUL, false) => host::low::<true>,
        (Lane::VCLMULH, true) => host::high::<false>,
        (Lane::VCLMULH, false) => host::high::<true>,
        _ => return None,
    };
    available().then_some(kernel)
}

/// The kernel of `vgmul`, or if it adds `vs1` to `vd` before, of `vghsh`, if the host has the instruction.
#[cfg(target_arch = "x86_64")]
pub fn ghash<const ADDS: bool>(_: u8) -> Option<Kernel> {
    let kernel: Kernel = if std::arch::is_x86_feature_detected!("vpclmulqdq") {
        pairs::ghash::<ADDS>
    } else {
        host::ghash::<ADDS>
    };
    available().then_some(kernel)
}

/// There is none.
#[cfg(not(target_arch = "x86_64"))]
pub const fn ghash<const ADDS: bool>(_: u8) -> Option<Kernel> {
    None
}

/// Multiplication in the field of GHASH, in registers of one block or several.
#[cfg(target_arch = "x86_64")]
macro_rules! multiplication {
    ($block:ident $features:literal $times:ident $xor:ident $or:ident
     $left:ident $right:ident $up:ident $down:ident) => {
        /// Product of each block modulo x^128 + x^7 + x^2 + x + 1, as [`crate::vector::crypto`] computes it in integer
        /// registers.
        #[inline]
        #[target_feature(enable = $features)]
        fn multiply(a: $block, b: $block) -> $block {
            let low = $times::<0x00>(a, b);
            let high = $times::<0x11>(a, b);
            let middle = $xor($times::<0x01>(a, b), $times::<0x10>(a, b));
            let low = $xor(low, $up::<8>(middle));
            let high = $xor(high, $down::<8>(middle));
            // The coefficient of x^254 is in bit 0: with one bit more, those from x^128 on are in the lower half.
            let (low_carry, high_carry) = ($right::<63>(low), $right::<63>(high));
            let high = $or($left::<1>(high), $up::<8>(high_carry));
            let high = $or(high, $down::<8>(low_carry));
            let low = $or($left::<1>(low), $up::<8>(low_carry));
            // x^128 is x^7 + x^2 + x + 1, and what that carries beyond x^127 once more.
            let low = $xor(low, $up::<8>(carried(low)));
            let times = sum($right::<1>(low), $right::<2>(low), $right::<7>(low));
            let times = $xor($xor(low, times), $down::<8>(carried(low)));
            $xor(high, times)
        }

        /// What shifts by 1, 2 and 7 to the right carry out of each half.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn carried(a: $block) -> $block {
            sum($left::<63>(a), $left::<62>(a), $left::<57>(a))
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        fn sum(a: $block, b: $block, c: $block) -> $block {
            $xor($xor(a, b), c)
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m128i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_or_si128, _mm_set_epi8, _mm_set_epi64x,
        _mm_setzero_si128, _mm_shuffle_epi8, _mm_slli_epi64, _mm_slli_si128, _mm_srli_epi64, _mm_srli_si128,
        _mm_unpackhi_epi64, _mm_xor_si128,
    };

    use super::super::host_block::{load, store};
    use super::super::kernel::{At, each};
    use crate::vector::VectorUnit;

    #[inline]
    #[target_feature(enable = "pclmulqdq,avx2")]
    fn product(a: u64, b: u64) -> u128 {
        let product = _mm_clmulepi64_si128::<0>(_mm_set_epi64x(0, a as i64), _mm_set_epi64x(0, b as i64));
        let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product));
        (high as u64 as u128) << 64 | _mm_cvtsi128_si64(product) as u64 as u128
    }

    #[target_feature(enable = "pclmulqdq,avx2")]
    pub extern "C" fn low<const SCALAR: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        let at = At { d, a, b, body, tail_end };
        each::<u64, SCALAR>(unit, at, |a, b, _| product(a, b) as u64);
        unit.fill_tail(at);
    }

    #[target_feature(enable = "pclmulqdq,avx2")]
    pub extern "C" fn high<const SCALAR: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        let at = At { d, a, b, body, tail_end };
        each::<u64, SCALAR>(unit, at, |a, b, _| (product(a, b) >> 64) as u64);
        unit.fill_tail(at);
    }

    #[target_feature(enable = "pclmulqdq,avx2")]
    pub extern "C" fn ghash<const ADDS: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        for offset in (0..body / 16).map(|block| 16 * block) {
            block::<ADDS>(&mut unit.registers, [d, a, b as usize].map(|group| group + offset));
        }
        unit.fill_tail(At { d, a, b, body, tail_end });
    }

    /// A block of `vd`, from those of `vs2` and `vs1`.
    #[inline]
    #[target_feature(enable = "pclmulqdq,avx2")]
    pub fn block<const ADDS: bool>(registers: &mut [u8], [d, a, b]: [usize; 3]) {
        let text = if ADDS { load(registers, b) } else { _mm_setzero_si128() };
        let hash = reversed(_mm_xor_si128(load(registers, d), text));
        let result = reversed(multiply(hash, reversed(load(registers, a))));
        store(registers, d, result);
    }

    /// The bytes of a block in the opposite order: bit `127 - i` becomes the coefficient of `x^i`, or the other way round.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn reversed(block: __m128i) -> __m128i {
        _mm_shuffle_epi8(block, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    }

    multiplication! {
        __m128i "pclmulqdq,avx2" _mm_clmulepi64_si128 _mm_xor_si128 _mm_or_si128
        _mm_slli_epi64 _mm_srli_epi64 _mm_slli_si128 _mm_srli_si128
    }
}

/// Multiplication in the field of GHASH of two blocks at a time, in registers of 256 bits.
#[cfg(target_arch = "x86_64")]
mod pairs {
    use std::arch::x86_64::{
        __m256i, _mm256_bslli_epi128, _mm256_bsrli_epi128, _mm256_clmulepi64_epi128, _mm256_or_si256,
        _mm256_set_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi64, _mm256_srli_epi64,
        _mm256_xor_si256,
    };

    use super::super::host_block::{load_two, store_two};
    use super::super::kernel::At;
    use super::host;
    use crate::vector::VectorUnit;

    #[target_feature(enable = "vpclmulqdq,pclmulqdq,avx2")]
    pub extern "C" fn ghash<const ADDS: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        let registers = &mut unit.registers[..];
        let groups = [d, a, b as usize];
        for offset in (0..body / 32).map(|pair| 32 * pair) {
            let [d, a, b] = groups.map(|group| group + offset);
            let text = if ADDS { load_two(registers, b) } else { _mm256_setzero_si256() };
            let hash = reversed(_mm256_xor_si256(load_two(registers, d), text));
            let result = reversed(multiply(hash, reversed(load_two(registers, a))));
            store_two(registers, d, result);
        }
        if !body.is_multiple_of(32) {
            host::block::<ADDS>(registers, groups.map(|group| group + body - 16));
        }
        unit.fill_tail(At { d, a, b, body, tail_end });
    }

    /// The bytes of each block in the opposite order.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn reversed(blocks: __m256i) -> __m256i {
        let order = _mm256_set_epi8(
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
            13, 14, 15,
        );
        _mm256_shuffle_epi8(blocks, order)
    }

    multiplication! {
        __m256i "vpclmulqdq,avx2" _mm256_clmulepi64_epi128 _mm256_xor_si256 _mm256_or_si256
        _mm256_slli_epi64 _mm256_srli_epi64 _mm256_bslli_epi128 _mm256_bsrli_epi128
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod host {
    use crate::vector::VectorUnit;

    macro_rules! absent {
        ($($name:ident $parameter:ident;)*) => {
            $(
                pub extern "C" fn $name<const $parameter: bool>(
                    _: &mut VectorUnit,
                    _: usize,
                    _: usize,
                    _: u64,
                    _: usize,
                    _: usize,
                ) {
                }
            )*
        };
    }

    absent! {
        low SCALAR;
        high SCALAR;
    }
}
