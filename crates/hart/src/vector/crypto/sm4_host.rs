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
        __m128i, __m256i, _mm_setr_epi32, _mm_setzero_si128, _mm256_blend_epi32, _mm256_broadcastsi128_si256,
        _mm256_bsrli_epi128, _mm256_castsi256_si128, _mm256_gf2p8affine_epi64_epi8,
        _mm256_gf2p8affineinv_epi64_epi8, _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_shuffle_epi8,
        _mm256_shuffle_epi32, _mm256_xor_si256,
    };

    use super::super::super::host_block::{each_one, each_two, load, load_two, operands};
    use super::super::super::kernel::{At, Kernel};
    use super::super::super::state::VectorUnit;
    use super::super::sm4::{KEY_CONSTANTS, affine};
    use super::{KEYS, ROUNDS_OF_ONE_KEY};

    pub const KERNELS: [Kernel; 3] = [each::<0>, each::<ROUNDS_OF_ONE_KEY>, each::<KEYS>];

    /// A linear map of bytes: byte `i` is the image of bit `i`.
    type Linear = [u8; 8];

    /// x^8 + x^4 + x^3 + x + 1, the field that the host inverts in.
    const HOST: u32 = 0x11b;
    /// x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1.
    const OWN: u32 = 0x1f5;
    const CONSTANT: u8 = affine(0);
    /// The affine map before the inversion, into the host's field; and the one after it, from there.
    const BEFORE: Linear = after(TO_HOST, LINEAR);
    const BEFORE_CONSTANT: i32 = image(TO_HOST, CONSTANT) as i32;
    const AFTER: Linear = after(LINEAR, inverted(TO_HOST));
    const SAME: Linear = [1, 2, 4, 8, 16, 32, 64, 128];

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

    /// A linear map of words, by bytes: byte `i` of the image is the sum of map `j` of byte `i - j` for all `j`.
    type OfWords = [Linear; 4];

    /// The sum of words rotated to the left by so many bits each.
    const fn rotations(by: &[usize]) -> OfWords {
        let (mut maps, mut number) = ([[0; 8]; 4], 0);
        while number < by.len() {
            let (bytes, bits) = (by[number] / 8, by[number] % 8);
            let mut bit = 0;
            while bit < 8 {
                let rotated = 1_u16 << bit << bits;
                maps[bytes][bit] ^= rotated as u8;
                maps[(bytes + 1) % 4][bit] ^= (rotated >> 8) as u8;
                bit += 1;
            }
            number += 1;
        }
        maps
    }

    /// The linear map of a round, or of a step of the key schedule.
    const fn linear(is_key: bool) -> OfWords {
        if is_key { rotations(&[0, 13, 23]) } else { rotations(&[0, 2, 10, 18, 24]) }
    }

    /// Its image of what the S-box adds to all bytes, which is the same in all bytes, too.
    const fn constant(is_key: bool) -> u8 {
        let (mut sum, mut number) = (0, 0);
        while number < 4 {
            sum ^= image(linear(is_key)[number], CONSTANT);
            number += 1;
        }
        sum
    }

    /// What follows an inversion, for two of the four maps, one for each half of a group: in a round and, with another map
    /// after it, up to the next inversion.
    const fn pair(is_key: bool, first: usize, last: Linear) -> [i64; 2] {
        let maps = linear(is_key);
        [rows(after(last, after(maps[first], AFTER))), rows(after(last, after(maps[first + 1], AFTER)))]
    }

    /// Each byte of a word from one so many before it: in the first half of each group, and in the second.
    const fn rotated(halves: [usize; 2]) -> [u8; 32] {
        let (mut from, mut byte) = ([0; 32], 0);
        while byte < 32 {
            let place = byte % 16;
            from[byte] = (place & !3 | (place + 4 - halves[place / 8]) & 3) as u8;
            byte += 1;
        }
        from
    }

    /// A byte in those words of each group that have a bit here, and zeros.
    const fn in_words(byte: u8, bits: u8) -> [u8; 32] {
        let (mut bytes, mut place) = ([0; 32], 0);
        while place < 32 {
            bytes[place] = if bits >> (place / 4 % 4) & 1 == 1 { byte } else { 0 };
            place += 1;
        }
        bytes
    }

    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn xor(a: __m256i, b: __m256i) -> __m256i {
        _mm256_xor_si256(a, b)
    }

    /// Twice the same in both halves of a group.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn in_groups([low, high]: [i64; 2]) -> __m256i {
        _mm256_setr_epi64x(low, high, low, high)
    }

    /// The two terms of a word's image, of which one is in the first half of each group and one in the second, from four
    /// copies of the word, with what follows the inversion for each of the two.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn halves(word: __m256i, [low, high]: [[i64; 2]; 2]) -> __m256i {
        let low = _mm256_gf2p8affineinv_epi64_epi8::<0>(word, in_groups(low));
        let high = _mm256_gf2p8affineinv_epi64_epi8::<0>(word, in_groups(high));
        let (by_01, by_23) = const { (rotated([0, 1]), rotated([2, 3])) };
        xor(_mm256_shuffle_epi8(low, load_two(&by_01, 0)), _mm256_shuffle_epi8(high, load_two(&by_23, 0)))
    }

    /// The halves of each group exchanged.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn exchanged(halves: __m256i) -> __m256i {
        _mm256_shuffle_epi32::<0b01_00_11_10>(halves)
    }

    /// The sum that is inverted after a given one, and how it differs from the rest of it, which is known before.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn step<const IS_KEY: bool>(sum: __m256i, rest: __m256i) -> (__m256i, __m256i) {
        let terms = halves(sum, const { [pair(IS_KEY, 0, BEFORE), pair(IS_KEY, 2, BEFORE)] });
        let next = xor(xor(terms, rest), exchanged(terms));
        (next, xor(next, rest))
    }

    /// Four rounds of two groups, or steps of the key schedule.
    ///
    /// The new words are `x_i ^ f_i` with `f_i` from an inversion of the sum of `k_i`, of the old words but `x_i`, and of
    /// the `f` before. So that there is but one instruction between an inversion and the next, sums are images under the
    /// affine map before an inversion, and so are all `f` but the last. A sum is in all four words of its group.
    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn four_steps<const IS_KEY: bool>(words: __m256i, keys: __m256i) -> __m256i {
        let others = xor(
            xor(_mm256_shuffle_epi32::<0b00_11_10_01>(words), _mm256_shuffle_epi32::<0b10_01_00_11>(words)),
            _mm256_shuffle_epi32::<0b01_00_11_10>(words),
        );
        let before = _mm256_set1_epi64x(const { rows(BEFORE) });
        let known = _mm256_gf2p8affine_epi64_epi8::<BEFORE_CONSTANT>(xor(others, keys), before);
        let sum = _mm256_shuffle_epi32::<0b00_00_00_00>(known);
        // What every `f` lacks, which are sums of linear maps alone, cancels out after two.
        let lacking = const { in_words(image(BEFORE, constant(IS_KEY)), 0b1010) };
        let known = xor(known, load_two(&lacking, 0));
        let changes = xor(known, _mm256_bsrli_epi128::<4>(known));

        let (sum, f_0) = step::<IS_KEY>(sum, _mm256_shuffle_epi32::<0b01_01_01_01>(known));
        let (sum, f_1) = step::<IS_KEY>(sum, xor(sum, _mm256_shuffle_epi32::<0b01_01_01_01>(changes)));
        let (sum, f_2) = step::<IS_KEY>(sum, xor(sum, _mm256_shuffle_epi32::<0b10_10_10_10>(changes)));
        let at_last = const { [pair(IS_KEY, 0, SAME), pair(IS_KEY, 2, SAME)] };
        let terms = halves(sum, at_last);
        let f_3 = xor(terms, exchanged(terms));

        let back = _mm256_set1_epi64x(const { rows(inverted(BEFORE)) });
        let first = _mm256_blend_epi32::<0b1100_1100>(_mm256_blend_epi32::<0b1010_1010>(f_0, f_1), f_2);
        let all = _mm256_blend_epi32::<0b1000_1000>(_mm256_gf2p8affine_epi64_epi8::<0>(first, back), f_3);
        let lacking = const { in_words(constant(IS_KEY), 0b1111) };
        xor(xor(words, load_two(&lacking, 0)), all)
    }

    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn words([a, b, c, d]: [u32; 4]) -> __m128i {
        _mm_setr_epi32(a as i32, b as i32, c as i32, d as i32)
    }

    #[inline]
    #[target_feature(enable = "gfni,avx2")]
    fn twice(group: __m128i) -> __m256i {
        _mm256_broadcastsi128_si256(group)
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
        let at = At { d, a: if KIND == ROUNDS_OF_ONE_KEY { d } else { a }, b, body, tail_end };
        let one = twice(match KIND {
            ROUNDS_OF_ONE_KEY => load(&unit.registers, a),
            KEYS => words(KEY_CONSTANTS[b as usize & 7]),
            _ => _mm_setzero_si128(),
        });
        let step = |a, d| match KIND {
            ROUNDS_OF_ONE_KEY => four_steps::<false>(d, one),
            KEYS => four_steps::<true>(a, one),
            _ => four_steps::<false>(d, a),
        };
        let rest = each_two(operands(unit, at, false), |a, _, d| step(a, d));
        each_one(rest, |a, _, d| _mm256_castsi256_si128(step(twice(a), twice(d))));
        unit.fill_tail(at);
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::sm4::SBOX;
        use super::{AFTER, BEFORE, BEFORE_CONSTANT, CONSTANT, image, product};

        #[test]
        fn the_inverse_in_the_hosts_field_between_two_maps_is_the_s_box() {
            for byte in 0..=u8::MAX {
                let element = image(BEFORE, byte) ^ BEFORE_CONSTANT as u8;
                let inverse = (0..=u8::MAX).find(|&other| product(element, other) == 1).unwrap_or(0);
                assert_eq!(image(AFTER, inverse) ^ CONSTANT, SBOX[usize::from(byte)], "{byte:#x}");
            }
        }
    }
}
