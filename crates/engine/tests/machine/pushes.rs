//! Pushes and pops of several registers: where they fault, and what a trace shows of them.

use engine::observer::{Flow, Retired};
use engine::{Limits, Observer, Stop};
use hart::Address;

use crate::guest::{BASE, Code, DATA, SIZE, Screen, fault, program, run};

const WIDTHS: [(&str, u64); 2] = [("rv32imac_zcmp", 4), ("rv64imac_zcmp", 8)];
const END: u64 = BASE + SIZE as u64;
/// ra, s0 to s3, the highest last.
const REGISTERS: [u16; 5] = [1, 8, 9, 18, 19];
/// The list of these.
const LIST: (&str, i64) = ("rlist", 8);

#[derive(Default)]
struct Traced(Vec<(u64, u8, Option<u64>)>, Vec<u16>);

impl Observer for Traced {
    const TRACE: bool = true;

    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        let accesses = instruction.accesses.iter();
        self.0.extend(accesses.map(|access| (access.address.0, access.size, access.stored)));
        self.1.extend(instruction.registers.iter().map(|(register, _)| register));
        Flow::Continue
    }
}

#[test]
fn a_push_that_faults_leaves_the_stack_pointer() {
    for (isa, word) in WIDTHS {
        let program = program(isa);
        let mut machine = Code::new(&program).op("CM__PUSH", &[LIST, ("spimm", 1)]).nops(1).machine();
        machine.hart.set_x(2, BASE + 2 * word);
        for register in REGISTERS {
            machine.hart.set_x(register, 100 + u64::from(register));
        }
        assert_eq!(fault(run(&mut machine, 1)), Some((7, BASE - word)), "{isa}");
        assert_eq!((machine.hart.x(2), machine.hart.retired()), (BASE + 2 * word, 0));
        // The stores before the one that faults are done.
        for (place, value) in [(0, 118), (1, 119)] {
            let bytes = machine.memory.slice(Address(BASE + place * word), 4).expect("memory");
            assert_eq!(bytes, [value, 0, 0, 0], "{isa}");
        }
    }
}

#[test]
fn a_pop_that_faults_changes_nothing() {
    for (isa, word) in WIDTHS {
        for name in ["CM__POP", "CM__POPRET", "CM__POPRETZ"] {
            let program = program(isa);
            let mut machine = Code::new(&program).op(name, &[LIST, ("spimm", 0)]).nops(1).machine();
            // Room for 5 words in units of 16 bytes, whose last two are past the end.
            let sp = END - (5 * word).next_multiple_of(16) + 2 * word;
            machine.hart.set_x(2, sp);
            for register in REGISTERS {
                machine.hart.set_x(register, 100 + u64::from(register));
            }
            assert_eq!(fault(run(&mut machine, 1)), Some((5, END + word)), "{isa} {name}");
            assert_eq!((machine.hart.pc().0, machine.hart.x(2), machine.hart.x(10)), (BASE, sp, 0));
            assert!(REGISTERS.iter().all(|&one| machine.hart.x(one) == 100 + u64::from(one)));
        }
    }
}

#[test]
fn a_trace_shows_every_access() {
    for (isa, word) in WIDTHS {
        let program = program(isa);
        let mut machine = Code::new(&program)
            .op("CM__PUSH", &[LIST, ("spimm", 0)])
            .op("CM__POP", &[LIST, ("spimm", 0)])
            .nops(1)
            .machine();
        machine.hart.set_x(2, DATA);
        for register in REGISTERS {
            machine.hart.set_x(register, u64::from(register));
        }
        let mut traced = Traced::default();
        let limits = Limits { instructions: Some(2) };
        assert_eq!(machine.run(limits, &mut traced, &mut Screen::default()), Stop::InstructionLimit);
        let places =
            REGISTERS.iter().rev().zip(1..).map(|(&register, place)| (DATA - place * word, register));
        let stores = places.clone().map(|(at, register)| (at, word as u8, Some(register.into())));
        let loads = places.map(|(at, _)| (at, word as u8, None));
        assert_eq!(traced.0, stores.chain(loads).collect::<Vec<_>>(), "{isa}");
        assert_eq!(traced.1, [2, 19, 18, 9, 8, 1, 2], "{isa}");
        assert_eq!((machine.hart.x(2), machine.hart.retired()), (DATA, 2));
    }
}

#[test]
fn reserved_words_are_illegal() {
    for (isa, _) in WIDTHS {
        let program = program(isa);
        for (name, fields) in [
            ("CM__PUSH", [("rlist", 3), ("spimm", 0)]),
            ("CM__POP", [("rlist", 0), ("spimm", 0)]),
            ("CM__MVSA01", [("r1s", 5), ("r2s", 5)]),
        ] {
            let mut machine = Code::new(&program).op(name, &fields).nops(1).machine();
            machine.hart.set_x(2, DATA);
            let cause = fault(run(&mut machine, 1)).map(|(cause, _)| cause);
            assert_eq!(cause, Some(2), "{isa} {name}");
        }
    }
}

#[test]
fn a_jump_through_the_table_faults_as_a_fetch() {
    for (isa, word) in [("rv32imac_zcmt", 4), ("rv64imac_zcmt", 8)] {
        let program = program(isa);
        let jvt = 0x017;
        let mut machine =
            Code::new(&program).csrrw(0, jvt, 5).op("CM__JALT", &[("index", 40)]).nops(1).machine();
        // The mode's bits stay zero.
        machine.hart.set_x(5, END - 64 + 63);
        assert_eq!(fault(run(&mut machine, 2)), Some((1, END - 64 + 40 * word)), "{isa}");
        assert_eq!((machine.hart.x(1), machine.hart.retired()), (0, 1));
    }
}
