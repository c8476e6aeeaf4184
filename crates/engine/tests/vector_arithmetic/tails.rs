//! Tails of every instruction, which become ones or stay, and what is masked off: of groups smaller and larger than a register, and of destinations
//! that share registers with a source of another width, whose tail is agnostic whatever `vtype` says.

use coredsl::ir::Instruction;

use crate::guest;
use crate::model::{self, Case, Registers};
use crate::run;

const VLENB: usize = 16;
const SETS: [&str; 6] =
    ["VectorInteger", "VectorCompare", "VectorMultiply", "VectorWidening", "VectorReduction", "VectorMask"];

fn case(instruction: &Instruction, operands: (u32, u32, u32), lmul: i32, tail_agnostic: bool) -> Case {
    let name = &instruction.name;
    let byte = |at: usize| (at.wrapping_mul(0x9e37_79b9) >> 13) as u8;
    let mut case = Case {
        name: name.clone(),
        vd: operands.0,
        vs2: operands.1,
        rs1: operands.2,
        // v0 is an operand.
        masked: name.ends_with("VM") || name.ends_with("XM") || name.ends_with("IM"),
        x: 0x1234_5678_9abc_def0,
        xlen: 64,
        elen: 64,
        wide_products: true,
        sew: 16,
        lmul,
        tail_agnostic,
        mask_agnostic: false,
        ones: true,
        vl: 0,
        vstart: 0,
        vxrm: 0,
        registers: Registers { bytes: (0..32 * VLENB).map(byte).collect(), vlenb: VLENB },
    };
    // Without elements, there is no tail.
    case.vl = if lmul == 0 { 0 } else { case.vlmax() / 2 + 1 };
    case
}

#[test]
fn tails_are_as_policies_say() {
    let program = guest::program("rv64gcv");
    let all = program.module().instructions.iter();
    for instruction in all.filter(|instruction| SETS.contains(&instruction.set.as_str())) {
        let has_mask = instruction.encoding.fields.iter().any(|field| field.name == "vm");
        let mut legal = 0;
        for lmul in [-1, 0, 1] {
            let next = 8 + (1 << lmul.max(0));
            for operands in [(8, 16, 24), (8, next, 24), (8, 24, next), (8, 8, 24), (8, 24, 8)] {
                for (tail_agnostic, masked) in [(false, false), (true, false), (true, true)] {
                    // The same as another, or with nothing to share.
                    if masked && !has_mask || lmul == 0 && operands != (8, 16, 24) {
                        continue;
                    }
                    let mut case = case(instruction, operands, lmul, tail_agnostic);
                    case.masked |= masked;
                    let Some(wanted) = model::execute(&case) else { continue };
                    let got = run::run(&program, &case).expect("legal");
                    assert_eq!(wanted.registers, got.registers, "{case:?}");
                    legal += 1;
                }
            }
        }
        let needs_wider = ["VF4", "VF8"].iter().any(|factor| instruction.name.ends_with(factor));
        assert!(legal > 0 || needs_wider, "{} is never legal", instruction.name);
    }
}
