//! Jumps: links, alignment with and without C, targets without memory.

use engine::Stop;

use crate::WIDTHS;
use crate::guest::{BASE, Code, SIZE, fault, program, run};

#[test]
fn without_c_a_jump_to_half_an_instruction_is_its_own_exception() {
    for isa in ["rv32ima_zicsr", "rv64ima_zicsr"] {
        let program = program(isa);
        let jumps: [(&str, &[(&str, i64)]); 3] =
            [("JAL", &[("rd", 1), ("imm", 6)]), ("BEQ", &[("imm", 6)]), ("JALR", &[("rd", 1), ("rs1", 5)])];
        for (name, fields) in jumps {
            let mut machine = Code::new(&program).nops(1).op(name, fields).nops(4).machine();
            machine.hart.set_x(5, BASE + 10);
            machine.hart.set_x(1, 99);
            assert_eq!(fault(run(&mut machine, 5)), Some((0, BASE + 10)), "{name}");
            assert_eq!((machine.hart.retired(), machine.hart.pc().0), (1, BASE + 4), "{name}");
            assert_eq!(machine.hart.x(1), 99, "no link is left by {name}");
        }
    }
}

#[test]
fn without_c_a_branch_not_taken_raises_nothing() {
    let program = program("rv32ima_zicsr");
    let mut machine = Code::new(&program).op("BNE", &[("imm", 6)]).nops(2).machine();
    assert_eq!(run(&mut machine, 2), Stop::InstructionLimit);
}

#[test]
fn with_c_half_an_instruction_is_a_target() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine =
            Code::new(&program).op("JAL", &[("rd", 1), ("imm", 6)]).half(0).addi(5, 0, 3).nops(1).machine();
        assert_eq!(run(&mut machine, 2), Stop::InstructionLimit);
        assert_eq!((machine.hart.x(5), machine.hart.x(1)), (3, BASE + 4));
    }
}

#[test]
fn jalr_clears_the_lowest_bit_and_may_link_its_own_base() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine =
            Code::new(&program).op("JALR", &[("rd", 5), ("rs1", 5), ("imm", -3)]).nops(8).machine();
        machine.hart.set_x(5, BASE + 20);
        run(&mut machine, 1);
        assert_eq!((machine.hart.pc().0, machine.hart.x(5)), (BASE + 16, BASE + 4));
    }
}

#[test]
fn fetching_where_nothing_is_faults_at_the_target() {
    let end = BASE + SIZE as u64;
    for isa in WIDTHS {
        let program = program(isa);
        for target in [0, BASE - 4, end, end + 0x1000] {
            let mut machine = Code::new(&program).op("JALR", &[("rd", 1), ("rs1", 5)]).machine();
            machine.hart.set_x(5, target);
            let Stop::Fault(fault) = run(&mut machine, 5) else { panic!("{target:#x} holds no code") };
            assert_eq!((fault.pc.0, fault.word), (target, None));
            assert_eq!((fault.exception.cause, fault.exception.value), (1, target));
            assert_eq!((machine.hart.retired(), machine.hart.x(1)), (1, BASE + 4));
        }
    }
}

#[test]
fn an_instruction_half_outside_memory_faults_at_its_absent_half() {
    let end = BASE + SIZE as u64;
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine = Code::new(&program).op("JALR", &[("rs1", 5)]).machine();
        machine.hart.set_x(5, end - 2);
        let low = machine.memory.slice_mut(hart::Address(end - 2), 2).expect("the last half word");
        low.copy_from_slice(&0x13u16.to_le_bytes());
        assert_eq!(fault(run(&mut machine, 2)), Some((1, end)));
        assert_eq!(machine.hart.pc().0, end - 2);
    }
}
