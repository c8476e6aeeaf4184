//! One instruction, every one of them, executed by the machine and by the plain evaluator.

use coredsl::ir::Behavior;
use engine::{Blind, Limits, Stop};
use proptest::prelude::*;

use crate::guest::{BASE, Screen};
use crate::operands::{address, memory, register, registers, runner, word};
use crate::reference::Reference;
use crate::{WIDTHS, everything};

const CASES: u32 = 24;
const NOP: u32 = 0x13;

#[test]
fn every_instruction_does_what_the_evaluator_does() {
    for xlen in WIDTHS {
        let program = everything(xlen);
        for instruction in &program.module().instructions {
            if instruction.behavior == Behavior::Extern {
                continue;
            }
            let case = (
                registers(),
                any::<u32>(),
                any::<u64>(),
                proptest::option::weighted(0.7, address()),
                0..64u64,
            );
            let outcome = runner(CASES).run(&case, |(mut x, bits, seed, aim, pc)| {
                let word = word(instruction, bits);
                if let Some(address) = aim {
                    x[2] = address;
                    x[register(instruction, "rs1", word).unwrap_or(2)] = address;
                }
                let mut reference = Reference::new(&program, x, memory(seed));
                reference.pc = BASE + 2 * pc;
                let mut next = reference.pc;
                // What follows must not trap once a CSR instruction has set a vector.
                for word in [word, NOP] {
                    reference.place(next, word);
                    next += if isa::is_wide(word) { 4 } else { 2 };
                }
                let mut machine = reference.machine();
                let limits = Limits { instructions: Some(1) };
                let stop = machine.run(limits, &mut Blind, &mut Screen::default());
                let expected = reference.step();
                let text = program.instructions().disassemble(word, reference.pc);
                let difference = reference.difference(&machine);
                prop_assert_eq!(difference, None, "{:?} {:?} {:#x}", xlen, text, word);
                match (expected, stop) {
                    (Err(exception), Stop::Fault(fault)) => {
                        prop_assert_eq!(fault.exception, exception, "{:?} {:?}", xlen, text);
                        prop_assert_eq!((fault.pc.0, fault.word), (reference.pc, Some(word)));
                    }
                    // A jump may have led to where no instruction is.
                    (Ok(()), Stop::InstructionLimit | Stop::Fault(_)) => {}
                    (expected, stop) => prop_assert!(false, "{:?} {:?}: {:?}", text, expected, stop),
                }
                Ok(())
            });
            outcome.unwrap_or_else(|error| panic!("{} on {xlen:?}: {error}", instruction.name));
        }
    }
}
