//! SM4: the first example of GB/T 32907-2016, appendix A. SM3: the digest of "abc", GB/T 32905-2016,
//! appendix A.1.

use super::{rv32, rv64};

const KEY: u128 = 0x0123456789abcdeffedcba9876543210;
const CIPHERTEXT: u128 = 0x681edf34d206965e86b3e94f536e4246;

/// The words of a block as they lie in registers: little-endian.
fn words(block: u128) -> [u32; 4] {
    let bytes = block.to_be_bytes();
    std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|k| bytes[4 * i + k])))
}

/// One word step: all four bytes of the mixed words through the instruction.
fn step(run: &dyn Fn(&str, u32, u32, u64) -> u32, mnemonic: &str, state: [u32; 4], key: u32) -> [u32; 4] {
    let [x0, x1, x2, x3] = state;
    let mixed = x1 ^ x2 ^ x3 ^ key;
    [x1, x2, x3, (0..4).fold(x0, |sum, bs| run(mnemonic, sum, mixed, bs))]
}

fn encrypt(run: &dyn Fn(&str, u32, u32, u64) -> u32, key: u128, block: u128) -> u128 {
    let fk = [0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc_u32].map(u32::swap_bytes);
    let mut schedule = words(key);
    for (word, constant) in schedule.iter_mut().zip(fk) {
        *word ^= constant;
    }
    let mut state = words(block);
    for round in 0..32 {
        let ck = u32::from_le_bytes(std::array::from_fn(|j| ((4 * round + j) * 7) as u8));
        schedule = step(run, "sm4ks", schedule, ck);
        state = step(run, "sm4ed", state, schedule[3]);
    }
    state.iter().rev().fold(0, |value, word| value << 32 | u128::from(word.swap_bytes()))
}

#[test]
fn sm4_encrypts_the_first_example() {
    assert_eq!(encrypt(&rv32, KEY, KEY), CIPHERTEXT);
    let on_rv64 = |mnemonic: &str, a: u32, b: u32, bs: u64| {
        let result = rv64(mnemonic, a.into(), u64::from(b) | 0x1234 << 32, bs);
        assert_eq!(result, result as i32 as u64);
        result as u32
    };
    assert_eq!(encrypt(&on_rv64, KEY, KEY), CIPHERTEXT);
}

#[test]
fn sm3_hashes_abc() {
    let p0 = |x: u32| rv32("sm3p0", x, 0, 0);
    let p1 = |x: u32| rv64("sm3p1", x.into(), 0, 0) as u32;

    let mut w = [0u32; 68];
    w[0] = 0x61626380;
    w[15] = 24;
    for j in 16..68 {
        w[j] = p1(w[j - 16] ^ w[j - 9] ^ w[j - 3].rotate_left(15)) ^ w[j - 13].rotate_left(7) ^ w[j - 6];
    }
    let iv =
        [0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e_u32];
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = iv;
    for j in 0..64 {
        let t: u32 = if j < 16 { 0x79cc4519 } else { 0x7a879d8a };
        let ss1 = a.rotate_left(12).wrapping_add(e).wrapping_add(t.rotate_left(j as u32 % 32)).rotate_left(7);
        let ss2 = ss1 ^ a.rotate_left(12);
        let (ff, gg) = if j < 16 { (a ^ b ^ c, e ^ f ^ g) } else { (a & b | a & c | b & c, e & f | !e & g) };
        let tt1 = ff.wrapping_add(d).wrapping_add(ss2).wrapping_add(w[j] ^ w[j + 4]);
        let tt2 = gg.wrapping_add(h).wrapping_add(ss1).wrapping_add(w[j]);
        (d, c, b, a) = (c, b.rotate_left(9), a, tt1);
        (h, g, f, e) = (g, f.rotate_left(19), e, p0(tt2));
    }
    let digest = [a, b, c, d, e, f, g, h];
    let expected =
        [0x66c7f0f4, 0x62eeedd9, 0xd1f2d46b, 0xdc10e4e2, 0x4167c487, 0x5cf2f7a2, 0x297da02b, 0x8f4ba8e0_u32];
    assert_eq!(std::array::from_fn(|i| digest[i] ^ iv[i]), expected);
}
