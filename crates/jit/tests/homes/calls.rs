//! Functions whose return addresses stay in their homes.

use crate::Check;
use crate::guest::{BASE, program};
use crate::pair::Watch;
use crate::times::Times;

#[test]
fn calls_and_returns() {
    let text = "head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        JAL rd=1 >first
        ADD rd=5 rs1=5 rs2=6
        JAL rd=1 >second
        JAL rd=1 >first
        XOR rd=6 rs1=6 rs2=5
        BNE rs1=31 rs2=0 >head
        first:
        ADDI rd=6 rs1=6 imm=3
        BLT rs1=6 rs2=7 >early
        SUB rd=7 rs1=7 rs2=1
        JALR rd=0 rs1=1 imm=0
        early:
        ADDI rd=8 rs1=8 imm=1
        JALR rd=0 rs1=1 imm=0
        second:
        ADDI rd=9 rs1=1 imm=0
        ADDI rd=2 rs1=9 imm=0
        JAL rd=5 >third
        ADDI rd=7 rs1=7 imm=1
        JALR rd=5 rs1=9 imm=0
        third:
        ADD rd=10 rs1=10 rs2=5
        JALR rd=5 rs1=5 imm=0
        end:
        EBREAK";
    for isa in ["rv64i_zicsr", "rv32i_zicsr"] {
        let program = program(isa);
        for watch in [Watch::Nothing, Watch::Counts, Watch::Time] {
            Check::new(&program, text, &[(31, 5)]).watched(watch).all();
        }
    }
}

/// The register that holds where a jump leads takes where it comes from: two routines that go on with each other.
#[test]
fn a_jump_through_the_register_it_links() {
    let text = "head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        JAL rd=1 >other
        ADDI rd=5 rs1=1 imm=1
        JALR rd=1 rs1=1 imm=0
        ADD rd=6 rs1=6 rs2=5
        JALR rd=1 rs1=1 imm=0
        JALR rd=30 rs1=30 imm=0
        other:
        XOR rd=7 rs1=1 rs2=6
        JALR rd=1 rs1=1 imm=0
        ADD rd=6 rs1=7 rs2=1
        JALR rd=1 rs1=1 imm=0
        ADDI rd=8 rs1=8 imm=1
        ADDI rd=30 rs1=9 imm=0
        JALR rd=1 rs1=1 imm=0
        end:
        EBREAK";
    let program = program("rv64i_zicsr");
    Check::new(&program, text, &[(31, 6), (30, BASE), (9, BASE)]).all();
}

/// A function changes a register often enough for it to be kept: where it returns to, that has to be stored as well if the
/// run pauses there.
#[test]
fn a_return_with_a_register_that_is_kept() {
    let often = "ADDI rd=7 rs1=7 imm=3\n".repeat(40);
    let text = format!(
        "head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        JAL rd=1 >function
        ADDI rd=5 rs1=5 imm=1
        ADDI rd=6 rs1=6 imm=1
        BEQ rs1=0 rs2=0 >head
        function:
        {often}
        JALR rd=0 rs1=1 imm=0
        end:
        EBREAK"
    );
    let program = program("rv64i_zicsr");
    for (after, times) in [(2, Times::AsCounted), (4, Times::AsCounted), (2, Times::Drawn(1))] {
        Check::new(&program, &text, &[(31, 6)]).one(after, times);
    }
}
