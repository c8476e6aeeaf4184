//! FIPS 197, appendix C: the cipher, its inverse and the key schedules.

use crate::guest::program;
use crate::model;
use crate::unit::{Op, Registers, Setting, execute};

const PLAINTEXT: [u8; 16] = 0x00112233445566778899aabbccddeeff_u128.to_be_bytes();
const AES_128: [u8; 16] = 0x69c4e0d86a7b0430d8cdb78070b4c55a_u128.to_be_bytes();
const AES_192: [u8; 16] = 0xdda97ca4864cdfe06eaf70a0ec0d7191_u128.to_be_bytes();
const AES_256: [u8; 16] = 0x8ea2b7ca516745bfeafc49904b496089_u128.to_be_bytes();

/// Key of `length` bytes: 00, 01, 02 and so on.
fn key(length: u8) -> Vec<u8> {
    (0..length).collect()
}

/// State and first round key.
const STATE: usize = 1;
const KEYS: usize = 2;

/// Encrypts with the round keys in the registers from [`KEYS`] on, decrypts again, in vs and in vv form.
fn check(setting: Setting, registers: &Registers, rounds: usize, ciphertext: [u8; 16]) {
    let program = program("rv64gcv_zvkned");
    let bytes = setting.group_bytes();
    let mut registers = registers.clone();
    registers.repeat(STATE, &PLAINTEXT, bytes);
    for form in ["VS", "VV"] {
        let names = ["VAESZ__VS", "VAESEM", "VAESEF", "VAESDM", "VAESDF"]
            .map(|name| if name.contains("__") { name.to_owned() } else { format!("{name}__{form}") });
        let fields: Vec<_> =
            (0..=rounds).map(|key| [("vd", STATE as i64), ("vs2", (KEYS + key) as i64)]).collect();
        let mut ops: Vec<Op<'_>> = vec![(&names[0], &fields[0])];
        ops.extend(fields[1..rounds].iter().map(|fields| -> Op<'_> { (&names[1], fields) }));
        ops.push((&names[2], &fields[rounds]));
        let encrypted = execute(&program, setting, &registers, &ops).expect("legal instructions");
        assert_eq!(&encrypted.at(STATE)[..bytes], ciphertext.repeat(bytes / 16), "{form} {setting:?}");

        let mut ops: Vec<Op<'_>> = vec![(&names[0], &fields[rounds])];
        ops.extend(fields[1..rounds].iter().rev().map(|fields| -> Op<'_> { (&names[3], fields) }));
        ops.push((&names[4], &fields[0]));
        let decrypted = execute(&program, setting, &encrypted, &ops).expect("legal instructions");
        assert_eq!(decrypted, registers, "{form} {setting:?}");
    }
}

fn settings() -> impl Iterator<Item = Setting> {
    [128, 256, 1024, 4096].into_iter().map(|vlen| Setting::new(vlen, 32))
}

#[test]
fn aes_128_expands_its_key_and_transforms_the_example_block() {
    for setting in settings() {
        let mut registers = Registers::random(setting.vlen, 1);
        registers.repeat(KEYS, &key(16), setting.vlenb());
        let fields: Vec<_> =
            (1..=10).map(|round| [("vd", round + 2), ("vs2", round + 1), ("uimm", round)]).collect();
        let ops: Vec<Op<'_>> = fields.iter().map(|fields| -> Op<'_> { ("VAESKF1__VI", fields) }).collect();
        let program = program("rv64gcv_zvkned");
        let registers = execute(&program, setting, &registers, &ops).expect("legal instructions");
        check(setting, &registers, 10, AES_128);
    }
}

#[test]
fn aes_256_expands_its_key_and_transforms_the_example_block() {
    for setting in settings() {
        let mut registers = Registers::random(setting.vlen, 2);
        registers.repeat(KEYS, &key(32)[..16], setting.vlenb());
        registers.repeat(KEYS + 1, &key(32)[16..], setting.vlenb());
        // The instruction overwrites the key before the last; each key is kept in a register of its own.
        let program = program("rv64gcv_zvkned");
        for round in 2..=14 {
            let before = registers.at(KEYS + round - 2)[..setting.vlenb()].to_vec();
            registers.put(KEYS + round, &before);
            let (vd, vs2, uimm) = ((KEYS + round) as i64, (KEYS + round - 1) as i64, round as i64);
            let op: Op<'_> = ("VAESKF2__VI", &[("vd", vd), ("vs2", vs2), ("uimm", uimm)]);
            registers = execute(&program, setting, &registers, &[op]).expect("a legal instruction");
        }
        check(setting, &registers, 14, AES_256);
    }
}

#[test]
fn aes_192_transforms_the_example_block() {
    for setting in settings() {
        let mut registers = Registers::random(setting.vlen, 3);
        for (round, key) in expand_192(&key(24)).chunks(16).enumerate() {
            registers.repeat(KEYS + round, key, setting.vlenb());
        }
        check(setting, &registers, 12, AES_192);
    }
}

/// No instruction is made for this schedule (FIPS 197 §5.2, Nk = 6).
fn expand_192(key: &[u8]) -> Vec<u8> {
    let mut words: Vec<u64> = key
        .chunks(4)
        .map(|word| word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
        .collect();
    for i in 6..52 {
        let mut word = words[i - 1];
        if i % 6 == 0 {
            // The first word of an AES-128 step on a zero key is what the schedule adds.
            word = model::result("VAESKF1", 32, &[], &[0, 0, 0, word], &[], i as u64 / 6)[0];
        }
        words.push(words[i - 6] ^ word);
    }
    words.iter().flat_map(|&word| (word as u32).to_le_bytes()).collect()
}
