//! The counters: `instret`, `cycle` and `time`, their halves on RV32, and writes to them.

use engine::{Machine, Stop};

use crate::WIDTHS;
use crate::guest::{Code, program, run};

const MINSTRET: u16 = 0xb02;
const MCYCLE: u16 = 0xb00;
const INSTRETH: u16 = 0xc82;

fn finish<'p>(code: Code<'p>, set: &[(u16, u64)], instructions: u64) -> Machine<'p> {
    let mut machine = code.machine();
    for (register, value) in set {
        machine.hart.set_x(*register, *value);
    }
    assert_eq!(run(&mut machine, instructions), Stop::InstructionLimit);
    machine
}

#[test]
fn a_counter_shows_what_retired_before_its_reader() {
    for isa in WIDTHS {
        let program = program(isa);
        for counter in [0xc00, 0xc01, 0xc02, MCYCLE, MINSTRET] {
            let code = Code::new(&program).nops(5).csrr(5, counter).nops(2).csrr(6, counter).csrr(7, counter);
            let machine = finish(code.nops(1), &[], 10);
            let read = [5, 6, 7].map(|register| machine.hart.x(register));
            assert_eq!(read, [5, 8, 9], "counter {counter:#x} of {isa}");
        }
    }
}

#[test]
fn a_counter_in_a_loop_that_is_translated_once() {
    let program = program(WIDTHS[1]);
    // csrr; sub from the last reading; keep; jump back: four instructions a round.
    let code = Code::new(&program)
        .csrr(5, 0xc02)
        .op("SUB", &[("rd", 6), ("rs1", 5), ("rs2", 7)])
        .addi(7, 5, 0)
        .op("JAL", &[("imm", -12)]);
    let machine = finish(code, &[], 402);
    assert_eq!((machine.hart.x(6), machine.hart.x(5)), (4, 400));
}

#[test]
fn a_written_counter_holds_the_value_for_the_next_instruction() {
    for isa in WIDTHS {
        let program = program(isa);
        for counter in [MCYCLE, MINSTRET] {
            let code =
                Code::new(&program).nops(3).csrrw(5, counter, 8).csrr(6, counter).nops(1).csrr(7, counter);
            let machine = finish(code.nops(1), &[(8, 1000)], 8);
            let read = [5, 6, 7].map(|register| machine.hart.x(register));
            assert_eq!(read, [3, 1000, 1002], "counter {counter:#x} of {isa}");
            assert_eq!(machine.hart.retired(), 8, "what the guest writes moves no limit");
        }
    }
}

#[test]
fn rv32_has_the_upper_halves() {
    let program = program(WIDTHS[0]);
    // Low half all ones, upper half 4: two instructions later the low one has wrapped.
    let code = Code::new(&program)
        .csrrw(0, 0xb82, 8)
        .csrrw(0, MINSTRET, 9)
        .csrr(5, INSTRETH)
        .csrr(6, 0xc02)
        .csrr(7, INSTRETH);
    let machine = finish(code.nops(1), &[(8, 4), (9, 0xffff_ffff)], 6);
    let read = [5, 6, 7].map(|register| machine.hart.x(register));
    assert_eq!(read, [4, 0, 5]);
}

#[test]
fn a_write_to_one_half_is_done_instead_of_the_increment_of_both() {
    let program = program(WIDTHS[0]);
    let ones = 0xffff_ffff;
    // All ones in both halves, whichever is written last; one instruction later the counter has wrapped.
    for (first, last) in [(MINSTRET, 0xb82), (0xb82, MINSTRET), (MCYCLE, 0xb80), (0xb80, MCYCLE)] {
        let (low, high) = (first.min(last), first.max(last));
        let code =
            Code::new(&program).csrrw(0, first, 8).csrrw(0, last, 8).csrr(5, low).csrr(6, low).csrr(7, high);
        let machine = finish(code.nops(1), &[(8, ones)], 6);
        let read = [5, 6, 7].map(|register| machine.hart.x(register));
        assert_eq!(read, [ones, 0, 0], "{first:#x}, then {last:#x}");
    }
}

#[test]
fn the_upper_halves_are_zero_at_first_and_absent_on_rv64() {
    for half in [0xc80, 0xc81, INSTRETH, 0xb80, 0xb82] {
        let rv32 = program(WIDTHS[0]);
        let machine = finish(Code::new(&rv32).csrr(5, half).nops(1), &[(5, 9)], 2);
        assert_eq!(machine.hart.x(5), 0);
        let rv64 = program(WIDTHS[1]);
        let mut machine = Code::new(&rv64).csrr(5, half).machine();
        assert_eq!(crate::guest::fault(run(&mut machine, 1)).map(|(cause, _)| cause), Some(2));
    }
}

#[test]
fn an_inhibited_counter_stands_still_or_cannot_be_inhibited() {
    let program = program(WIDTHS[1]);
    let code =
        Code::new(&program).csrrw(0, 0x320, 8).csrr(5, 0x320).csrr(6, MINSTRET).nops(3).csrr(7, MINSTRET);
    let machine = finish(code.nops(1), &[(8, 4)], 8);
    let inhibited = machine.hart.x(5) & 4 != 0;
    assert_eq!(
        inhibited,
        machine.hart.x(6) == machine.hart.x(7),
        "mcountinhibit says {:#x}",
        machine.hart.x(5)
    );
}
