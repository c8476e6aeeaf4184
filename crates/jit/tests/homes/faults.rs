//! Exceptions in the midst of blocks that have changed registers.

use crate::guest::{BASE, DATA, program};
use crate::pair::Watch;
use crate::{Check, HANDLER};

/// What fails, or is the interpreter's; x25 is outside of memory in later rounds, x24 is then no code.
const FAILING: [&str; 12] = [
    "LW rd=5 rs1=25 imm=0",
    "LD rd=25 rs1=25 imm=8",
    "SD rs1=25 rs2=6 imm=0",
    "AMOADD__D rd=6 rs1=25 rs2=5",
    "LD rd=6 rs1=25 imm=3",
    "SW rs1=25 rs2=7 imm=1",
    "EBREAK",
    "ECALL",
    "WORD 0",
    "CSRRW rd=5 csr=0x340 rs1=6",
    "FCVT__L__D rd=5 rs1=1 rm=5",
    "FSD rs1=25 rs2=1 imm=0",
];

fn text(one: &str) -> String {
    format!(
        "head:
        ADDI rd=31 rs1=31 imm=-1
        SLLI rd=24 rs1=24 shamt=1
        BEQ rs1=31 rs2=0 >end
        ADD rd=25 rs1=29 rs2=24
        ADD rd=5 rs1=6 rs2=7
        XOR rd=7 rs1=7 rs2=5
        BEQ rs1=5 rs2=0 >head
        ADDI rd=5 rs1=5 imm=1
        ADD rd=6 rs1=5 rs2=7
        {one}
        SUB rd=7 rs1=6 rs2=5
        ADDI rd=5 rs1=5 imm=1
        BEQ rs1=7 rs2=0 >head
        ADD rd=8 rs1=8 rs2=7
        XOR rd=9 rs1=8 rs2=5
        JALR rd=0 rs1=30 imm=0
        end:
        EBREAK"
    )
}

const SET: [(usize, u64); 4] = [(30, BASE), (31, 6), (29, DATA), (24, 0x200)];

#[test]
fn the_run_ends_there() {
    let program = program("rv64imafd_zicsr");
    for (index, one) in FAILING.into_iter().enumerate() {
        let mut check = Check::new(&program, &text(one), &SET);
        // A block that always ends the run is never hot in the same run with its successors.
        check.blocks = 1;
        check.all();
        check.watched(Watch::Time).some(index);
    }
}

#[test]
fn a_handler_goes_on_behind_it() {
    let program = program("rv64imafd_zicsr");
    let handler = "CSRRS rd=26 csr=0x341 rs1=0
        ADDI rd=26 rs1=26 imm=4
        CSRRW rd=0 csr=0x341 rs1=26
        MRET";
    for (index, one) in FAILING.into_iter().enumerate() {
        // Round and round, with an address that wraps around.
        let text = text(one).replace("end:\n        EBREAK", "end:\n        JAL rd=0 >end");
        let mut check = Check::new(&program, &text, &SET).handled(handler, 150);
        assert_eq!(check.image.handler, Some(HANDLER));
        check.step = 3;
        check.all();
        check.watched(Watch::Counts).some(index);
    }
}

/// The host-target interface's word is written in the midst.
#[test]
fn a_write_to_the_host() {
    let program = program("rv64imafd_zicsr_zicboz");
    for one in ["SD rs1=25 rs2=0 imm=0", "FSD rs1=25 rs2=1 imm=0", "CBO__ZERO rs1=25"] {
        let mut check = Check::new(&program, &text(one), &SET);
        check.image.tohost = Some(DATA + 0x800);
        check.all();
    }
}
