//! What compiled code may take and reach.

use std::rc::Rc;

use engine::{Blind, Limits, Stop};
use jit::Jit;

use crate::assert_equal;
use crate::guest::{BASE, Code, SIZE, Screen, fault, program};
use crate::watched::{Seen, Watched};

/// A chain of blocks of one instruction each, round and round.
fn chain(program: &engine::Program, blocks: i64) -> Code<'_> {
    let code = (1..blocks).fold(Code::new(program), |code, _| code.op("JAL", &[("imm", 4)]));
    code.op("JAL", &[("imm", -4 * (blocks - 1))])
}

#[test]
fn memory_for_code_is_bounded() {
    let program = program("rv64i");
    let seen = Rc::new(Seen::default());
    let mut machine = chain(&program, 300).machine();
    let most = 100 << 12;
    machine.set_compiler(Box::new(Watched(Jit::new().after(0).within(most), Rc::clone(&seen))));
    for round in 1..=6 {
        let limits = Limits { instructions: Some(300 * round) };
        assert_eq!(machine.run(limits, &mut Blind, &mut Screen::default()), Stop::InstructionLimit);
        assert_eq!((machine.hart.pc().0, machine.hart.retired()), (BASE, 300 * round));
    }
    assert!(seen.compiled.get() > 300 && seen.dropped.get() > 2, "it was never full");
    // The region that fills it comes on top.
    assert!(seen.most_bytes.get() <= most + (1 << 14), "{} bytes", seen.most_bytes.get());
}

/// A loop that walks out of memory, upwards or downwards, loading or storing: it ends where guest memory does.
fn walk(name: &str, step: i64, size: u64) {
    let program = program("rv64i");
    let data = if name.starts_with('S') {
        [("rs2", 6), ("rs1", 5), ("imm", 0)]
    } else {
        [("rd", 6), ("rs1", 5), ("imm", 0)]
    };
    let code = || Code::new(&program).op(name, &data).addi(5, 5, step).op("JAL", &[("imm", -8)]);
    for start in [BASE + 0x2000, BASE + 0x2001] {
        let (mut interpreted, mut compiled) = (code().machine(), code().machine());
        compiled.set_compiler(Box::new(Jit::new().after(0)));
        for machine in [&mut interpreted, &mut compiled] {
            machine.hart.set_x(5, start);
        }
        let stop = assert_equal(&mut interpreted, &mut compiled, 1 << 20);
        // Downwards a store meets the code first, which runs on as it was.
        let (_, address) = fault(stop).expect("it leaves memory");
        let end = BASE + SIZE as u64;
        assert!(address < BASE || address > end - size, "{address:#x}");
    }
}

#[test]
fn loads_end_with_guest_memory() {
    for (name, size) in [("LB", 1), ("LHU", 2), ("LW", 4), ("LD", 8)] {
        walk(name, size as i64, size);
        walk(name, -(size as i64), size);
    }
}

#[test]
fn stores_end_with_guest_memory() {
    for (name, size) in [("SB", 1), ("SH", 2), ("SW", 4), ("SD", 8)] {
        walk(name, size as i64, size);
    }
}

#[test]
fn another_memory_is_not_taken_for_the_first() {
    let program = program("rv64i");
    let code =
        || Code::new(&program).op("LD", &[("rd", 6), ("rs1", 5), ("imm", 0)]).op("JAL", &[("imm", -4)]);
    let mut machine = code().machine();
    machine.set_compiler(Box::new(Jit::new().after(0)));
    machine.hart.set_x(5, BASE + 0x3000);
    let limits = |instructions| Limits { instructions: Some(instructions) };
    machine.run(limits(20), &mut Blind, &mut Screen::default());
    let mut other = hart::Memory::new(hart::Address(BASE), 0x2000).expect("a small memory");
    let bytes = machine.memory.slice(hart::Address(BASE), 8).expect("the code").to_vec();
    other.slice_mut(hart::Address(BASE), 8).expect("room").copy_from_slice(&bytes);
    machine.memory = other;
    let stop = machine.run(limits(40), &mut Blind, &mut Screen::default());
    assert_eq!(fault(stop).map(|(_, address)| address), Some(BASE + 0x3000));
}
