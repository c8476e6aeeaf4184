//! Instructions left to the plain evaluator: to the machine around them they are like any other.

use engine::observer::{Flow, Retired};
use engine::{Limits, Observer, Stop};
use hart::{Address, Htif};

use crate::WIDTHS;
use crate::custom::user_program;
use crate::guest::{Code, DATA, Screen, encode};

/// A register of the user's own keeps this instruction from being lowered.
const STATE: &str = "architectural_state { register unsigned<64> ACC; }";
const BEHAVIOR: &str = "ACC = X[rs1]; MEM[X[rs2]+3:X[rs2]] = ACC[31:0]; X[rd] = 7;";

/// Registers and stores, as reported.
#[derive(Default)]
struct Effects(Vec<(u16, u64)>, Vec<(u64, u8, Option<u64>)>);

impl Observer for Effects {
    const TRACE: bool = true;

    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        self.0.extend(instruction.registers);
        self.1
            .extend(instruction.accesses.iter().map(|access| (access.address.0, access.size, access.stored)));
        Flow::Continue
    }
}

#[test]
fn what_they_write_is_traced() {
    for xlen in WIDTHS {
        let program = user_program(xlen, STATE, BEHAVIOR);
        let word = encode(program.module(), "OP", &[("rd", 12), ("rs1", 10), ("rs2", 11)]);
        let mut machine = Code::new(&program).word(word).nops(1).machine();
        machine.hart.set_x(10, 0x1234);
        machine.hart.set_x(11, DATA);
        let mut effects = Effects::default();
        machine.run(Limits { instructions: Some(1) }, &mut effects, &mut Screen::default());
        assert_eq!(effects.0, [(12, 7)]);
        assert_eq!(effects.1, [(DATA, 4, Some(0x1234))]);
    }
}

#[test]
fn what_is_wider_than_a_doubleword_is_traced_in_parts() {
    for xlen in WIDTHS {
        let behavior = "ACC = X[rs1]; MEM[X[rs2]+11:X[rs2]] = ACC[31:0] :: ACC;";
        let program = user_program(xlen, STATE, behavior);
        let word = encode(program.module(), "OP", &[("rd", 12), ("rs1", 10), ("rs2", 11)]);
        let mut machine = Code::new(&program).word(word).nops(1).machine();
        machine.hart.set_x(10, 0x1234);
        machine.hart.set_x(11, DATA);
        let mut effects = Effects::default();
        machine.run(Limits { instructions: Some(1) }, &mut effects, &mut Screen::default());
        assert_eq!(effects.1, [(DATA, 8, Some(0x1234)), (DATA + 8, 4, Some(0x1234))]);
    }
}

#[test]
fn what_they_write_to_tohost_is_heard() {
    for xlen in WIDTHS {
        let program = user_program(xlen, STATE, BEHAVIOR);
        let mut machine = Code::new(&program)
            .op("OP", &[("rd", 12), ("rs1", 10), ("rs2", 11)])
            .op("OP", &[("rd", 12), ("rs1", 0), ("rs2", 13)])
            .nops(4)
            .machine_with(Htif::new(Some(Address(DATA)), None));
        for (register, value) in [(10, 3 << 1 | 1), (11, DATA), (13, DATA + 4)] {
            machine.hart.set_x(register, value);
        }
        let limits = Limits { instructions: Some(6) };
        let stop = machine.run(limits, &mut engine::Blind, &mut Screen::default());
        assert_eq!(stop, Stop::Exit(3), "{xlen:?}");
    }
}
