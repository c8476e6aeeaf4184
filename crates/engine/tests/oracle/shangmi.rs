//! Zksed and Zksh: SM4 (GB/T 32907-2016) and SM3 (GB/T 32905-2016). SM4's S-box is computed from its
//! algebraic form and its linear maps are the standard's, on big-endian words.

use super::{Operands, sign_extend_word};

pub(crate) fn compute(mnemonic: &str, o: Operands) -> Option<u64> {
    let (rs1, rs2) = o.words();
    let shamt = 8 * o.imm as u32;
    let substituted = || u32::from(sub((rs2 >> shamt) as u8));
    Some(sign_extend_word(match mnemonic {
        "sm4ed" => rs1 ^ on_big_endian(substituted(), linear).rotate_left(shamt),
        "sm4ks" => rs1 ^ on_big_endian(substituted(), key_linear).rotate_left(shamt),
        "sm3p0" => rs1 ^ rs1.rotate_left(9) ^ rs1.rotate_left(17),
        "sm3p1" => rs1 ^ rs1.rotate_left(15) ^ rs1.rotate_left(23),
        _ => return None,
    }))
}

fn on_big_endian(word: u32, map: fn(u32) -> u32) -> u32 {
    map(word.swap_bytes()).swap_bytes()
}

/// L of the round function.
fn linear(x: u32) -> u32 {
    x ^ x.rotate_left(2) ^ x.rotate_left(10) ^ x.rotate_left(18) ^ x.rotate_left(24)
}

/// L' of the key schedule.
fn key_linear(x: u32) -> u32 {
    x ^ x.rotate_left(13) ^ x.rotate_left(23)
}

/// S(x) = A·inverse(A·x + C) + C, with the inverse in GF(2^8) modulo x^8+x^7+x^6+x^5+x^4+x^2+1: the form
/// that Liu et al. found, "Analysis of the SMS4 Block Cipher", ACISP 2007.
pub(crate) fn sub(x: u8) -> u8 {
    let inverse_of = |x| (1..=255).find(|&y| gf_mul(x, y) == 1).unwrap_or(0);
    affine(inverse_of(affine(x)))
}

/// A·x + C with A circulant: bit i of A·x is the parity of x and 0xa7 rotated left by i; C = 0xd3.
fn affine(x: u8) -> u8 {
    (0..8).fold(0, |sum, row| {
        let parity = (0xa7u8.rotate_left(row) & x).count_ones() as u8 & 1;
        sum | parity << row
    }) ^ 0xd3
}

fn gf_mul(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = if a & 0x80 == 0 { a << 1 } else { a << 1 ^ 0xf5 };
        b >>= 1;
    }
    product
}
