//! The host-target interface: exit statuses and the console.

use engine::{Blind, Limits, Machine, Stop};
use hart::{Address, Htif};

use crate::WIDTHS;
use crate::guest::{Code, DATA, Screen, program};

const TOHOST: u64 = DATA;
const FROMHOST: u64 = DATA + 64;
/// A proxied system call's eight words.
const CALL: u64 = DATA + 128;

fn with_htif(code: Code<'_>) -> Machine<'_> {
    let mut machine = code.machine_with(Htif::new(Some(Address(TOHOST)), Some(Address(FROMHOST))));
    machine.hart.set_x(6, TOHOST);
    machine
}

fn run(machine: &mut Machine<'_>) -> (Stop, Vec<u8>) {
    let mut screen = Screen::default();
    let stop = machine.run(Limits { instructions: Some(100) }, &mut Blind, &mut screen);
    (stop, screen.bytes)
}

fn doubleword(machine: &Machine<'_>, address: u64) -> u64 {
    let bytes = machine.memory.slice(Address(address), 8).expect("in memory");
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

fn poke(machine: &mut Machine<'_>, address: u64, words: &[u64]) {
    for (index, word) in words.iter().enumerate() {
        let target = machine.memory.slice_mut(Address(address + 8 * index as u64), 8);
        target.expect("in memory").copy_from_slice(&word.to_le_bytes());
    }
}

#[test]
fn a_doubleword_exits() {
    let program = program(WIDTHS[1]);
    for status in [0, 1, 5, 255, 1234] {
        let mut machine = with_htif(Code::new(&program).op("SD", &[("rs2", 5), ("rs1", 6)]).nops(2));
        machine.hart.set_x(5, status << 1 | 1);
        assert_eq!(run(&mut machine).0, Stop::Exit(status));
        assert_eq!(machine.hart.retired(), 1);
    }
}

#[test]
fn two_words_exit_once_the_upper_is_written() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine = with_htif(Code::new(&program).sw(5, 0, 6).nops(3).sw(0, 4, 6).nops(2));
        machine.hart.set_x(5, 3 << 1 | 1);
        assert_eq!(run(&mut machine).0, Stop::Exit(3));
        assert_eq!(machine.hart.retired(), 5);
    }
}

#[test]
fn the_lower_word_written_again_stands_for_itself() {
    // What riscv-tests' environment does: it stores the low word in a loop.
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine = with_htif(Code::new(&program).sw(5, 0, 6).op("JAL", &[("imm", -4)]));
        machine.hart.set_x(5, 1);
        assert_eq!(run(&mut machine).0, Stop::Exit(0));
        assert_eq!(machine.hart.retired(), 3);
    }
}

#[test]
fn device_one_is_the_console() {
    let program = program(WIDTHS[1]);
    let store = ("SD", [("rs2", 5), ("rs1", 6)]);
    let mut machine =
        with_htif(Code::new(&program).op(store.0, &store.1).addi(5, 5, 1).op(store.0, &store.1).nops(4));
    machine.hart.set_x(5, 1 << 56 | 1 << 48 | u64::from(b'h'));
    let mut screen = Screen::default();
    let stop = machine.run(Limits { instructions: Some(4) }, &mut Blind, &mut screen);
    assert_eq!((stop, screen.bytes.as_slice()), (Stop::InstructionLimit, &b"hi"[..]));
    assert_eq!(doubleword(&machine, TOHOST), 0, "the host has taken the request");
}

#[test]
fn device_one_is_the_console_in_halves_too() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine =
            with_htif(Code::new(&program).sw(5, 0, 6).sw(7, 4, 6).addi(5, 5, 1).sw(5, 0, 6).sw(7, 4, 6));
        machine.hart.set_x(5, u64::from(b'o'));
        machine.hart.set_x(7, 0x0101_0000);
        let mut screen = Screen::default();
        machine.run(Limits { instructions: Some(5) }, &mut Blind, &mut screen);
        assert_eq!(screen.bytes, b"op", "{isa}");
    }
}

fn system_call(words: &[u64]) -> (Stop, Vec<u8>, u64, u64) {
    let program = program(WIDTHS[1]);
    let mut machine = with_htif(Code::new(&program).op("SD", &[("rs2", 5), ("rs1", 6)]).op("JAL", &[]));
    machine.hart.set_x(5, CALL);
    poke(&mut machine, CALL, words);
    poke(&mut machine, DATA + 512, &[u64::from_le_bytes(*b"bonjour\n")]);
    let (stop, bytes) = run(&mut machine);
    (stop, bytes, doubleword(&machine, CALL), doubleword(&machine, FROMHOST))
}

#[test]
fn a_proxied_write_goes_to_the_console_and_answers() {
    for file in [1, 2] {
        let (stop, bytes, result, answer) = system_call(&[64, file, DATA + 512, 8, 0, 0, 0, 0]);
        assert_eq!((stop, bytes.as_slice()), (Stop::InstructionLimit, &b"bonjour\n"[..]));
        assert_eq!((result, answer), (8, 1));
    }
}

#[test]
fn proxied_calls_cannot_reach_beyond_the_guest() {
    let efault = (-14i64) as u64;
    let enosys = (-38i64) as u64;
    // Memory that does not exist, sizes that wrap, files and calls that are not offered.
    assert_eq!(system_call(&[64, 1, 0, 8, 0, 0, 0, 0]).2, efault);
    assert_eq!(system_call(&[64, 1, u64::MAX - 3, 8, 0, 0, 0, 0]).2, efault);
    assert_eq!(system_call(&[64, 1, DATA, u64::MAX, 0, 0, 0, 0]).2, efault);
    assert_eq!(system_call(&[64, 3, DATA + 512, 8, 0, 0, 0, 0]).2, enosys);
    assert_eq!(system_call(&[56, 0, DATA + 512, 8, 0, 0, 0, 0]).2, enosys);
    assert!(system_call(&[64, 3, DATA + 512, 8, 0, 0, 0, 0]).1.is_empty());
}

#[test]
fn a_proxied_exit_gives_its_status() {
    assert_eq!(system_call(&[93, 7, 0, 0, 0, 0, 0, 0]).0, Stop::Exit(7));
}

#[test]
fn unknown_devices_and_call_blocks_outside_memory_are_no_panic() {
    let program = program(WIDTHS[1]);
    for word in [0, 2 << 56 | 1, 1 << 48, 1 << 56, 0x7fff_ffff_fff0, 0xffff_ffff_fff0, u64::MAX - 1] {
        let mut machine = with_htif(Code::new(&program).op("SD", &[("rs2", 5), ("rs1", 6)]).op("JAL", &[]));
        machine.hart.set_x(5, word);
        assert_eq!(run(&mut machine), (Stop::InstructionLimit, Vec::new()), "{word:#x}");
    }
}

#[test]
fn a_mailbox_outside_memory_prints_and_ends() {
    const MAILBOX: u64 = 0x6000_0000;
    for isa in WIDTHS {
        let program = program(isa);
        let mut machine = with_htif(Code::new(&program).sw(5, 0, 6).sw(5, 4, 6).sw(5, 8, 6).nops(2));
        machine.memory.set_mailbox(Address(MAILBOX));
        machine.hart.set_x(6, MAILBOX);
        machine.hart.set_x(5, u64::from(b'!'));
        assert_eq!(run(&mut machine), (Stop::Exit(u64::from(b'!')), b"!".to_vec()));
        assert_eq!(machine.hart.retired(), 3);
    }
}
