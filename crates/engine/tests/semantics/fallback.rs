//! Which instructions are left to the plain evaluator, the slow path.

use coredsl::ir::Behavior;
use engine::lower::lower;
use engine::uop::Op;
use isa::{InstructionId, Xlen};

use crate::guest::BASE;
use crate::operands::word;
use crate::{WIDTHS, everything};

#[test]
fn every_built_in_behaviour_is_lowered() {
    for xlen in WIDTHS {
        let program = everything(xlen);
        let context = program.context();
        let mut left = Vec::new();
        for instruction in &program.module().instructions {
            // Different fields take different paths through what is decided at translation.
            let evaluated =
                [0, 0x5555_5555, 0xaaaa_aaaa, u32::MAX, 0x00a5_8513, 0x0320_8f93].iter().any(|&bits| {
                    let mut uops = Vec::new();
                    lower(&context, instruction, word(instruction, bits), BASE, &mut uops);
                    uops.iter().any(|uop| uop.op == Op::Evaluate)
                });
            if evaluated && instruction.behavior != Behavior::Extern {
                left.push(instruction.name.as_str());
            }
        }
        // A store of 128 bits, wider than any micro-operation's value.
        let wide: &[&str] = if xlen == Xlen::Rv64 { &["AMOCAS__Q"] } else { &[] };
        assert_eq!(left, wide, "{xlen:?}");
    }
}

#[test]
fn what_no_unit_carries_out_is_of_the_privileged_architecture() {
    for xlen in WIDTHS {
        let program = everything(xlen);
        let instructions = (0..).map(InstructionId).zip(&program.module().instructions);
        let native = instructions.filter(|&(id, instruction)| {
            instruction.behavior == Behavior::Extern
                && !program.has_unit(id)
                // gem5's markers, which tell the observer something.
                && instruction.set != "Xm5ops"
        });
        let names: Vec<&str> = native.map(|(_, instruction)| instruction.name.as_str()).collect();
        assert_eq!(names, ["ECALL", "MRET", "WFI"], "{xlen:?}");
    }
}
