//! Loads and stores: misaligned ones, and the ends of memory and of the address space.

use engine::{Blind, Limits, Machine, Program, Stop};
use hart::{Address, Htif, Memory};

use crate::WIDTHS;
use crate::guest::{BASE, Code, DATA, SIZE, Screen, encode, fault, program, run};

const END: u64 = BASE + SIZE as u64;

fn mask(isa: &str) -> u64 {
    if isa.starts_with("rv32") { 0xffff_ffff } else { u64::MAX }
}

fn load(program: &Program, address: u64, imm: i64) -> (Option<(u64, u64)>, u64) {
    let mut machine = Code::new(program).op("LW", &[("rd", 5), ("rs1", 6), ("imm", imm)]).nops(1).machine();
    machine.hart.set_x(5, 77);
    machine.hart.set_x(6, address);
    (fault(run(&mut machine, 1)), machine.hart.x(5))
}

#[test]
fn misaligned_accesses_work() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine = Code::new(&program)
            .sw(7, 1, 6)
            .op("LW", &[("rd", 5), ("rs1", 6), ("imm", 1)])
            .op("LHU", &[("rd", 8), ("rs1", 6), ("imm", 3)])
            .nops(1)
            .machine();
        machine.hart.set_x(6, DATA);
        machine.hart.set_x(7, 0x1234_5678);
        assert_eq!(run(&mut machine, 3), Stop::InstructionLimit);
        assert_eq!((machine.hart.x(5), machine.hart.x(8)), (0x1234_5678, 0x1234));
    }
}

#[test]
fn loads_at_both_ends_of_memory() {
    for isa in WIDTHS {
        let program = program(isa);
        assert_eq!(load(&program, END - 4, 0), (None, 0));
        for address in [END - 3, END - 1, END, BASE - 4, BASE - 1, 0] {
            assert_eq!(load(&program, address, 0), (Some((5, address)), 77), "{address:#x}");
        }
    }
}

#[test]
fn addresses_wrap_at_xlen() {
    for isa in WIDTHS {
        let (program, mask) = (program(isa), mask(isa));
        assert_eq!(load(&program, 0, -4), (Some((5, mask - 3)), 77));
        assert_eq!(load(&program, mask - 1, 4), (Some((5, 2)), 77));
        assert_eq!(load(&program, mask, 0), (Some((5, mask)), 77));
        // Reachable from above zero: the sum wraps into memory.
        assert_eq!(load(&program, (DATA + 2048) & mask, -2048), (None, 0));
    }
}

#[test]
fn a_store_that_faults_changes_nothing() {
    for isa in WIDTHS {
        let program = program(isa);
        for address in [END - 3, END, BASE - 1, mask(isa) - 1] {
            let mut machine = Code::new(&program).sw(7, 0, 6).nops(1).machine();
            machine.hart.set_x(6, address);
            machine.hart.set_x(7, mask(isa));
            assert_eq!(fault(run(&mut machine, 1)), Some((7, address)));
            assert_eq!((machine.hart.x(6), machine.hart.x(7)), (address, mask(isa)));
            assert_eq!(machine.memory.slice(Address(END - 4), 4), Some(&[0; 4][..]));
        }
    }
}

/// A machine whose memory ends with the address space, which `sw x7, 0(x6)` and `lw x5, 0(x6)` access.
fn at_the_top(program: &Program, address: u64) -> Machine<'_> {
    let top = program.isa().xlen().mask();
    let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
    memory.add_region(Address(top - 0xfff), 0x1000).expect("a small memory");
    let words = [
        encode(program.module(), "SW", &[("rs2", 7), ("rs1", 6)]),
        encode(program.module(), "LW", &[("rd", 5), ("rs1", 6)]),
        0x13,
    ];
    for (index, word) in words.into_iter().enumerate() {
        let target = memory.slice_mut(Address(BASE + 4 * index as u64), 4).expect("in memory");
        target.copy_from_slice(&word.to_le_bytes());
    }
    let mut machine = crate::tier::prepare(Machine::new(program, memory, Address(BASE), Htif::default()));
    machine.hart.set_x(6, address);
    machine.hart.set_x(7, 0x7654_3210);
    machine
}

#[test]
fn memory_may_end_with_the_address_space() {
    for isa in WIDTHS {
        let program = program(isa);
        let top = mask(isa);
        let mut machine = at_the_top(&program, top - 3);
        assert_eq!(run(&mut machine, 2), Stop::InstructionLimit);
        assert_eq!(machine.hart.x(5), 0x7654_3210);
        let mut machine = at_the_top(&program, top - 2);
        assert_eq!(fault(run(&mut machine, 2)), Some((7, top - 2)));
    }
}

#[test]
fn an_access_across_two_regions_is_refused() {
    let program = program(WIDTHS[1]);
    let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
    memory.add_region(Address(END), 0x1000).expect("a small memory");
    let word = encode(program.module(), "SW", &[("rs2", 7), ("rs1", 6)]);
    memory.slice_mut(Address(BASE), 4).expect("in memory").copy_from_slice(&word.to_le_bytes());
    let mut machine = crate::tier::prepare(Machine::new(&program, memory, Address(BASE), Htif::default()));
    machine.hart.set_x(6, END - 2);
    let stop = machine.run(Limits { instructions: Some(1) }, &mut Blind, &mut Screen::default());
    assert_eq!(fault(stop), Some((7, END - 2)));
}
