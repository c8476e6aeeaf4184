//! The limit of instructions is exact, wherever it falls and whoever watches.

use engine::observer::{Flow, Retired};
use engine::{Blind, Limits, Machine, Observer, Program, Stop};

use crate::WIDTHS;
use crate::guest::{BASE, Code, Screen, program, run};

#[derive(Default)]
struct Counting;

impl Observer for Counting {
    const HISTOGRAM: bool = true;
}

#[derive(Default)]
struct Tracing(u64);

impl Observer for Tracing {
    const TRACE: bool = true;

    fn retired(&mut self, _: &Retired<'_>) -> Flow {
        self.0 += 1;
        Flow::Continue
    }
}

fn run_with<O: Observer>(machine: &mut Machine<'_>, limit: u64, observer: &mut O) -> Stop {
    machine.run(Limits { instructions: Some(limit) }, observer, &mut Screen::default())
}

/// Twenty instructions in a row, then a loop of five for ever; x5 counts the former, x6 the rounds.
fn looping(program: &Program) -> Machine<'_> {
    let code = (0..20).fold(Code::new(program), |code, _| code.addi(5, 5, 1));
    code.addi(6, 6, 1).nops(2).op("C__NOP", &[]).op("JAL", &[("imm", -14)]).machine()
}

/// Address and registers after `retired` instructions of [`looping`].
fn expected(retired: u64) -> (u64, u64, u64) {
    if retired <= 20 {
        return (BASE + 4 * retired, retired, 0);
    }
    let (rounds, rest) = ((retired - 20) / 5, (retired - 20) % 5);
    let offset = [0, 4, 8, 12, 14][rest as usize];
    (BASE + 80 + offset, 20, rounds + u64::from(rest > 0))
}

fn assert_at(machine: &Machine<'_>, retired: u64) {
    let hart = &machine.hart;
    assert_eq!(hart.retired(), retired);
    assert_eq!((hart.pc().0, hart.x(5), hart.x(6)), expected(retired), "after {retired}");
}

#[test]
fn a_run_stops_exactly_at_its_limit() {
    for isa in WIDTHS {
        let program = program(isa);
        for limit in 0..70 {
            let mut machine = looping(&program);
            assert_eq!(run(&mut machine, limit), Stop::InstructionLimit);
            assert_at(&machine, limit);
        }
    }
}

#[test]
fn a_run_may_be_continued_at_any_point() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine = looping(&program);
        for limit in (0..200).step_by(7) {
            assert_eq!(run(&mut machine, limit), Stop::InstructionLimit);
            assert_at(&machine, limit);
        }
    }
}

#[test]
fn observers_do_not_move_the_limit() {
    for isa in WIDTHS {
        let program = program(isa);
        for limit in [0, 1, 19, 20, 21, 22, 24, 25, 26, 63, 1000] {
            let mut counted = looping(&program);
            assert_eq!(run_with(&mut counted, limit, &mut Counting), Stop::InstructionLimit);
            assert_at(&counted, limit);
            assert_eq!(counted.histogram().iter().sum::<u64>(), limit);
            let (mut traced, mut lines) = (looping(&program), Tracing::default());
            assert_eq!(run_with(&mut traced, limit, &mut lines), Stop::InstructionLimit);
            assert_at(&traced, limit);
            assert_eq!(lines.0, limit);
        }
    }
}

#[test]
fn a_limit_reached_comes_before_the_fault_of_the_next_instruction() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine = Code::new(&program).nops(3).word(0xffff_ffff).machine();
        assert_eq!(run(&mut machine, 3), Stop::InstructionLimit);
        assert_eq!((machine.hart.retired(), machine.hart.pc().0), (3, BASE + 12));
        assert!(matches!(run(&mut machine, 4), Stop::Fault(_)));
    }
}

#[test]
fn a_limit_reached_comes_before_the_trap_of_the_next_instruction() {
    let program = program(WIDTHS[1]);
    let mut machine = Code::new(&program).csrrw(0, 0x305, 5).word(0xffff_ffff).nops(4).machine();
    machine.hart.set_x(5, BASE + 8);
    assert_eq!(run(&mut machine, 1), Stop::InstructionLimit);
    assert_eq!(machine.hart.pc().0, BASE + 4);
}

#[test]
fn a_limit_already_passed_stops_at_once() {
    let program = program(WIDTHS[0]);
    let mut machine = looping(&program);
    run(&mut machine, 10);
    assert_eq!(run(&mut machine, 5), Stop::InstructionLimit);
    assert_at(&machine, 10);
}

#[test]
fn a_handler_that_traps_at_once_is_a_fault_not_a_loop() {
    // The vector leads to an `ecall`, so that nothing would ever retire again.
    let program = program(WIDTHS[0]);
    let mut machine = Code::new(&program).csrrw(0, 0x305, 5).op("ECALL", &[]).machine();
    machine.hart.set_x(5, BASE + 4);
    let stop = machine.run(Limits { instructions: None }, &mut Blind, &mut Screen::default());
    assert!(matches!(stop, Stop::Fault(fault) if fault.pc.0 == BASE + 4));
    assert_eq!(machine.hart.retired(), 1);
}
