//! `fence.i`: a program sees what it has written into itself.

use crate::WIDTHS;
use crate::guest::{BASE, Code, encode, program, run};

#[test]
fn code_written_before_a_fence_is_what_runs_after_it() {
    for isa in WIDTHS {
        let program = program(isa);
        // Twice around: the first time `addi x6, x6, 1` runs, the second time what replaced it.
        let mut machine = Code::new(&program)
            .addi(6, 6, 1)
            .sw(7, 0, 8)
            .op("FENCE__I", &[])
            .op("JAL", &[("imm", -12)])
            .machine();
        let new = encode(program.module(), "ADDI", &[("rd", 6), ("rs1", 6), ("imm", 100)]);
        machine.hart.set_x(7, new.into());
        machine.hart.set_x(8, BASE);
        run(&mut machine, 5);
        assert_eq!(machine.hart.x(6), 101);
        run(&mut machine, 9);
        assert_eq!(machine.hart.x(6), 201);
    }
}

#[test]
fn code_after_the_fence_in_the_same_run_of_instructions() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine = Code::new(&program).sw(7, 8, 8).op("FENCE__I", &[]).addi(6, 6, 1).nops(1).machine();
        let new = encode(program.module(), "ADDI", &[("rd", 6), ("rs1", 6), ("imm", 100)]);
        machine.hart.set_x(7, new.into());
        machine.hart.set_x(8, BASE);
        run(&mut machine, 3);
        assert_eq!(machine.hart.x(6), 100);
    }
}

#[test]
fn a_memory_fence_is_no_event() {
    let program = program(WIDTHS[1]);
    let mut machine = Code::new(&program)
        .op("FENCE", &[("pred", 15), ("succ", 15)])
        .op("FENCE__TSO", &[])
        .op("PAUSE", &[])
        .addi(5, 5, 1)
        .nops(1)
        .machine();
    run(&mut machine, 4);
    assert_eq!((machine.hart.x(5), machine.hart.retired()), (1, 4));
}
