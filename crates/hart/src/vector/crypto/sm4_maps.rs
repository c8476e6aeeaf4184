//! The maps of SM4 as a host has them that inverts bytes (GFNI) in another field than that of the S-box, which is the
//! same but for the names of its elements.

use super::sm4::affine;

/// A linear map of bytes: byte `i` is the image of bit `i`.
pub type Linear = [u8; 8];

/// x^8 + x^4 + x^3 + x + 1, the field that the host inverts in.
const HOST: u32 = 0x11b;
/// x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1.
const OWN: u32 = 0x1f5;
pub const CONSTANT: u8 = affine(0);
/// The affine map before the inversion, into the host's field; and the one after it, from there.
pub const BEFORE: Linear = after(TO_HOST, LINEAR);
pub const BEFORE_CONSTANT: i32 = image(TO_HOST, CONSTANT) as i32;
pub const AFTER: Linear = after(LINEAR, inverted(TO_HOST));
pub const SAME: Linear = [1, 2, 4, 8, 16, 32, 64, 128];

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

pub const fn product(a: u8, b: u8) -> u8 {
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

pub const fn image(map: Linear, byte: u8) -> u8 {
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

pub const fn inverted(map: Linear) -> Linear {
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
pub const fn rows(map: Linear) -> i64 {
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
pub const fn constant(is_key: bool) -> u8 {
    let (mut sum, mut number) = (0, 0);
    while number < 4 {
        sum ^= image(linear(is_key)[number], CONSTANT);
        number += 1;
    }
    sum
}

/// What follows an inversion, for two of the four maps, one for each half of a group: in a round and, with another map
/// after it, up to the next inversion.
pub const fn pair(is_key: bool, first: usize, last: Linear) -> [i64; 2] {
    let maps = linear(is_key);
    [rows(after(last, after(maps[first], AFTER))), rows(after(last, after(maps[first + 1], AFTER)))]
}

/// Each byte of a word from one so many before it: in the first half of each group, and in the second.
pub const fn rotated(halves: [usize; 2]) -> [u8; 32] {
    let (mut from, mut byte) = ([0; 32], 0);
    while byte < 32 {
        let place = byte % 16;
        from[byte] = (place & !3 | (place + 4 - halves[place / 8]) & 3) as u8;
        byte += 1;
    }
    from
}

/// A byte in those words of each group that have a bit here, and zeros.
pub const fn in_words(byte: u8, bits: u8) -> [u8; 32] {
    let (mut bytes, mut place) = ([0; 32], 0);
    while place < 32 {
        bytes[place] = if bits >> (place / 4 % 4) & 1 == 1 { byte } else { 0 };
        place += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::sm4::SBOX;
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
