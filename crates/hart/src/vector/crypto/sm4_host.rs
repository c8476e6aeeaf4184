//! SM4 by the host's affine maps and inversions of bytes (GFNI): those of its S-box are in another field, which is the
//! same but for the names of its elements.

/// Kernels: of `vsm4r.vv`, of `vsm4r.vs` and of `vsm4k.vi`.
pub const ROUNDS: usize = 0;
pub const ROUNDS_OF_ONE_KEY: usize = 1;
pub const KEYS: usize = 2;

use super::super::kernel::Kernel;

/// One of these, if the host can execute it.
#[cfg(target_arch = "x86_64")]
pub fn kernel(number: usize) -> Option<Kernel> {
    let is_there = std::arch::is_x86_feature_detected!("gfni") && std::arch::is_x86_feature_detected!("avx2");
    is_there.then(|| host::KERNELS[number])
}

/// One of these, if the host can execute it.
#[cfg(not(target_arch = "x86_64"))]
pub const fn kernel(_: usize) -> Option<Kernel> {
    None
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m128i, _mm_castps_si128, _mm_castsi128_ps, _mm_gf2p8affine_epi64_epi8,
        _mm_gf2p8affineinv_epi64_epi8, _mm_or_si128, _mm_set1_epi64x, _mm_setr_epi8, _mm_shuffle_epi8,
        _mm_shuffle_epi32, _mm_shuffle_ps, _mm_slli_epi32, _mm_srli_epi32, _mm_unpackhi_epi32,
        _mm_unpacklo_epi32, _mm_unpacklo_epi64, _mm_xor_si128,
    };

    use super::super::super::host_block::{load, store};
    use super::super::super::kernel::{At, Kernel};
    use super::super::super::state::VectorUnit;
    use super::super::super::steps::one_by_one;
    use super::super::sm4::{affine, key_constants};
    use super::{KEYS, ROUNDS_OF_ONE_KEY};

    pub const KERNELS: [Kernel; 3] = [each::<0>, each::<ROUNDS_OF_ONE_KEY>, each::<KEYS>];

    /// A linear map of bytes: byte `i` is the image of bit `i`.
    type Linear = [u8; 8];

    const BLOCK: usize = 16;
    /// x^8 + x^4 + x^3 + x + 1, the field that the host inverts in.
    const HOST: u32 = 0x11b;
    /// x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1.
    const OWN: u32 = 0x1f5;
    const CONSTANT: u8 = affine(0);
    /// The affine map before the inversion, into the host's field; and the one after it, from there.
    const BEFORE: Linear = after(TO_HOST, LINEAR);
    const BEFORE_CONSTANT: i32 = image(TO_HOST, CONSTANT) as i32;
    const AFTER: Linear = after(LINEAR, inverted(TO_HOST));
    const AFTER_CONSTANT: i32 = CONSTANT as i32;

    /// The affine map of the S-box without its constant.
    const LINEAR: Linear = {
        let mut map = [0; 8];
        let mut bit = 0;
        while bit < 8 {
            map[bit] = affine(1 << bit) ^ CONSTANT;
            bit += 1;
        }
        map
    };

    /// The element of the host's field for each of SM4's: x is a root there of the polynomial of SM4's field.
    const TO_HOST: Linear = {
        let mut root = 2;
        while value_at(root) != 0 {
            root += 1;
        }
        powers(root)
    };

    /// An element of the host's field, from the 0th to the 7th power.
    const fn powers(element: u8) -> Linear {
        let mut powers = [1; 8];
        let mut number = 1;
        while number < 8 {
            powers[number] = product(powers[number - 1], element);
            number += 1;
        }
        powers
    }

    /// The polynomial of SM4's field at an element of the host's.
    const fn value_at(element: u8) -> u8 {
        let powers = powers(element);
        image(powers, OWN as u8) ^ product(powers[7], element)
    }

    const fn product(a: u8, b: u8) -> u8 {
        let (mut product, mut bit) = (0, 8);
        while bit > 0 {
            bit -= 1;
            product <<= 1;
            if product & 0x100 != 0 {
                product ^= HOST;
            }
            if b >> bit & 1 != 0 {
                product ^= a as u32;
            }
        }
        product as u8
    }

    const fn image(map: Linear, byte: u8) -> u8 {
        let (mut image, mut bit) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                image ^= map[bit];
            }
            bit += 1;
        }
        image
    }

    /// One map after another.
    const fn after(second: Linear, first: Linear) -> Linear {
        let (mut map, mut bit) = ([0; 8], 0);
        while bit < 8 {
            map[bit] = image(second, first[bit]);
            bit += 1;
        }
        map
    }

    const fn inverted(map: Linear) -> Linear {
        let (mut inverse, mut byte) = ([0; 8], 0);
        while byte < 0xff {
            byte += 1;
            let image = image(map, byte);
            if image.is_power_of_two() {
                inverse[image.trailing_zeros() as usize] = byte;
            }
        }
        inverse
    }

    /// A map as the host has it: its byte `7 - i` is a mask of the bits whose sum is bit `i`.
    const fn rows(map: Linear) -> i64 {
        let (mut rows, mut bit) = (0_u64, 0);
        while bit < 64 {
            let (row, column) = (bit / 8, bit % 8);
            rows |= ((map[column] >> row & 1) as u64) << (8 * (7 - row) + column);
            bit += 1;
        }
        rows as i64
    }

    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn substituted(bytes: __m128i) -> __m128i {
        let (before, after) = const { (rows(BEFORE), rows(AFTER)) };
        let element = _mm_gf2p8affine_epi64_epi8::<BEFORE_CONSTANT>(bytes, _mm_set1_epi64x(before));
        _mm_gf2p8affineinv_epi64_epi8::<AFTER_CONSTANT>(element, _mm_set1_epi64x(after))
    }

    /// Each word rotated to the left.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn rotated<const BY: i32, const BACK: i32>(words: __m128i) -> __m128i {
        const { assert!(BY + BACK == 32) };
        _mm_or_si128(_mm_slli_epi32::<BY>(words), _mm_srli_epi32::<BACK>(words))
    }

    /// The same by so many bytes.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn rotated_by_bytes<const BY: i8>(words: __m128i) -> __m128i {
        let from = const {
            let (mut from, mut byte) = ([0; 16], 0);
            while byte < 16 {
                from[byte] = byte as i8 & !3 | (byte as i8 - BY) & 3;
                byte += 1;
            }
            from
        };
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = from;
        _mm_shuffle_epi8(words, _mm_setr_epi8(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p))
    }

    /// The linear map of a round, or of a step of the key schedule.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn mixed<const IS_KEY: bool>(s: __m128i) -> __m128i {
        if IS_KEY {
            return xor(s, xor(rotated::<13, 19>(s), rotated::<23, 9>(s)));
        }
        let by_2 = rotated::<2, 30>(s);
        let others = xor(rotated_by_bytes::<1>(by_2), rotated_by_bytes::<2>(by_2));
        xor(xor(s, by_2), xor(rotated_by_bytes::<3>(s), others))
    }

    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn xor(a: __m128i, b: __m128i) -> __m128i {
        _mm_xor_si128(a, b)
    }

    /// The words of two groups by their numbers, as the first two of a register.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn by_number([a, b]: [__m128i; 2]) -> [__m128i; 4] {
        let (low, high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        [low, _mm_shuffle_epi32::<0b1110>(low), high, _mm_shuffle_epi32::<0b1110>(high)]
    }

    /// The groups of these words.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn by_group([x0, x1, x2, x3]: [__m128i; 4]) -> [__m128i; 2] {
        let low = _mm_castsi128_ps(_mm_unpacklo_epi64(x0, x1));
        let high = _mm_castsi128_ps(_mm_unpacklo_epi64(x2, x3));
        let even = _mm_shuffle_ps::<0b10_00_10_00>(low, high);
        let odd = _mm_shuffle_ps::<0b11_01_11_01>(low, high);
        [_mm_castps_si128(even), _mm_castps_si128(odd)]
    }

    /// Four rounds, or steps of the key schedule.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn four_steps<const IS_KEY: bool>(groups: [__m128i; 2], keys: [__m128i; 2]) -> [__m128i; 2] {
        let [mut x0, mut x1, mut x2, mut x3] = by_number(groups);
        for key in by_number(keys) {
            let sum = xor(xor(x1, key), xor(x2, x3));
            (x0, x1, x2, x3) = (x1, x2, x3, xor(x0, mixed::<IS_KEY>(substituted(sum))));
        }
        by_group([x0, x1, x2, x3])
    }

    /// Two groups, or one.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn two(unit: &VectorUnit, at: usize, has_two: bool) -> [__m128i; 2] {
        let first = load(&unit.registers, at);
        [first, if has_two { load(&unit.registers, at + BLOCK) } else { first }]
    }

    #[target_feature(enable = "gfni,avx2")]
    extern "C" fn each<const KIND: usize>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        let constants = if KIND == KEYS {
            let words = key_constants(b as u32 & 7);
            let mut bytes = [0; BLOCK];
            for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
            load(&bytes, 0)
        } else {
            load(&unit.registers, a)
        };
        for offset in (0..body).step_by(2 * BLOCK) {
            one_by_one();
            let has_two = offset + BLOCK < body;
            let vs2 = if KIND == ROUNDS_OF_ONE_KEY { [constants; 2] } else { two(unit, a + offset, has_two) };
            let [first, second] = if KIND == KEYS {
                four_steps::<true>(vs2, [constants; 2])
            } else {
                four_steps::<false>(two(unit, d + offset, has_two), vs2)
            };
            store(&mut unit.registers, d + offset, first);
            if has_two {
                store(&mut unit.registers, d + offset + BLOCK, second);
            }
        }
        unit.fill_tail(At { d, a, b, body, tail_end });
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::sm4::SBOX;
        use super::{AFTER, AFTER_CONSTANT, BEFORE, BEFORE_CONSTANT, image, product};

        #[test]
        fn the_inverse_in_the_hosts_field_between_two_maps_is_the_s_box() {
            for byte in 0..=u8::MAX {
                let element = image(BEFORE, byte) ^ BEFORE_CONSTANT as u8;
                let inverse = (0..=u8::MAX).find(|&other| product(element, other) == 1).unwrap_or(0);
                assert_eq!(
                    image(AFTER, inverse) ^ AFTER_CONSTANT as u8,
                    SBOX[usize::from(byte)],
                    "{byte:#x}"
                );
            }
        }
    }
}
