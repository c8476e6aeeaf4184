//! FIPS 180-4: the one-block messages "abc" of SHA-256 and SHA-512.

use engine::Program;
use ethnum::U256;

use crate::guest::program;
use crate::unit::{Registers, Setting, execute};

const SHA_256: [u64; 8] =
    [0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad];
const SHA_512: [u64; 8] = [
    0xddaf35a193617aba,
    0xcc417349ae204131,
    0x12e6fa4e89a97ea2,
    0x0a9eeee64b55d39a,
    0x2192992a274fc1a8,
    0x36ba3c23a3feebbd,
    0x454d4423643ce80e,
    0x2a9ac94fa54ca49f,
];

fn primes() -> impl Iterator<Item = u32> {
    (2u32..).filter(|&n| (2..n).all(|divisor| !n.is_multiple_of(divisor)))
}

/// The first `bits` bits of the fraction of the `degree`th root of `n`: where the constants come from.
fn root_fraction(n: u32, degree: u32, bits: usize) -> u64 {
    let target = U256::from(n) << (64 * degree);
    // At most the square root of 19 or the cube root of 409 before the point.
    let root = (0..68).rev().fold(U256::ZERO, |root, bit| {
        let candidate: U256 = root | U256::ONE << bit;
        if candidate.pow(degree) <= target { candidate } else { root }
    });
    root.as_u64() >> (64 - bits)
}

fn bytes(words: &[u64], sew: usize) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()[..sew / 8].to_vec()).collect()
}

fn words(bytes: &[u8], sew: usize) -> Vec<u64> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    bytes.chunks(sew / 8).take(4).map(word).collect()
}

/// Registers for LMUL up to 2.
const A: i64 = 2;
const B: i64 = 4;
const C: i64 = 6;
const FIELDS: [(&str, i64); 3] = [("vd", A), ("vs2", B), ("vs1", C)];

fn load(setting: Setting, groups: [&[u64]; 3]) -> Registers {
    let mut registers = Registers::random(setting.vlen, 7);
    for (register, group) in [A, B, C].into_iter().zip(groups) {
        registers.repeat(register as usize, &bytes(group, setting.sew), setting.group_bytes());
    }
    registers
}

/// Compresses one block.
fn hash(program: &Program, setting: Setting, rounds: usize, block: [u64; 16]) -> Vec<u64> {
    let sew = setting.sew;
    let mut w = block.to_vec();
    while w.len() < rounds {
        let old = &w[w.len() - 16..];
        let registers = load(setting, [&old[..4], &[old[4], old[9], old[10], old[11]], &old[12..]]);
        let after = execute(program, setting, &registers, &[("VSHA2MS__VV", &FIELDS)]).expect("legal");
        w.extend(words(after.at(A as usize), sew));
    }
    let initial: Vec<u64> = primes().take(8).map(|prime| root_fraction(prime, 2, sew)).collect();
    let [a, b, c, d, e, f, g, h] = std::array::from_fn(|i| initial[i]);
    let (mut cdgh, mut abef) = (vec![h, g, d, c], vec![f, e, b, a]);
    let constants: Vec<u64> = primes().take(rounds).map(|prime| root_fraction(prime, 3, sew)).collect();
    for (words_of, constants) in w.chunks(4).zip(constants.chunks(4)) {
        let sums: Vec<u64> = words_of.iter().zip(constants).map(|(w, k)| w.wrapping_add(*k)).collect();
        let registers = load(setting, [&cdgh, &abef, &sums]);
        // Each of the two instructions makes the other's {a, b, e, f} into {c, d, g, h}.
        let swapped = [("vd", B), ("vs2", A), ("vs1", C)];
        let ops: [(&str, &[(&str, i64)]); 2] = [("VSHA2CL__VV", &FIELDS), ("VSHA2CH__VV", &swapped)];
        let after = execute(program, setting, &registers, &ops).expect("legal");
        (cdgh, abef) = (words(after.at(A as usize), sew), words(after.at(B as usize), sew));
    }
    let last = [abef[3], abef[2], cdgh[3], cdgh[2], abef[1], abef[0], cdgh[1], cdgh[0]];
    let sum = last.iter().zip(initial).map(|(word, initial)| word.wrapping_add(initial));
    sum.map(|word| if sew == 32 { word & 0xffff_ffff } else { word }).collect()
}

/// "abc" padded, in words of `sew` bits.
fn message(sew: usize) -> [u64; 16] {
    let mut block = [0; 16];
    block[0] = 0x61626380 << (sew - 32);
    block[15] = 24;
    block
}

#[test]
fn sha_256_hashes_the_example() {
    for isa in ["rv64gcv_zvknha", "rv64gcv_zvknhb", "rv32imac_zve32x_zvl128b_zvknha"] {
        let program = program(isa);
        for setting in [Setting::new(128, 32), Setting::new(256, 32), Setting::new(1024, 32).with_lmul(1)] {
            assert_eq!(hash(&program, setting, 64, message(32)), SHA_256, "{isa} {setting:?}");
        }
    }
}

#[test]
fn sha_512_hashes_the_example() {
    let program = program("rv64gcv_zvknhb");
    for setting in [Setting::new(128, 64).with_lmul(1), Setting::new(256, 64), Setting::new(4096, 64)] {
        assert_eq!(hash(&program, setting, 80, message(64)), SHA_512, "{setting:?}");
    }
}
