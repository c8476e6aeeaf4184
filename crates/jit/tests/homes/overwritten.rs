//! Values that are overwritten before anybody may look for them in their registers' homes, and what may look there in
//! between.

use crate::Check;
use crate::guest::{BASE, DATA, program, program_of_own};
use crate::own::OWN;
use crate::pair::Watch;

/// What stands between two values of x5, x6 and x7; x25 is outside of memory in later rounds.
const BETWEEN: [&str; 28] = [
    "LD rd=8 rs1=29 imm=0",
    "LW rd=5 rs1=25 imm=8",
    "LBU rd=8 rs1=25 imm=0",
    "SB rs1=25 rs2=5 imm=1",
    "SH rs1=29 rs2=6 imm=3",
    "SD rs1=25 rs2=6 imm=0",
    "AMOADD__D rd=6 rs1=25 rs2=5",
    "LR__D rd=7 rs1=25",
    "SC__D rd=7 rs1=25 rs2=6",
    "FMV__D__X rd=1 rs1=5",
    "FMV__X__D rd=5 rs1=1",
    "FCVT__L__D rd=5 rs1=1 rm=5",
    "FLD rd=1 rs1=25 imm=0",
    "FSD rs1=25 rs2=1 imm=0",
    "CSRRW rd=7 csr=0x340 rs1=6",
    "ECALL",
    "TWO rd=5 rs1=6 rs2=7",
    "SWAP rd=0 rs1=5 rs2=6",
    "MAYBE rd=5 rs1=6 rs2=7",
    "EITHER rd=5 rs1=6 rs2=7",
    "EARLY rd=5 rs1=6 rs2=7",
    "AGAIN rd=5 rs1=6 rs2=7",
    "JUMPS rd=5 rs1=6 rs2=7",
    "LOADS rd=5 rs1=6 rs2=25",
    "TAKES rd=5 rs1=6 rs2=25",
    "GIVES rd=5 rs1=6 rs2=25",
    "RAISES rd=5 rs1=6 rs2=7",
    "BOTH rd=5 rs1=12 rs2=7",
];

/// Of the two registers that it sets, the first is overwritten.
const BOTH: (&str, &str) = ("BOTH", "X[rd] = 7; X[rs1] = 5;");

/// Enough to make a block long: then it checks accesses where it begins.
const FILLING: &str = "XOR rd=9 rs1=9 rs2=5
    ADD rd=10 rs1=10 rs2=6
    LD rd=11 rs1=29 imm=16
    XOR rd=9 rs1=9 rs2=7
    SH rs1=29 rs2=9 imm=40
    ADDW rd=11 rs1=11 rs2=9
    SB rs1=29 rs2=11 imm=43
    ADDIW rd=10 rs1=10 imm=-3";

fn text(one: &str, is_long: bool) -> String {
    let filling = if is_long { FILLING } else { "" };
    format!(
        "head:
        ADDI rd=31 rs1=31 imm=-1
        SLLI rd=24 rs1=24 shamt=1
        BEQ rs1=31 rs2=0 >end
        ADDI rd=5 rs1=5 imm=3
        ADDI rd=6 rs1=5 imm=5
        BEQ rs1=6 rs2=0 >head
        ADD rd=25 rs1=29 rs2=24
        ADDI rd=5 rs1=5 imm=1
        ADDI rd=6 rs1=31 imm=7
        {filling}
        SUB rd=7 rs1=6 rs2=5
        {one}
        XORI rd=5 rs1=31 imm=9
        XORI rd=6 rs1=31 imm=10
        XORI rd=7 rs1=31 imm=11
        BEQ rs1=7 rs2=0 >head
        {filling}
        ADD rd=5 rs1=5 rs2=6
        {one}
        ADD rd=6 rs1=31 rs2=30
        ADDI rd=5 rs1=6 imm=2
        ADDI rd=7 rs1=5 imm=1
        {one}
        XOR rd=7 rs1=6 rs2=5
        SUB rd=5 rs1=7 rs2=31
        JALR rd=0 rs1=30 imm=0
        end:
        EBREAK"
    )
}

const SET: [(usize, u64); 4] = [(30, BASE), (31, 6), (29, DATA), (24, 0x200)];

#[test]
fn what_looks_in_between() {
    let program = program_of_own("rv64imafd_zicsr", &[&OWN[..], &[BOTH]].concat());
    for (index, one) in BETWEEN.into_iter().enumerate() {
        for is_long in [false, true] {
            let mut check = Check::new(&program, &text(one, is_long), &SET);
            // A block that always ends the run is never hot in the same run with its successors.
            check.blocks = 1;
            check.step = if is_long { 3 } else { 1 };
            check.some(index);
            if index % 4 == 0 {
                check.watched(Watch::Time).some(index);
            }
        }
    }
}

/// The host-target interface's word is written by one of three stores, before which others have not been made.
#[test]
fn a_write_to_the_host() {
    let program = program("rv64imafd_zicsr");
    for (index, one) in ["SB rs1=25 rs2=0 imm=0", "SD rs1=25 rs2=0 imm=0"].into_iter().enumerate() {
        for is_long in [false, true] {
            let mut check = Check::new(&program, &text(one, is_long), &SET);
            check.image.tohost = Some(DATA + 0x800);
            check.some(index);
        }
    }
}

/// A block that is compiled twice, for the longest vectors and for others: what is overwritten in one of the two is in the
/// other.
#[test]
fn in_both_copies_of_a_block() {
    let text = "head:
        ADDI rd=31 rs1=31 imm=-1
        SLLI rd=24 rs1=24 shamt=1
        BEQ rs1=31 rs2=0 >end
        ANDI rd=21 rs1=31 imm=3
        ADDI rd=5 rs1=31 imm=4
        BEQ rs1=5 rs2=0 >head
        ADD rd=25 rs1=29 rs2=24
        VSETVLI rd=20 rs1=21 zimm=216
        ADDI rd=6 rs1=5 imm=1
        VADD__VX vm=1 vs2=4 rs1=6 vd=5
        ADDI rd=5 rs1=6 imm=2
        ADDI rd=5 rs1=5 imm=3
        SD rs1=29 rs2=5 imm=8
        ADDI rd=6 rs1=5 imm=4
        VADD__VX vm=1 vs2=5 rs1=5 vd=4
        XORI rd=5 rs1=6 imm=5
        LD rd=7 rs1=25 imm=0
        XORI rd=5 rs1=31 imm=6
        ADDI rd=6 rs1=31 imm=7
        VMV__X__S vs2=4 rd=7
        VADD__VX vm=1 vs2=4 rs1=7 vd=6
        ADDI rd=7 rs1=7 imm=8
        SD rs1=25 rs2=7 imm=16
        ADDI rd=7 rs1=31 imm=9
        BEQ rs1=7 rs2=0 >head
        XOR rd=8 rs1=5 rs2=6
        JALR rd=0 rs1=30 imm=0
        end:
        EBREAK";
    let program = program("rv64imafdv_zicsr");
    for (index, by) in [0x200, 0x100, 0x80, 0x40].into_iter().enumerate() {
        let set = [(30, BASE), (31, 9), (29, DATA), (24, by)];
        let mut check = Check::new(&program, text, &set);
        check.blocks = 1;
        check.some(index);
        check.watched(Watch::Time).some(index + 1);
    }
}
