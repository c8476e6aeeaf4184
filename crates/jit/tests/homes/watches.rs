//! Runs that are watched: counts of executions, visits and records say the same.

use crate::Check;
use crate::guest::{BASE, DATA};
use crate::own::own;
use crate::pair::Watch;

const TEXT: &str = "head:
    ADDI rd=31 rs1=31 imm=-1
    BEQ rs1=31 rs2=0 >end
    JAL rd=1 >function
    LD rd=5 rs1=29 imm=0
    TWO rd=6 rs1=5 rs2=7
    BNE rs1=6 rs2=5 >next
    ADDI rd=8 rs1=8 imm=1
    next:
    FCVT__D__L rd=1 rs1=6 rm=0
    FCLASS__D rd=9 rs1=1
    MAYBE rd=7 rs1=9 rs2=6
    SD rs1=29 rs2=7 imm=8
    ADDI rd=10 rs1=0 imm=2
    loop:
    ADDI rd=10 rs1=10 imm=-1
    ADD rd=11 rs1=11 rs2=6
    BNE rs1=10 rs2=0 >loop
    JALR rd=0 rs1=30 imm=0
    function:
    DIV rd=12 rs1=7 rs2=11
    ADD rd=7 rs1=7 rs2=12
    JALR rd=0 rs1=1 imm=0
    end:
    EBREAK";

fn check(watch: Watch) {
    let program = own("rv64imfd_zicsr");
    Check::new(&program, TEXT, &[(30, BASE), (31, 5), (29, DATA)]).watched(watch).all();
}

#[test]
fn nothing() {
    check(Watch::Nothing);
}

#[test]
fn counts() {
    check(Watch::Counts);
}

#[test]
fn records() {
    check(Watch::Time);
}

#[test]
fn probes() {
    // More visits than there are, so that none ends a run.
    check(Watch::Probes(vec![BASE + 4 * 3, BASE + 4 * 7], 1000));
}
