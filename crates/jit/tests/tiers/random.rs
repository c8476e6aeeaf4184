//! Runs of random instructions, every scalar one among them, which fault as often as not.

use std::rc::Rc;

use coredsl::ir::{Behavior, Instruction};
use engine::{Machine, Program};
use hart::{Address, Htif, Memory};
use isa::{Instructions, Xlen};
use jit::Jit;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::assert_equal;
use crate::guest::{BASE, DATA, SIZE, encode, program};
use crate::watched::{Seen, Watched};

/// Runs of instructions an instruction begins.
const CASES: u32 = 3;
/// Instructions in a run, before the one that jumps to itself.
const LENGTH: usize = 5;

/// Register values: corners, and addresses in memory, at its ends and outside.
fn value() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => proptest::sample::select(&[
            0, 1, 2, 31, 32, 63, 64, 0x7f, 0x80, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_0000_0000,
            0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, u64::MAX, 0xffff_ffff_8000_0000,
        ][..]),
        2 => any::<u64>(),
        4 => (0..0x100u64).prop_map(|index| DATA + 8 * index),
        1 => (0..0x1000u64).prop_map(|offset| DATA + offset),
        1 => (0..64u64).prop_map(|offset| BASE + SIZE as u64 - 32 + offset),
        1 => (0..64u64).prop_map(|offset| BASE.wrapping_sub(32) + offset),
    ]
}

fn word(instruction: &Instruction, bits: u32) -> u32 {
    let all = if instruction.encoding.length == 16 { 0xffff } else { u32::MAX };
    (instruction.encoding.value | bits & !instruction.encoding.mask) & all
}

fn machine<'p>(program: &'p Program, words: &[u32], x: &[u64], tohost: u64) -> Machine<'p> {
    let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|word| word.to_le_bytes()[..if isa::is_wide(*word) { 4 } else { 2 }].to_vec())
        .collect();
    memory.slice_mut(Address(BASE), bytes.len()).expect("the code fits").copy_from_slice(&bytes);
    let data = memory.slice_mut(Address(DATA), 0x1000).expect("the data fits");
    for (index, byte) in data.iter_mut().enumerate() {
        *byte = (index * 37 + 11) as u8;
    }
    memory.set_tohost(Address(tohost));
    let mut machine = Machine::new(program, memory, Address(BASE), Htif::new(Some(Address(tohost)), None));
    for (register, value) in x.iter().enumerate() {
        machine.hart.set_x(register as u16, value & program.isa().xlen().mask());
    }
    machine
}

fn check(everything: Option<&Instructions>) {
    let everything = everything.expect("the built-in descriptions are sound");
    let xlen = everything.isa().xlen();
    let program = program(&everything.isa().to_string());
    let scalar: Vec<&Instruction> = program
        .module()
        .instructions
        .iter()
        .filter(|instruction| matches!(instruction.behavior, Behavior::Body(_)))
        .collect();
    let end = encode(program.module(), "JAL", &[("rd", 0), ("imm", 0)]);
    let seen = Rc::new(Seen::default());
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0x71e5),
        failure_persistence: None,
        ..Config::default()
    };
    for first in &scalar {
        let others = proptest::collection::vec((any::<Index>(), any::<u32>()), LENGTH - 1);
        let case = (any::<u32>(), others, proptest::collection::vec(value(), 32), 0..0x100u64);
        let outcome = TestRunner::new(config.clone()).run(&case, |(bits, others, x, tohost)| {
            let mut words = vec![word(first, bits)];
            words.extend(others.iter().map(|(index, bits)| word(scalar[index.index(scalar.len())], *bits)));
            words.push(end);
            let tohost = DATA + 8 * tohost;
            for limit in (1 + u64::from(bits & 1)..LENGTH as u64 + 3).step_by(2) {
                let mut interpreted = machine(&program, &words, &x, tohost);
                let mut compiled = machine(&program, &words, &x, tohost);
                compiled.set_compiler(Box::new(Watched(Jit::new().after(0), Rc::clone(&seen))));
                assert_equal(&mut interpreted, &mut compiled, limit);
                // What is left of the run, from wherever it stopped.
                assert_equal(&mut interpreted, &mut compiled, limit + 4);
            }
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{} on {xlen:?}: {error}", first.name));
    }
    assert!(seen.entered.get() > scalar.len() * CASES as usize, "hardly anything was compiled");
}

#[test]
fn rv32_instructions_in_a_row() {
    check(Instructions::all(Xlen::Rv32));
}

#[test]
fn rv64_instructions_in_a_row() {
    check(Instructions::all(Xlen::Rv64));
}

#[test]
fn embedded_rv32_instructions_in_a_row() {
    check(Instructions::embedded(Xlen::Rv32));
}

#[test]
fn embedded_rv64_instructions_in_a_row() {
    check(Instructions::embedded(Xlen::Rv64));
}
