//! Programs of very many blocks.

use std::rc::Rc;

use engine::{Blind, Limits, Machine, Program, Stop};
use hart::{Address, Host, Htif, Memory};
use jit::Jit;

use crate::effort::effort;
use crate::guest::{BASE, encode, program};
use crate::watched::{Seen, Watched};
use crate::{alone, resident};

/// Most bytes of machine code.
const MOST: u64 = 1 << 20;

/// Never ends a run.
struct Silent;

impl Host for Silent {
    fn console(&mut self, _: &[u8]) {}
}

/// Blocks of two instructions each, round and round.
fn chain(program: &Program, blocks: u64) -> Machine<'_> {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields).to_le_bytes();
    let (count, next) =
        (op("ADDI", &[("rd", 5), ("rs1", 5), ("imm", 1)]), op("JAL", &[("rd", 0), ("imm", 4)]));
    let mut memory = Memory::new(Address(BASE), 8 * blocks as usize).expect("memory");
    let code = memory.slice_mut(Address(BASE), 8 * blocks as usize).expect("all of it");
    for block in code.chunks_exact_mut(8) {
        block[..4].copy_from_slice(&count);
        block[4..].copy_from_slice(&next);
    }
    let back = op("JALR", &[("rd", 0), ("rs1", 6)]);
    code[8 * blocks as usize - 4..].copy_from_slice(&back);
    let mut machine = Machine::new(program, memory, Address(BASE), Htif::default());
    machine.hart.set_x(6, BASE);
    machine
}

/// Passes through all of them; returns the process's memory then.
fn pass(machine: &mut Machine<'_>, blocks: u64) -> u64 {
    let limits = Limits { instructions: Some(machine.hart.retired() + 2 * blocks) };
    assert_eq!(machine.run(limits, &mut Blind, &mut Silent), Stop::InstructionLimit);
    assert_eq!(machine.hart.pc().0, BASE);
    resident()
}

#[test]
fn many_hot_blocks_interpreted() {
    alone("large::many_hot_blocks_interpreted", || {
        let program = program("rv64i");
        // More than the cache takes, if there is time.
        let blocks = if effort() > 1 { 4_000_000 } else { 40_000 };
        let mut machine = chain(&program, blocks);
        let before = resident();
        let after: Vec<u64> = (0..3).map(|_| pass(&mut machine, blocks) - before).collect();
        println!("{blocks} blocks, interpreted: {after:?}");
        // Some 400 bytes a block of two, and a cache of 8 Mi micro-operations and instructions at most.
        assert!(after[2] < blocks.min(2 << 20) * 512, "{after:?} bytes");
        assert!(after[2] < after[0] + after[0] / 4 + (1 << 20), "it grows: {after:?}");
    });
}

#[test]
fn many_hot_blocks_compiled() {
    alone("large::many_hot_blocks_compiled", || {
        let program = program("rv64i");
        let blocks = if effort() > 1 { 200_000 } else { 6_000 };
        let mut interpreted = chain(&program, blocks);
        let before = resident();
        let translated = pass(&mut interpreted, blocks) - before;
        drop(interpreted);
        let seen = Rc::new(Seen::default());
        let mut machine = chain(&program, blocks);
        let most = if effort() > 1 { 64 * MOST } else { MOST / 4 };
        let jit = Jit::new().after(0).within(most as usize);
        machine.set_compiler(Box::new(Watched(jit, Rc::clone(&seen))));
        let before = resident();
        let after: Vec<u64> = (0..4).map(|_| pass(&mut machine, blocks).saturating_sub(before)).collect();
        println!(
            "{blocks} blocks: {translated} bytes interpreted, {after:?} compiled; {} regions, dropped {} times, {} bytes",
            seen.compiled.get(),
            seen.dropped.get(),
            seen.most_bytes.get(),
        );
        assert_eq!(machine.hart.x(5), 4 * blocks);
        assert!(seen.dropped.get() > 0 || effort() > 1, "it was never full");
        assert!(seen.most_bytes.get() as u64 <= most + (1 << 16), "{} bytes", seen.most_bytes.get());
        // What the compiler itself needs, and its tables of what it has compiled, on top.
        assert!(after[3] < translated + 2 * most + (16 << 20), "{after:?} bytes");
        assert!(after[3] < after[1] + after[1] / 4 + (2 << 20), "it grows: {after:?}");
    });
}
