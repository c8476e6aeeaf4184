//! Traps, with and without a handler; `mret` and user mode; registers that do not exist.

use engine::{Machine, Stop};
use hart::csr::{Clock, Privilege};

use crate::WIDTHS;
use crate::guest::{BASE, Code, fault, program, run};

const MSTATUS: u16 = 0x300;
const MTVEC: u16 = 0x305;
const MEPC: u16 = 0x341;
const MCAUSE: u16 = 0x342;
const MTVAL: u16 = 0x343;
const MHARTID: u16 = 0xf14;
const CYCLE: u16 = 0xc00;
const MPP: u64 = 3 << 11;

fn csr(machine: &mut Machine<'_>, number: u16) -> u64 {
    machine.hart.csrs.read(number.into(), Clock::default()).expect("a readable register")
}

#[test]
fn without_a_handler_a_trap_is_a_fault() {
    for isa in WIDTHS {
        let program = program(isa);
        for (name, cause) in [("ECALL", 11), ("EBREAK", 3)] {
            let mut machine = Code::new(&program).nops(2).op(name, &[]).machine();
            let Stop::Fault(fault) = run(&mut machine, 10) else { panic!("{name} does not stop") };
            assert_eq!((fault.exception.cause, fault.pc.0), (cause, BASE + 8));
            assert_eq!(fault.word, Some(if name == "ECALL" { 0x73 } else { 0x0010_0073 }));
            assert_eq!((machine.hart.retired(), machine.hart.pc().0), (2, BASE + 8));
        }
    }
}

#[test]
fn a_handler_sees_cause_value_and_address() {
    for isa in WIDTHS {
        let program = program(isa);
        let handler = BASE + 0x100;
        let mut machine =
            Code::new(&program).csrrw(0, MTVEC, 5).addi(7, 0, 1).word(0xffff_ffff).nops(80).machine();
        machine.hart.set_x(5, handler);
        assert_eq!(run(&mut machine, 3), Stop::InstructionLimit);
        assert_eq!(machine.hart.pc().0, handler + 4);
        assert_eq!(csr(&mut machine, MCAUSE), 2);
        assert_eq!(csr(&mut machine, MTVAL), 0xffff_ffff);
        assert_eq!(csr(&mut machine, MEPC), BASE + 8);
        assert_eq!(csr(&mut machine, MSTATUS) & MPP, MPP);
    }
}

#[test]
fn an_illegal_word_traps_each_time_it_is_reached() {
    for isa in WIDTHS {
        let program = program(isa);
        let (illegal, handler) = (BASE + 8, BASE + 12);
        let mut machine = Code::new(&program)
            .csrrw(0, MTVEC, 5)
            .addi(7, 7, 1)
            .word(0xffff_ffff)
            .csrrw(6, MEPC, 0)
            .op("JAL", &[("imm", -12)])
            .machine();
        machine.hart.set_x(5, handler);
        assert_eq!(run(&mut machine, 19), Stop::InstructionLimit);
        assert_eq!(machine.hart.x(7), 6);
        assert_eq!(machine.hart.x(6), illegal, "mepc as the handler found it the last time");
    }
}

#[test]
fn a_compressed_illegal_instruction_s_trap_value_is_its_half_word() {
    let program = program(WIDTHS[1]);
    let mut machine = Code::new(&program).half(0).half(0xffff).machine();
    assert_eq!(fault(run(&mut machine, 1)), Some((2, 0)));
}

#[test]
fn mret_enters_user_mode_and_ecall_leaves_it() {
    for isa in WIDTHS {
        let program = program(isa);
        let (user, handler) = (BASE + 0x40, BASE + 0x80);
        let mut machine = Code::new(&program)
            .csrrw(0, MTVEC, 5)
            .csrrw(0, MEPC, 6)
            .csrrw(0, MSTATUS, 0)
            .op("MRET", &[])
            .nops(12)
            .op("ECALL", &[])
            .nops(20)
            .machine();
        machine.hart.set_x(5, handler);
        machine.hart.set_x(6, user);
        run(&mut machine, 4);
        assert_eq!((machine.hart.pc().0, machine.hart.csrs.privilege), (user, Privilege::User));
        run(&mut machine, 5);
        assert_eq!(machine.hart.csrs.privilege, Privilege::Machine);
        assert_eq!((csr(&mut machine, MCAUSE), csr(&mut machine, MEPC)), (8, user));
        assert_eq!(csr(&mut machine, MSTATUS) & MPP, 0, "the trap came from user mode");
    }
}

/// A machine in user mode, about to execute `code`; traps stop it.
fn in_user_mode(code: Code<'_>) -> Machine<'_> {
    let mut machine = code.machine();
    machine.hart.csrs.privilege = Privilege::User;
    machine
}

#[test]
fn user_mode_may_not_touch_machine_registers_nor_return() {
    let program = program(WIDTHS[1]);
    for csr in [MSTATUS, MTVEC, MEPC, MHARTID, 0xb00, 0xb02] {
        let mut machine = in_user_mode(Code::new(&program).csrr(5, csr));
        assert_eq!(fault(run(&mut machine, 1)).map(|(cause, _)| cause), Some(2), "csr {csr:#x}");
    }
    let mut machine = in_user_mode(Code::new(&program).op("MRET", &[]));
    assert_eq!(fault(run(&mut machine, 1)), Some((2, 0x3020_0073)));
    let mut machine = in_user_mode(Code::new(&program).op("ECALL", &[]));
    assert_eq!(fault(run(&mut machine, 1)), Some((8, 0)));
}

#[test]
fn user_mode_reads_counters_that_mcounteren_grants() {
    let program = program(WIDTHS[1]);
    for (granted, expected) in [(0, Some(2)), (1, None), (6, Some(2))] {
        let mut machine = in_user_mode(Code::new(&program).csrr(5, CYCLE));
        machine.hart.csrs.privilege = Privilege::Machine;
        machine.hart.csrs.write(0x306, granted, Clock::default()).expect("mcounteren");
        machine.hart.csrs.privilege = Privilege::User;
        assert_eq!(fault(run(&mut machine, 1)).map(|(cause, _)| cause), expected, "{granted:#b}");
    }
}

#[test]
fn read_only_and_unknown_registers_are_illegal_and_change_nothing() {
    for isa in WIDTHS {
        let program = program(isa);
        let unknown_on_rv64 = if isa.starts_with("rv64") { 0xc80 } else { 0x7c0 };
        for csr in [CYCLE, 0xc01, 0xc02, MHARTID, 0xf11, 0x180, 0x7c0, unknown_on_rv64] {
            let mut machine = Code::new(&program).csrrw(5, csr, 6).machine();
            machine.hart.set_x(5, 77);
            let word = crate::guest::encode(
                program.module(),
                "CSRRW",
                &[("rd", 5), ("csr", csr.into()), ("rs1", 6)],
            );
            assert_eq!(fault(run(&mut machine, 1)), Some((2, word.into())), "csr {csr:#x}");
            assert_eq!((machine.hart.x(5), machine.hart.retired()), (77, 0));
        }
    }
}

#[test]
fn setting_no_bits_of_a_read_only_register_is_a_read() {
    let program = program(WIDTHS[0]);
    let mut machine = Code::new(&program).csrr(5, MHARTID).csrr(6, 0xc02).machine();
    assert_eq!(run(&mut machine, 2), Stop::InstructionLimit);
    assert_eq!((machine.hart.x(5), machine.hart.x(6)), (0, 1));
}

#[test]
fn mepc_holds_addresses_an_instruction_can_have() {
    // IALIGN is 16 with C and 32 without: the low one or two bits of mepc are zero.
    for (isa, expected) in [("rv64imac_zicsr", BASE + 6), ("rv64ima_zicsr", BASE + 4)] {
        let program = program(isa);
        let mut machine = Code::new(&program).csrrw(0, MEPC, 5).csrr(6, MEPC).machine();
        machine.hart.set_x(5, BASE + 7);
        run(&mut machine, 2);
        assert_eq!(machine.hart.x(6), expected, "{isa}");
    }
}
