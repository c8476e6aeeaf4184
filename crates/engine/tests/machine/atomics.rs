//! Load-reserved, store-conditional, and the faults of atomics.

use engine::Machine;
use hart::Address;

use crate::WIDTHS;
use crate::guest::{BASE, Code, DATA, SIZE, fault, program, run};

const LR: (&str, &[(&str, i64)]) = ("LR__W", &[("rd", 5), ("rs1", 10)]);
const SC: (&str, &[(&str, i64)]) = ("SC__W", &[("rd", 6), ("rs1", 10), ("rs2", 11)]);

fn word_at(machine: &Machine<'_>, address: u64) -> u32 {
    let bytes = machine.memory.slice(Address(address), 4).expect("in memory");
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

fn started(code: Code<'_>) -> Machine<'_> {
    let mut machine = code.machine();
    machine.hart.set_x(10, DATA);
    machine.hart.set_x(11, 42);
    machine.hart.set_x(12, DATA + 64);
    machine
}

#[test]
fn a_store_conditional_succeeds_once_after_a_load_reserved() {
    for isa in WIDTHS {
        let program = program(isa);
        let code = Code::new(&program).op(LR.0, LR.1).op(SC.0, SC.1).addi(11, 11, 1).op(SC.0, SC.1);
        let mut machine = started(code.nops(1));
        run(&mut machine, 2);
        assert_eq!((machine.hart.x(6), word_at(&machine, DATA)), (0, 42));
        run(&mut machine, 4);
        assert_eq!((machine.hart.x(6), word_at(&machine, DATA)), (1, 42));
    }
}

#[test]
fn a_store_conditional_without_or_off_the_reservation_fails_and_ends_it() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine = started(Code::new(&program).op(SC.0, SC.1).nops(1));
        run(&mut machine, 1);
        assert_eq!((machine.hart.x(6), word_at(&machine, DATA)), (1, 0));

        let elsewhere = [("rd", 7), ("rs1", 12), ("rs2", 11)];
        let code = Code::new(&program).op(LR.0, LR.1).op("SC__W", &elsewhere).op(SC.0, SC.1);
        let mut machine = started(code.nops(1));
        run(&mut machine, 3);
        assert_eq!((machine.hart.x(7), machine.hart.x(6)), (1, 1));
        assert_eq!((word_at(&machine, DATA), word_at(&machine, DATA + 64)), (0, 0));
    }
}

#[test]
fn another_writer_ends_the_reservation_of_the_bytes_that_it_may_write() {
    for isa in WIDTHS {
        let program = program(isa);
        for (distance, bytes, fails) in [(-2, 2, 0), (-2, 3, 1), (3, 1, 1), (4, 8, 0), (-8, 64, 1)] {
            let code = Code::new(&program).op(LR.0, LR.1).op(SC.0, SC.1).nops(1);
            let mut machine = started(code);
            run(&mut machine, 1);
            let other = machine.memory.slice_mut(Address(DATA.wrapping_add_signed(distance)), bytes);
            assert!(other.is_some());
            run(&mut machine, 2);
            assert_eq!(machine.hart.x(6), fails, "{bytes} bytes from {distance}");
        }
    }
}

#[test]
fn a_misaligned_or_absent_operand_faults_by_kind() {
    let end = BASE + SIZE as u64;
    for isa in WIDTHS {
        let program = program(isa);
        for (name, address, cause) in [
            ("LR__W", DATA + 2, 4),
            ("SC__W", DATA + 2, 6),
            ("AMOADD__W", DATA + 1, 6),
            ("LR__W", end, 5),
            ("AMOADD__W", end, 7),
            ("AMOMAXU__W", BASE - 4, 7),
        ] {
            let mut machine = Code::new(&program).op(name, &[("rd", 5), ("rs1", 10)]).nops(1).machine();
            machine.hart.set_x(10, address);
            machine.hart.set_x(5, 9);
            assert_eq!(fault(run(&mut machine, 1)), Some((cause, address)), "{name} at {address:#x}");
            assert_eq!((machine.hart.x(5), machine.hart.retired()), (9, 0));
        }
    }
}

#[test]
fn an_atomic_returns_the_old_value_even_into_its_own_sources() {
    for isa in WIDTHS {
        let program = program(isa);
        for rd in [10, 11] {
            let fields = [("rd", rd), ("rs1", 10), ("rs2", 11)];
            let mut machine = started(Code::new(&program).sw(12, 0, 10).op("AMOSWAP__W", &fields).nops(1));
            machine.hart.set_x(12, 7);
            run(&mut machine, 2);
            assert_eq!((machine.hart.x(rd as u16), word_at(&machine, DATA)), (7, 42));
        }
    }
}
