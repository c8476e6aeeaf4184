//! GB/T 32905-2016, example 1 (SM3 of "abc"), and GB/T 32907-2016, example 1 (SM4).

use crate::guest::program;
use crate::unit::{Op, Registers, Setting, execute};

const SM3_INITIAL: [u32; 8] =
    [0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e];
const SM3_HASH: [u32; 8] =
    [0x66c7f0f4, 0x62eeedd9, 0xd1f2d46b, 0xdc10e4e2, 0x4167c487, 0x5cf2f7a2, 0x297da02b, 0x8f4ba8e0];

fn big_endian(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn from_big_endian(bytes: &[u8], count: usize) -> Vec<u32> {
    let word = |bytes: &[u8]| bytes.iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
    bytes.chunks(4).take(count).map(word).collect()
}

#[test]
fn sm3_hashes_the_example() {
    let program = program("rv64gcv_zvksh");
    for setting in [Setting::new(128, 32).with_lmul(1), Setting::new(256, 32), Setting::new(2048, 32)] {
        let bytes = setting.group_bytes();
        let mut w = vec![0; 16];
        (w[0], w[15]) = (0x6162_6380, 24);
        while w.len() < 72 {
            let mut registers = Registers::zero(setting.vlen);
            registers.repeat(2, &big_endian(&w[w.len() - 16..w.len() - 8]), bytes);
            registers.repeat(4, &big_endian(&w[w.len() - 8..]), bytes);
            let op: Op<'_> = ("VSM3ME__VV", &[("vd", 6), ("vs2", 4), ("vs1", 2)]);
            let after = execute(&program, setting, &registers, &[op]).expect("a legal instruction");
            w.extend(from_big_endian(after.at(6), 8));
        }
        let mut registers = Registers::zero(setting.vlen);
        registers.repeat(2, &big_endian(&SM3_INITIAL), bytes);
        for rounds in 0..32 {
            registers.repeat(4, &big_endian(&w[2 * rounds..2 * rounds + 8]), bytes);
            let op: Op<'_> = ("VSM3C__VI", &[("vd", 2), ("vs2", 4), ("uimm", rounds as i64)]);
            registers = execute(&program, setting, &registers, &[op]).expect("a legal instruction");
        }
        let state = from_big_endian(registers.at(2), 8);
        let hash: Vec<u32> = state.iter().zip(SM3_INITIAL).map(|(word, initial)| word ^ initial).collect();
        assert_eq!(hash, SM3_HASH, "{setting:?}");
    }
}

const SM4_KEY: [u32; 4] = [0x01234567, 0x89abcdef, 0xfedcba98, 0x76543210];
const SM4_SYSTEM: [u32; 4] = [0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc];
const SM4_CIPHERTEXT: [u32; 4] = [0x681edf34, 0xd206965e, 0x86b3e94f, 0x536e4246];

fn little_endian(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn reversed_words(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(4).rev().flatten().copied().collect()
}

#[test]
fn sm4_expands_its_key_and_transforms_the_example_block() {
    let program = program("rv64gcv_zvksed");
    for setting in [128, 256, 4096].map(|vlen| Setting::new(vlen, 32)) {
        let bytes = setting.group_bytes();
        let mut registers = Registers::zero(setting.vlen);
        let key = SM4_KEY.iter().zip(SM4_SYSTEM).map(|(key, system)| key ^ system);
        registers.repeat(9, &little_endian(key), bytes);
        let fields: Vec<_> =
            (0..8).map(|group| [("vd", 10 + group), ("vs2", 9 + group), ("uimm", group)]).collect();
        let ops: Vec<Op<'_>> = fields.iter().map(|fields| -> Op<'_> { ("VSM4K__VI", fields) }).collect();
        let mut registers = execute(&program, setting, &registers, &ops).expect("legal instructions");
        for group in 0..8 {
            let keys = reversed_words(&registers.at(17 - group)[..16]);
            registers.repeat(20 + group, &keys, bytes);
        }
        for form in ["VSM4R__VV", "VSM4R__VS"] {
            registers.repeat(1, &little_endian(SM4_KEY), bytes);
            let fields: Vec<_> = (0..8).map(|group| [("vd", 1), ("vs2", 10 + group)]).collect();
            let ops: Vec<Op<'_>> = fields.iter().map(|fields| -> Op<'_> { (form, fields) }).collect();
            let after = execute(&program, setting, &registers, &ops).expect("legal instructions");
            let ciphertext = reversed_words(&after.at(1)[..16]);
            assert_eq!(ciphertext, little_endian(SM4_CIPHERTEXT), "{form} {setting:?}");

            registers.repeat(1, &ciphertext, bytes);
            let fields: Vec<_> = (0..8).map(|group| [("vd", 1), ("vs2", 20 + group)]).collect();
            let ops: Vec<Op<'_>> = fields.iter().map(|fields| -> Op<'_> { (form, fields) }).collect();
            let after = execute(&program, setting, &registers, &ops).expect("legal instructions");
            assert_eq!(reversed_words(&after.at(1)[..16]), little_endian(SM4_KEY), "{form} {setting:?}");
        }
    }
}
