//! FIPS 197: the cipher example of appendix B, the equivalent inverse cipher, and the AES-256 key
//! expansion of appendix A.3.

use super::{rv32, rv64};

const KEY: [u8; 16] = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
const PLAINTEXT: [u8; 16] = 0x3243f6a8885a308d313198a2e0370734_u128.to_be_bytes();
const CIPHERTEXT: [u8; 16] = 0x3925841d02dc09fbdc118597196a0b32_u128.to_be_bytes();

type State64 = [u64; 2];

fn load64(bytes: [u8; 16]) -> State64 {
    let value = u128::from_le_bytes(bytes);
    [value as u64, (value >> 64) as u64]
}

fn store64(state: State64) -> [u8; 16] {
    (u128::from(state[1]) << 64 | u128::from(state[0])).to_le_bytes()
}

fn expand_128(key: [u8; 16]) -> Vec<State64> {
    let mut keys = vec![load64(key)];
    for round in 0..10 {
        let [low, high] = keys[round as usize];
        let next = rv64("aes64ks2", rv64("aes64ks1i", high, 0, round), low, 0);
        keys.push([next, rv64("aes64ks2", next, high, 0)]);
    }
    keys
}

fn round64(mnemonic: &str, [low, high]: State64, key: State64) -> State64 {
    [rv64(mnemonic, low, high, 0) ^ key[0], rv64(mnemonic, high, low, 0) ^ key[1]]
}

#[test]
fn rv64_encrypts_the_example_of_appendix_b() {
    let keys = expand_128(KEY);
    let [low, high] = load64(PLAINTEXT);
    let mut state = [low ^ keys[0][0], high ^ keys[0][1]];
    for &key in &keys[1..10] {
        state = round64("aes64esm", state, key);
    }
    assert_eq!(store64(round64("aes64es", state, keys[10])), CIPHERTEXT);
}

#[test]
fn rv64_decrypts_the_example_of_appendix_b() {
    let keys = expand_128(KEY);
    let [low, high] = load64(CIPHERTEXT);
    let mut state = [low ^ keys[10][0], high ^ keys[10][1]];
    for key in keys[1..10].iter().rev() {
        state = round64("aes64dsm", state, key.map(|half| rv64("aes64im", half, 0, 0)));
    }
    assert_eq!(store64(round64("aes64ds", state, keys[0])), PLAINTEXT);
}

/// Columns of a state as RV32 registers.
fn columns([low, high]: State64) -> [u32; 4] {
    [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
}

/// A round on columns; byte k of the new column c comes from column c + k or, inverted, c - k.
fn round32(mnemonic: &str, state: [u32; 4], key: [u32; 4], inverse: bool) -> [u32; 4] {
    std::array::from_fn(|c| {
        (0..4).fold(key[c], |sum, k| {
            let from = if inverse { c + 4 - k } else { c + k } % 4;
            rv32(mnemonic, sum, state[from], k as u64)
        })
    })
}

#[test]
fn rv32_encrypts_and_decrypts_the_example_of_appendix_b() {
    let keys: Vec<_> = expand_128(KEY).into_iter().map(columns).collect();
    let xor = |a: [u32; 4], b: [u32; 4]| std::array::from_fn(|i| a[i] ^ b[i]);

    let mut state = xor(columns(load64(PLAINTEXT)), keys[0]);
    for &key in &keys[1..10] {
        state = round32("aes32esmi", state, key, false);
    }
    let ciphertext = round32("aes32esi", state, keys[10], false);
    assert_eq!(ciphertext, columns(load64(CIPHERTEXT)));

    let mut state = xor(ciphertext, keys[10]);
    for key in keys[1..10].iter().rev() {
        // InvMixColumns alone: substitute forwards, then mix what the inverse substitution gives back.
        let mixed = key.map(|column| {
            (0..4).fold(0, |sum, bs| {
                let substituted = rv32("aes32esi", 0, column, bs);
                rv32("aes32dsmi", sum, substituted, bs)
            })
        });
        state = round32("aes32dsmi", state, mixed, true);
    }
    assert_eq!(round32("aes32dsi", state, keys[0], true), columns(load64(PLAINTEXT)));
}

#[test]
fn rv64_expands_the_256_bit_key_of_appendix_a3() {
    let key: [u8; 32] = [
        0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81, 0x1f,
        0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4,
    ];
    let double = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| key[8 * i + k]));
    let [mut k0, mut k1, mut k2, mut k3] = std::array::from_fn(double);
    for round in 0..7 {
        k0 = rv64("aes64ks2", rv64("aes64ks1i", k3, 0, round), k0, 0);
        k1 = rv64("aes64ks2", k0, k1, 0);
        if round == 6 {
            break;
        }
        k2 = rv64("aes64ks2", rv64("aes64ks1i", k1, 0, 10), k2, 0);
        k3 = rv64("aes64ks2", k2, k3, 0);
    }
    // w[56..60]
    let last = [0xfe4890d1, 0xe6188d0b, 0x046df344, 0x706c631e_u32];
    assert_eq!(columns([k0, k1]).map(u32::swap_bytes), last);
}

#[test]
fn round_numbers_above_ten_are_reserved() {
    for round in 11..16 {
        assert_eq!(super::compute(64, "aes64ks1i", 0, 0, round, 0), None);
    }
}
