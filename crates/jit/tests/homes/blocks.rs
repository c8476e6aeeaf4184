//! Blocks that read and write registers of each other's.

use crate::Check;
use crate::guest::{DATA, program};

/// What each of these programs does three times: its blocks are hot then, and lead back to the first through an address
/// that nothing is known of.
fn check(text: &str) {
    let text = format!(
        "head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        {text}
        JALR rd=0 rs1=30 imm=0
        end:
        EBREAK"
    );
    for isa in ["rv64im_zicsr", "rv32im_zicsr"] {
        let program = program(isa);
        Check::new(&program, &text, &[(30, crate::guest::BASE), (31, 4), (29, DATA)]).all();
    }
}

#[test]
fn read_in_one_block_and_written_in_another() {
    check(
        "ADD rd=5 rs1=6 rs2=7
        BEQ rs1=5 rs2=0 >head
        XOR rd=6 rs1=5 rs2=8
        BEQ rs1=6 rs2=0 >head
        SUB rd=7 rs1=6 rs2=5
        ADD rd=8 rs1=8 rs2=7",
    );
}

#[test]
fn written_twice_in_a_block() {
    check(
        "ADD rd=5 rs1=6 rs2=7
        ADDI rd=5 rs1=5 imm=3
        BEQ rs1=5 rs2=0 >head
        XOR rd=6 rs1=5 rs2=5
        ADD rd=6 rs1=5 rs2=7
        ADDI rd=7 rs1=8 imm=1
        ADDI rd=7 rs1=9 imm=1
        BEQ rs1=0 rs2=0 >next
        next:
        ADD rd=9 rs1=6 rs2=7",
    );
}

#[test]
fn read_after_it_was_written() {
    check(
        "ADD rd=5 rs1=6 rs2=7
        XOR rd=8 rs1=5 rs2=6
        ADD rd=6 rs1=8 rs2=5
        BNE rs1=6 rs2=8 >next
        ADDI rd=10 rs1=10 imm=1
        next:
        ADD rd=11 rs1=6 rs2=10
        SUB rd=12 rs1=11 rs2=5",
    );
}

#[test]
fn operands_of_branches() {
    check(
        "ADDI rd=6 rs1=6 imm=1
        BLT rs1=6 rs2=7 >less
        ADDI rd=8 rs1=8 imm=1
        BGEU rs1=7 rs2=6 >less
        ADDI rd=9 rs1=9 imm=1
        less:
        XORI rd=7 rs1=7 imm=-1
        BNE rs1=7 rs2=7 >less
        ADD rd=10 rs1=7 rs2=6",
    );
}

#[test]
fn source_and_destination_at_once() {
    check(
        "ADD rd=5 rs1=5 rs2=5
        SUB rd=6 rs1=6 rs2=5
        SUB rd=7 rs1=5 rs2=7
        BEQ rs1=5 rs2=6 >next
        SLL rd=8 rs1=9 rs2=8
        MUL rd=9 rs1=9 rs2=9
        next:
        XOR rd=5 rs1=5 rs2=9
        SLTU rd=9 rs1=9 rs2=9",
    );
}

#[test]
fn loads_and_stores() {
    check(
        "LW rd=5 rs1=29 imm=0
        LW rd=29 rs1=29 imm=4
        BEQ rs1=5 rs2=0 >next
        LW rd=6 rs1=28 imm=8
        next:
        SW rs1=27 rs2=6 imm=12
        LW rd=27 rs1=27 imm=12
        SW rs1=26 rs2=26 imm=16
        ADD rd=7 rs1=27 rs2=29",
    );
}
