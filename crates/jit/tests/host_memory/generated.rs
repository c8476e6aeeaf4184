//! Guests that make code without end.

use std::rc::Rc;

use engine::{Blind, Limits, Machine, Program, Stop};
use jit::Jit;

use crate::effort::effort;
use crate::guest::{BASE, Code, DATA, Screen, program};
use crate::watched::{Seen, Watched};
use crate::{alone, resident};

/// A guest that writes an instruction, never the same twice in a row, fences and executes it, for ever; and how
/// many instructions it takes for each.
fn generator(program: &Program) -> (Machine<'_>, u64) {
    let mut machine = Code::new(program)
        // x5: the word, x6: what changes in it, x7: where it goes.
        .op("ADD", &[("rd", 5), ("rs1", 5), ("rs2", 6)])
        .sw(5, 0, 7)
        .op("FENCE__I", &[])
        .op("JAL", &[("rd", 1), ("imm", (DATA - BASE) as i64 - 12)])
        .op("JAL", &[("imm", -16)])
        .machine();
    // addi x8, x8, immediate; ret
    let (word, back) = (0x0004_0413u32, 0x0000_8067u32);
    let bytes = [word.to_le_bytes(), back.to_le_bytes()].concat();
    machine.memory.slice_mut(hart::Address(DATA), 8).expect("room").copy_from_slice(&bytes);
    for (register, value) in [(5, word.into()), (6, 1 << 20), (7, DATA)] {
        machine.hart.set_x(register, value);
    }
    (machine, 7)
}

/// Bytes of memory that the process has grown by during the second half of so many rounds; the first fills what
/// the host's allocator keeps.
fn growth(machine: &mut Machine<'_>, per_round: u64, rounds: u64) -> i64 {
    let mut run = |rounds: u64| {
        for _ in 0..rounds / 100 {
            let limits = Limits { instructions: Some(machine.hart.retired() + 100 * per_round) };
            assert_eq!(machine.run(limits, &mut Blind, &mut Screen::default()), Stop::InstructionLimit);
        }
    };
    run(rounds / 2);
    let before = resident();
    run(rounds / 2);
    resident() as i64 - before as i64
}

#[test]
fn a_guest_that_generates_code_for_ever_interpreted() {
    alone("generated::a_guest_that_generates_code_for_ever_interpreted", || {
        let program = program("rv64i_zifencei");
        let (mut machine, per_round) = generator(&program);
        let rounds = 20_000 * u64::from(effort());
        let grown = growth(&mut machine, per_round, rounds);
        assert!(grown < 1 << 20, "{grown} bytes more after {rounds} rounds");
    });
}

#[test]
fn a_guest_that_generates_code_for_ever_compiled() {
    alone("generated::a_guest_that_generates_code_for_ever_compiled", || {
        let program = program("rv64i_zifencei");
        let (mut machine, per_round) = generator(&program);
        let seen = Rc::new(Seen::default());
        machine.set_compiler(Box::new(Watched(Jit::new().after(0), Rc::clone(&seen))));
        let rounds = 600 * u64::from(effort());
        let grown = growth(&mut machine, per_round, rounds);
        assert!(seen.compiled.get() as u64 > rounds, "{} regions", seen.compiled.get());
        // Two pages for every round would be more.
        assert!(grown < 1 << 20, "{grown} bytes more after {rounds} rounds");
    });
}

#[test]
fn a_computed_jump_leads_to_what_was_generated_last() {
    let program = program("rv64i_zifencei");
    for compiled in [false, true] {
        let mut machine = Code::new(&program)
            .op("ADD", &[("rd", 5), ("rs1", 5), ("rs2", 6)])
            .sw(5, 0, 7)
            .op("FENCE__I", &[])
            // Twice, so that the first is remembered.
            .op("JALR", &[("rd", 1), ("rs1", 7)])
            .op("JALR", &[("rd", 1), ("rs1", 7)])
            .op("JAL", &[("imm", -20)])
            .machine();
        let code = [0x0004_0413u32, 0x0000_8067].map(u32::to_le_bytes).concat();
        machine.memory.slice_mut(hart::Address(DATA), 8).expect("room").copy_from_slice(&code);
        for (register, value) in [(5, 0x0004_0413), (6, 1 << 20), (7, DATA)] {
            machine.hart.set_x(register, value);
        }
        if compiled {
            machine.set_compiler(Box::new(Jit::new().after(0)));
        }
        let rounds = 300;
        let limits = Limits { instructions: Some(10 * rounds) };
        assert_eq!(machine.run(limits, &mut Blind, &mut Screen::default()), Stop::InstructionLimit);
        assert_eq!(machine.hart.x(8), rounds * (rounds + 1), "compiled: {compiled}");
    }
}
