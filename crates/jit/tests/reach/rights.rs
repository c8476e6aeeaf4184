//! Rights of a process's pages that change between two stays in the same compiled code, as under system calls.

use engine::{Blind, Limits, Machine, Program, Stop};
use hart::csr::{Clock, Privilege, number};
use hart::pages::{PAGE, Pages, Rights};
use hart::{Address, Exception, Htif, Memory};
use jit::Jit;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::effort::{effort, runner};
use crate::guest::{Screen, encode, program};

const CODE: u64 = PAGE;
const DATA: u64 = 4 * PAGE;
const PAGES: u64 = 4;
const SIZE: u64 = DATA + (PAGES + 1) * PAGE;
const CASES: u32 = 60;

/// What a system call of the guest does to a page.
#[derive(Clone, Copy, Debug)]
enum Change {
    Protect(u64, Rights),
    /// Its bytes are gone as well.
    Unmap(u64),
}

fn change() -> impl Strategy<Value = Change> {
    let (none, read, write) = (Rights::NONE, Rights::READ, Rights::WRITE);
    prop_oneof![
        5 => (0..PAGES, select(vec![none, read, write, read | write, read | write])).prop_map(|(page, rights)| Change::Protect(page, rights)),
        1 => (0..PAGES).prop_map(Change::Unmap),
    ]
}

fn apply(memory: &mut Memory, change: Change) {
    let range = |page: u64| DATA + page * PAGE..DATA + (page + 1) * PAGE;
    let pages = memory.pages_mut().expect("a process's");
    match change {
        Change::Protect(page, rights) => pages.set_rights(range(page), rights),
        Change::Unmap(page) => {
            pages.set_rights(range(page), Rights::NONE);
            pages.discard(range(page));
        }
    }
}

fn machine<'p>(program: &'p Program, words: &[u32], x: &[u64]) -> Machine<'p> {
    let mut pages = Pages::new(SIZE).expect("address space");
    pages.set_rights(CODE..CODE + PAGE, Rights::READ | Rights::EXECUTE);
    pages.set_rights(DATA..DATA + PAGES * PAGE, Rights::READ | Rights::WRITE);
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    pages.raw_mut(CODE, code.len()).expect("room").copy_from_slice(&code);
    let memory = Memory::paged(pages).expect("no host memory is needed");
    let mut machine = Machine::new(program, memory, Address(CODE), Htif::default());
    machine.hart.write_csr(number::MSTATUS.into(), 3 << 13, Clock::default()).expect("a register");
    machine.hart.csrs.privilege = Privilege::User;
    for (register, value) in (5..).zip(x) {
        machine.hart.set_x(register, *value);
    }
    machine
}

/// A loop with accesses at both ends of pages, a system call in its middle, and one that every fault counts as.
fn words(program: &Program, draws: &[(Index, usize, i64)]) -> Vec<u32> {
    let module = program.module();
    let names = ["LB", "LHU", "LW", "SB", "SH", "SW", "AMOADD__W", "FLW", "FSW"];
    let mut words: Vec<u32> = draws
        .iter()
        .map(|&(which, base, offset)| {
            let (name, base) = (*which.get(&names), 5 + base as i64);
            match name {
                "SB" | "SH" | "SW" | "FSW" => {
                    encode(module, name, &[("rs2", 10), ("rs1", base), ("imm", offset)])
                }
                "AMOADD__W" => encode(module, name, &[("rd", 10), ("rs2", 10), ("rs1", base)]),
                _ => encode(module, name, &[("rd", 10), ("rs1", base), ("imm", offset)]),
            }
        })
        .collect();
    words.insert(words.len() / 2, encode(module, "ECALL", &[]));
    let back = -4 * words.len() as i64;
    words.push(encode(module, "JAL", &[("rd", 0), ("imm", back)]));
    words
}

fn rights(isa: &str) {
    let program = program(isa);
    let address =
        (0..=PAGES, -12..12i64).prop_map(|(page, near)| (DATA + page * PAGE).wrapping_add_signed(near));
    let draw = (any::<Index>(), 0..3usize, select(&[0, 0, 1, 4, -4, 7, -8, 64, 2000, -2000][..]));
    let case = (
        proptest::collection::vec(draw, 2..8),
        proptest::collection::vec(address, 3),
        proptest::collection::vec(proptest::collection::vec(change(), 0..3), 24),
        0..3u32,
    );
    let outcome = runner(CASES * effort(), 5).run(&case, |(draws, x, changes, after)| {
        let words = words(&program, &draws);
        let (mut interpreted, mut compiled) = (machine(&program, &words, &x), machine(&program, &words, &x));
        compiled.set_compiler(Box::new(Jit::new().after(after)));
        for changes in changes {
            for _ in 0..3 {
                let run = |machine: &mut Machine<'_>| {
                    let limits = Limits { instructions: Some(machine.hart.retired() + 40) };
                    machine.run(limits, &mut Blind, &mut Screen::default())
                };
                let (expected, stop) = (run(&mut interpreted), run(&mut compiled));
                prop_assert_eq!(stop, expected);
                let (a, b) = (&mut interpreted.hart, &mut compiled.hart);
                prop_assert_eq!((b.pc(), b.retired(), b.x(10)), (a.pc(), a.retired(), a.x(10)));
                // A handler would go on after it.
                if let Stop::Fault(fault) = stop {
                    a.set_pc(fault.pc.0 + 4);
                    b.set_pc(fault.pc.0 + 4);
                    if fault.exception.cause == Exception::ECALL_U {
                        for &change in &changes {
                            apply(&mut interpreted.memory, change);
                            apply(&mut compiled.memory, change);
                        }
                    }
                }
            }
        }
        let bytes = |machine: &mut Machine<'_>| {
            let pages = machine.memory.pages_mut().expect("a process's");
            pages.raw_mut(0, SIZE as usize).expect("all of it").to_vec()
        };
        prop_assert!(bytes(&mut interpreted) == bytes(&mut compiled), "memory differs");
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{isa}: {error}"));
}

#[test]
fn rights_that_change_hold_at_once() {
    rights("rv32imafd_zicsr");
    rights("rv64imafd_zicsr");
}
