//! What random instructions are given: register values biased towards corners, memory, operand fields.

use coredsl::ir::Instruction;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::guest::BASE;
use crate::reference::MEMORY;

/// A runner that draws the same cases every time.
pub fn runner(cases: u32) -> TestRunner {
    let rng_seed = RngSeed::Fixed(0x5eed);
    TestRunner::new(Config { cases, rng_seed, failure_persistence: None, ..Config::default() })
}

/// Values at which carries, signs and widths change, among random ones.
pub fn value() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => select(&[
            0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000,
            0xffff_ffff, 0x1_0000_0000, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, u64::MAX,
            u64::MAX - 1, 0xffff_ffff_8000_0000, 0xffff_ffff_7fff_ffff, 0x0123_4567_89ab_cdef,
        ][..]),
        3 => any::<u64>(),
        1 => 0..64u64,
        1 => (0..64u32).prop_map(|bit| 1 << bit),
    ]
}

/// A whole register file.
pub fn registers() -> impl Strategy<Value = [u64; 32]> {
    proptest::array::uniform32(value())
}

/// Memory with every byte set, different for each `seed`.
pub fn memory(seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut bytes = vec![0; MEMORY];
    for chunk in bytes.chunks_exact_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        chunk.copy_from_slice(&state.to_le_bytes());
    }
    bytes
}

/// Addresses inside memory, aligned more often than not, and around its end.
pub fn address() -> impl Strategy<Value = u64> {
    let end = BASE + MEMORY as u64;
    prop_oneof![
        3 => (0..0x80u64).prop_map(|index| BASE + 0x1000 + 8 * index),
        1 => (0..0x400u64).prop_map(|offset| BASE + 0x1000 + offset),
        1 => (0..24u64).prop_map(move |offset| end - 12 + offset),
    ]
}

/// A word of `instruction` with its operand bits taken from `bits`.
pub fn word(instruction: &Instruction, bits: u32) -> u32 {
    let encoding = &instruction.encoding;
    let all = if encoding.length == 16 { 0xffff } else { u32::MAX };
    (encoding.value | bits & !encoding.mask) & all
}

/// The integer register that field `name` stands for: three-bit fields count from x8.
pub fn register(instruction: &Instruction, name: &str, word: u32) -> Option<usize> {
    let field = instruction.encoding.fields.iter().find(|field| field.name == name)?;
    let number = field.extract(word) as usize;
    Some(if field.width == 3 { 8 + number } else { number })
}

/// `word` with its field `name`, if it has one, replaced.
pub fn set_field(instruction: &Instruction, word: u32, name: &str, value: u64) -> u32 {
    match instruction.encoding.fields.iter().find(|field| field.name == name) {
        Some(field) => word & !field.insert(u64::MAX) | field.insert(value),
        None => word,
    }
}
