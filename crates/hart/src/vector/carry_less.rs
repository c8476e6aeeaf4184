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

/// x^7 + x^2 + x, with the coefficient of x^i in bit 64 - i.
#[cfg(target_arch = "x86_64")]
const POWERS: i64 = 0xc2 << 56;

/// Multiplication in the field of GHASH, in registers of one block or several.
#[cfg(target_arch = "x86_64")]
macro_rules! multiplication {
    ($block:ident $features:literal $times:ident $xor:ident $and:ident
     $left:ident $right:ident $sign:ident $shuffle:ident) => {
        /// A block of `vd`, from those of `vs2`, `vs1` and `vd`.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn step<const ADDS: bool>(subkey: $block, text: $block, hash: $block) -> $block {
            let hash = if ADDS { $xor(hash, text) } else { hash };
            reversed(multiply(reversed(hash), reversed(subkey)))
        }

        /// Product of each block modulo x^128 + x^7 + x^2 + x + 1, as [`crate::vector::crypto`] computes it in integer
        /// registers.
        #[inline]
        #[target_feature(enable = $features)]
        fn multiply(a: $block, b: $block) -> $block {
            // With the coefficient of x^i in bit 127 - i, a product has a factor x too many.
            let b = over_x(b);
            let (low, high) = ($times::<0x00>(a, b), $times::<0x11>(a, b));
            let middle = $times::<0x00>($xor(a, swapped(a)), $xor(b, swapped(b)));
            let middle = $xor(middle, $xor(low, high));
            // x^128 is x^7 + x^2 + x + 1: first times the lowest 64 bits, then times those above.
            let middle = $xor($xor(middle, swapped(low)), $times::<0x10>(low, powers()));
            $xor($xor(high, swapped(middle)), $times::<0x10>(middle, powers()))
        }

        /// Quotient of each block by x.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn over_x(a: $block) -> $block {
            // 1 / x, carried out at the top, is x^127 + x^6 + x + 1.
            let carried = swapped($right::<63>(a));
            let ones = $shuffle::<0b11_11_11_11>($sign::<31>(a));
            $xor($xor($left::<1>(a), carried), $and(ones, powers()))
        }

        /// The halves of each block, exchanged.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn swapped(a: $block) -> $block {
            $shuffle::<0b01_00_11_10>(a)
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi8, _mm_set_epi64x,
        _mm_shuffle_epi8, _mm_shuffle_epi32, _mm_slli_epi64, _mm_srai_epi32, _mm_srli_epi64,
        _mm_unpackhi_epi64, _mm_xor_si128,
    };

    use super::super::host_block::{each_one, operands};
    use super::super::kernel::{At, each};
    use super::POWERS;
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
        let at = At { d, a, b, body, tail_end };
        each_one(operands(unit, at, ADDS), |a, b, d| step::<ADDS>(a, b, d));
        unit.fill_tail(at);
    }

    /// The bytes of a block in the opposite order: bit `127 - i` becomes the coefficient of `x^i`, or the other way round.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn reversed(block: __m128i) -> __m128i {
        _mm_shuffle_epi8(block, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    }

    /// [`POWERS`] in the upper half.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn powers() -> __m128i {
        _mm_set_epi64x(POWERS, 0)
    }

    multiplication! {
        __m128i "pclmulqdq,avx2" _mm_clmulepi64_si128 _mm_xor_si128 _mm_and_si128
        _mm_slli_epi64 _mm_srli_epi64 _mm_srai_epi32 _mm_shuffle_epi32
    }
}

/// Multiplication in the field of GHASH of two blocks at a time, in registers of 256 bits.
#[cfg(target_arch = "x86_64")]
mod pairs {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_clmulepi64_epi128, _mm256_set_epi8, _mm256_set_epi64x,
        _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_slli_epi64, _mm256_srai_epi32, _mm256_srli_epi64,
        _mm256_xor_si256,
    };

    use super::super::host_block::{each_one, each_two, operands};
    use super::super::kernel::At;
    use super::{POWERS, host};
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
        let at = At { d, a, b, body, tail_end };
        let rest = each_two(operands(unit, at, ADDS), |a, b, d| step::<ADDS>(a, b, d));
        each_one(rest, |a, b, d| host::step::<ADDS>(a, b, d));
        unit.fill_tail(at);
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

    /// [`POWERS`] in the upper half of each block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn powers() -> __m256i {
        _mm256_set_epi64x(POWERS, 0, POWERS, 0)
    }

    multiplication! {
        __m256i "vpclmulqdq,avx2" _mm256_clmulepi64_epi128 _mm256_xor_si256 _mm256_and_si256
        _mm256_slli_epi64 _mm256_srli_epi64 _mm256_srai_epi32 _mm256_shuffle_epi32
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use isa::{Isa, Vlen};

    use super::super::VectorUnit;
    use super::super::kernel::Kernel;
    use super::{available, host, pairs};

    /// The bits of a block, that of x^0 at the top.
    fn block(registers: &[u8], at: usize) -> u128 {
        u128::from_be_bytes(registers[at..at + 16].try_into().expect("sixteen"))
    }

    /// The product of two blocks (NIST SP 800-38D, Algorithm 1).
    fn product(a: u128, mut b: u128) -> u128 {
        let mut sum = 0;
        for bit in (0..128).rev() {
            if a >> bit & 1 == 1 {
                sum ^= b;
            }
            b = b >> 1 ^ if b & 1 == 1 { 0xe1 << 120 } else { 0 };
        }
        sum
    }

    fn agree(name: &str, kernel: Kernel, adds: bool) {
        let mut unit = VectorUnit::new(&Isa::parse("rv64gcv", &[]).expect("it is one"));
        unit.set_vlen(Vlen::new(1024).expect("a power of two"));
        let mut state = 1u64;
        for round in 0..2000 {
            for bytes in unit.registers.as_chunks_mut::<16>().0 {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                let number =
                    u128::from(state ^ state >> 33).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
                let number = number ^ number >> 64;
                let edges = [1, 1 << 127, 0, u128::MAX, 1 << 63, 1 << 64, 0xe1 << 120, 1 << (state >> 57)];
                *bytes = if state >> 41 & 3 == 0 { edges[(state >> 43) as usize & 7] } else { number }
                    .to_le_bytes();
            }
            // Of all lengths, apart or the same.
            let body = 16 * (round % 8);
            let [d, a, b] = [[0, 160, 320], [160, 160, 320], [320, 160, 320], [0, 160, 160]][round / 8 % 4]
                .map(|at| at + 16);
            let before = unit.registers.clone();
            #[allow(unsafe_code, reason = "kernels need instructions that not every host has")]
            // SAFETY: the host has them.
            unsafe {
                kernel(&mut unit, d, a, b as u64, body, 0);
            }
            let mut wanted = before.clone();
            for offset in (0..body).step_by(16) {
                let [hash, subkey, text] = [d, a, b].map(|group| block(&before, group + offset));
                let value = product(hash ^ if adds { text } else { 0 }, subkey);
                wanted[d + offset..][..16].copy_from_slice(&value.to_be_bytes());
            }
            assert!(unit.registers == wanted, "{name}, round {round}");
        }
    }

    #[test]
    fn products_are_those_of_the_standard() {
        if !available() {
            return;
        }
        agree("vghsh", host::ghash::<true>, true);
        agree("vgmul", host::ghash::<false>, false);
        if std::arch::is_x86_feature_detected!("vpclmulqdq") {
            agree("vghsh, two blocks", pairs::ghash::<true>, true);
            agree("vgmul, two blocks", pairs::ghash::<false>, false);
        }
    }
}
