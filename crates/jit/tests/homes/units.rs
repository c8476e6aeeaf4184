//! Instructions that are calls of their unit, which finds registers in their homes and leaves them there.

use crate::Check;
use crate::guest::{BASE, DATA, program};
use crate::pair::Watch;

/// A loop with these instructions in two of its blocks.
fn check(isa: &str, body: &str, watch: Watch) {
    let program = program(isa);
    let text = format!(
        "VSETVLI rd=0 rs1=0 zimm=216
        head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        {body}
        ADD rd=11 rs1=5 rs2=6
        BEQ rs1=5 rs2=11 >head
        XOR rd=6 rs1=6 rs2=11
        {body}
        ADD rd=12 rs1=12 rs2=5
        JALR rd=0 rs1=30 imm=4
        end:
        EBREAK"
    );
    let sets = "VSETVLI rd=0 rs1=0 zimm=216";
    let text = if isa == VECTOR { text } else { text.replace(sets, "ADDI") };
    let set = [(30, BASE), (31, 5), (29, DATA + 0x40)];
    let mut check = Check::new(&program, &text, &set).watched(watch);
    check.step = 7;
    check.all();
}

const FLOAT: &str = "rv64imfd_zicsr";
const VECTOR: &str = "rv64imfdv_zicsr";

#[test]
fn results_of_the_floating_point_unit() {
    for one in [
        "FCLASS__D rd=5 rs1=1",
        "FCVT__L__D rd=5 rs1=1 rm=1",
        "FEQ__D rd=5 rs1=1 rs2=1",
        "FLT__D rd=5 rs1=2 rs2=1",
        "FMV__X__D rd=5 rs1=1",
    ] {
        // Before and after the register is written, and read.
        for around in ["ADDI rd=5 rs1=5 imm=7", "ADD rd=7 rs1=5 rs2=5"] {
            let body = format!(
                "FCVT__D__L rd=1 rs1=6 rm=0
                {around}
                {one}
                {around}
                ADDI rd=6 rs1=5 imm=9
                FMV__D__X rd=2 rs1=5
                FADD__D rd=3 rs1=2 rs2=1 rm=0
                FDIV__D rd=4 rs1=1 rs2=3 rm=0"
            );
            check(FLOAT, &body, Watch::Counts);
        }
    }
}

#[test]
fn operands_of_the_floating_point_unit() {
    check(
        FLOAT,
        "ADDI rd=5 rs1=5 imm=3
        FCVT__D__L rd=1 rs1=5 rm=0
        FCVT__L__D rd=5 rs1=1 rm=2
        FCVT__D__L rd=2 rs1=5 rm=0
        FCVT__L__D rd=5 rs1=2 rm=3
        ADDI rd=6 rs1=5 imm=-1
        FLD rd=3 rs1=29 imm=8
        FSD rs2=3 rs1=29 imm=16",
        Watch::Nothing,
    );
}

/// Arithmetic on integer registers is the unit's as well.
#[test]
fn the_floating_point_unit_in_integer_registers() {
    check(
        "rv64im_zicsr_zfinx",
        "FCVT__S__W rd=5 rs1=6 rm=0
        FADD__S rd=7 rs1=5 rs2=5 rm=0
        ADDI rd=8 rs1=7 imm=1
        FMUL__S rd=7 rs1=7 rs2=5 rm=0
        FCLASS__S rd=9 rs1=7
        FADD__S rd=5 rs1=5 rs2=7 rm=0
        FCVT__W__S rd=6 rs1=7 rm=0",
        Watch::Time,
    );
}

#[test]
fn results_and_operands_of_the_vector_unit() {
    check(
        VECTOR,
        "ANDI rd=7 rs1=6 imm=3
        VSETVLI rd=5 rs1=7 zimm=216
        ADD rd=8 rs1=5 rs2=7
        VLE64__V vm=1 rs1=29 vd=1
        VADD__VX vm=1 vs2=1 rs1=8 vd=2
        VMSLT__VX vm=1 vs2=2 rs1=6 vd=3
        VCPOP__M vm=1 vs2=3 rd=8
        VFIRST__M vm=1 vs2=3 rd=9
        VMV__X__S vs2=2 rd=6
        ADD rd=5 rs1=8 rs2=9
        VMV__S__X rs1=5 vd=4
        VMV__X__S vs2=4 rd=5
        VSE64__V vm=1 rs1=29 vs3=2",
        Watch::Counts,
    );
}

/// A setting that only the unit knows, and that it refuses.
#[test]
fn settings_of_the_vector_unit() {
    check(
        VECTOR,
        "ANDI rd=7 rs1=6 imm=0xdb
        ADDI rd=5 rs1=0 imm=2
        VSETVL rd=5 rs1=5 rs2=7
        ADDI rd=8 rs1=5 imm=1
        VSETVL rd=6 rs1=8 rs2=7
        ADD rd=9 rs1=6 rs2=5",
        Watch::Nothing,
    );
}

/// What the unit was not given its registers for would be set to nothing somewhere else.
#[test]
fn blocks_of_the_cache() {
    check(
        "rv64im_zicsr_zicboz_zicbom",
        "ADDI rd=29 rs1=29 imm=8
        SD rs1=29 rs2=6 imm=0
        ADDI rd=5 rs1=29 imm=64
        CBO__ZERO rs1=5
        LD rd=6 rs1=29 imm=0
        CBO__CLEAN rs1=29
        LD rd=5 rs1=29 imm=64
        ADDI rd=6 rs1=6 imm=1",
        Watch::Nothing,
    );
}
