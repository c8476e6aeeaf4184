//! The histogram counts what retired and nothing else.

use engine::{Limits, Machine, Observer, Stop};
use hart::{Address, Htif};

use crate::WIDTHS;
use crate::guest::{BASE, Code, DATA, Screen, program};

struct Counting;

impl Observer for Counting {
    const HISTOGRAM: bool = true;
}

fn run(machine: &mut Machine<'_>, limit: u64) -> Stop {
    machine.run(Limits { instructions: Some(limit) }, &mut Counting, &mut Screen::default())
}

fn count(machine: &Machine<'_>, program: &engine::Program, name: &str) -> u64 {
    let index = program.module().instructions.iter().position(|instruction| instruction.name == name);
    machine.histogram()[index.expect("a known instruction")]
}

#[test]
fn a_fault_inside_a_block_counts_what_came_before_it() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine =
            Code::new(&program).addi(5, 5, 1).sw(5, 0, 6).addi(5, 5, 1).sw(5, 0, 7).addi(5, 5, 1).machine();
        machine.hart.set_x(6, DATA);
        assert!(matches!(run(&mut machine, 100), Stop::Fault(_)));
        assert_eq!(machine.hart.retired(), 3);
        assert_eq!((count(&machine, &program, "ADDI"), count(&machine, &program, "SW")), (2, 1));
        assert_eq!(machine.histogram().iter().sum::<u64>(), 3);
    }
}

#[test]
fn a_trapping_instruction_is_not_counted() {
    let program = program(WIDTHS[1]);
    let mut machine = Code::new(&program).csrrw(0, 0x305, 5).nops(2).op("ECALL", &[]).nops(8).machine();
    machine.hart.set_x(5, BASE + 16);
    assert_eq!(run(&mut machine, 7), Stop::InstructionLimit);
    assert_eq!((count(&machine, &program, "ADDI"), count(&machine, &program, "ECALL")), (6, 0));
}

#[test]
fn counts_survive_a_flush() {
    let program = program(WIDTHS[0]);
    // addi; fence.i; jal back: a new translation each round.
    let mut machine =
        Code::new(&program).addi(5, 5, 1).op("FENCE__I", &[]).op("JAL", &[("imm", -8)]).machine();
    run(&mut machine, 32);
    let counts = ["ADDI", "FENCE__I", "JAL"].map(|name| count(&machine, &program, name));
    assert_eq!(counts, [11, 11, 10]);
}

#[test]
fn a_console_write_before_a_fence_in_one_block() {
    for isa in WIDTHS {
        let program = program(isa);
        let htif = Htif::new(Some(Address(DATA)), None);
        // A zero asks nothing of the host, so that the block goes on to its `fence.i`.
        let mut machine =
            Code::new(&program).sw(0, 0, 6).sw(0, 4, 6).op("FENCE__I", &[]).addi(5, 5, 1).machine_with(htif);
        machine.hart.set_x(6, DATA);
        run(&mut machine, 4);
        assert_eq!(machine.hart.x(5), 1);
        assert_eq!(machine.histogram().iter().sum::<u64>(), 4);
    }
}

#[test]
fn an_exit_inside_a_block_counts_the_exiting_store() {
    for isa in WIDTHS {
        let program = program(isa);
        let htif = Htif::new(Some(Address(DATA)), None);
        let mut machine =
            Code::new(&program).addi(5, 0, 1).sw(5, 0, 6).sw(0, 4, 6).nops(3).machine_with(htif);
        machine.hart.set_x(6, DATA);
        assert_eq!(run(&mut machine, 100), Stop::Exit(0));
        assert_eq!(machine.hart.retired(), 3);
        assert_eq!((count(&machine, &program, "ADDI"), count(&machine, &program, "SW")), (1, 2));
    }
}
