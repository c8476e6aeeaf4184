//! Segments that cannot be moved as a whole: memory ends within them, a page has no rights, a part is `tohost` or the code
//! that moves them. What precedes the fault is done, and what follows it is not.

use engine::{Blind, Limits, Machine, Program, Stop};
use hart::csr::Clock;
use hart::pages::Rights;
use hart::{Address, AgnosticFill};
use jit::Jit;

use crate::guest::{BASE, DATA, SIZE, Screen, encode, program};
use crate::numbers::random_bytes;
use crate::{Setup, TOHOST};

const END: u64 = BASE + SIZE as u64;
/// Address that moves by sixteen bytes a round.
const MOVING: i64 = 11;
/// Where every round stores, and the handler.
const QUIET: i64 = 12;
const ROUNDS: i64 = 31;

fn op(program: &Program, name: &str, fields: &[(&str, i64)]) -> u32 {
    encode(program.module(), name, fields)
}

/// An access of segments: its name, the number of fields, its first register.
type Access<'a> = (&'a str, i64, i64);

fn access(program: &Program, (name, fields, v): Access<'_>, base: i64) -> u32 {
    let data = if name.starts_with("VS") { "vs3" } else { "vd" };
    op(program, name, &[(data, v), ("rs1", base), ("vm", 1), ("nf", fields - 1)])
}

/// A loop with such an access, among sums of its fields; `vtype` is as it says.
fn looped(program: &Program, vtype: i64, the_access: Access<'_>, base: i64) -> Vec<u32> {
    let sum =
        |d: i64, a: i64, by: i64| op(program, "VADD__VI", &[("vd", d), ("vs2", a), ("simm5", by), ("vm", 1)]);
    let mut words = vec![op(program, "VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", vtype)])];
    words.extend([sum(8, 8, 3), sum(12, 12, 5), sum(16, 8, 1), access(program, the_access, base)]);
    words.extend([sum(20, 12, 2), sum(24, 8, 7)]);
    words.push(op(program, "ADDI", &[("rd", MOVING), ("rs1", MOVING), ("imm", 16)]));
    words.push(op(program, "ADDI", &[("rd", ROUNDS), ("rs1", ROUNDS), ("imm", -1)]));
    words.push(op(program, "BNE", &[("rs1", ROUNDS), ("rs2", 0), ("imm", -4 * (words.len() as i64 - 1))]));
    words.push(op(program, "JAL", &[]));
    words
}

/// It notes `vstart`, stores a register and goes on after the instruction.
fn handler(program: &Program) -> Vec<u32> {
    vec![
        op(program, "CSRRW", &[("rd", 29), ("csr", 8), ("rs1", 0)]),
        op(program, "ADD", &[("rd", 28), ("rs1", 28), ("rs2", 29)]),
        op(program, "VS1R__V", &[("vs3", 8), ("rs1", QUIET)]),
        op(program, "CSRRS", &[("rd", 30), ("csr", 0x341)]),
        op(program, "ADDI", &[("rd", 30), ("rs1", 30), ("imm", 4)]),
        op(program, "CSRRW", &[("csr", 0x341), ("rs1", 30)]),
        op(program, "MRET", &[]),
    ]
}

fn registers(moving: u64) -> Vec<u64> {
    let mut x = vec![0; 32];
    (x[MOVING as usize], x[QUIET as usize], x[ROUNDS as usize]) = (moving, DATA + 0x40, 14);
    x
}

const ACCESSES: [Access<'_>; 9] = [
    ("VLSEGE32__V", 3, 8),
    ("VSSEGE32__V", 3, 8),
    ("VLSEGE32FF__V", 3, 8),
    ("VLSEGE32__V", 4, 8),
    ("VSSEGE32__V", 8, 8),
    ("VLSEGE32FF__V", 5, 27),
    ("VSSEGE32__V", 2, 12),
    ("VLSEGE32__V", 7, 25),
    // With as many elements of another width.
    ("VLSEGE16FF__V", 6, 8),
];

/// The end of memory and `tohost` move into the segments from round to round.
#[test]
fn both_tiers_fail_alike() {
    for (index, isa) in ["rv64gcv", "rv32gcv"].into_iter().enumerate() {
        let program = program(isa);
        for (number, the_access) in ACCESSES.into_iter().enumerate() {
            for (handles, paged, place) in
                [(true, false, END), (false, true, END), (true, true, END), (true, false, TOHOST)]
            {
                let vlen = [128, 256][(number + index) % 2];
                let words = looped(&program, 0xd0, the_access, MOVING);
                let setup = Setup {
                    vlen,
                    fill: [AgnosticFill::Undisturbed, AgnosticFill::Ones][number / 2 % 2],
                    // Whatever begins a byte earlier or later ends so, too.
                    x: registers(place - 16 * (number as u64 % 3 + 7) + [1, 15][index]),
                    handler: if handles { handler(&program) } else { Vec::new() },
                    paged,
                    ..Setup::new(&program, words)
                };
                setup.assert_equal_tiers(7, 40, 1);
            }
        }
    }
}

/// A machine in which the page from `hole` on has only these rights.
fn with_hole<'p>(setup: &Setup<'p>, hole: u64, rights: Rights) -> Machine<'p> {
    let mut machine = setup.machine();
    let pages = machine.memory.pages_mut().expect("a process's memory");
    pages.set_rights(hole..hole + 0x1000, rights);
    machine
}

#[test]
fn pages_without_rights() {
    let program = program("rv64gcv");
    let all = Rights::READ | Rights::WRITE | Rights::EXECUTE;
    let hole = DATA + 0x1000;
    for the_access in ACCESSES {
        for (rights, moving) in
            [(Rights::NONE, hole - 0x90), (Rights::READ, hole - 0x90), (Rights::NONE, hole + 0x1000 - 0x70)]
        {
            let moving = moving + u64::from(the_access.1 % 2 == 1);
            let words = looped(&program, 0xd0, the_access, MOVING);
            let handler = handler(&program);
            let setup = Setup { x: registers(moving), handler, paged: true, ..Setup::new(&program, words) };
            let [mut interpreted, mut compiled] = [(); 2].map(|()| with_hole(&setup, hole, rights));
            compiled.set_compiler(Box::new(Jit::new().after(1)));
            for machine in [&mut interpreted, &mut compiled] {
                let limits = Limits { instructions: Some(1000) };
                machine.run(limits, &mut Blind, &mut Screen::default());
                let pages = machine.memory.pages_mut().expect("a process's memory");
                pages.set_rights(hole..hole + 0x1000, all);
            }
            assert_eq!(interpreted.hart.x(ROUNDS as u16), 0, "the loop ends");
            setup.assert_same_state(&mut interpreted, &mut compiled);
        }
    }
}

/// What precedes the end of memory is moved, in either tier; `vstart` names the segment that is not.
#[test]
fn segments_before_a_fault_are_moved() {
    let program = program("rv64gcv");
    let (vlenb, elements) = (32, 8_u64);
    for (name, fields) in ["VLSEGE32__V", "VSSEGE32__V", "VLSEGE32FF__V"]
        .into_iter()
        .flat_map(|name| (2..=8).map(move |f| (name, f)))
    {
        let size = 4 * fields as u64;
        // Some whole rounds, and one in which the end is within a segment.
        let (begin, last) = (DATA, END - size * (elements - 2) + 4);
        let mut words = looped(&program, 0xd0, (name, fields, 8), MOVING);
        // No sums: fields are what they were.
        let nop = op(&program, "ADDI", &[]);
        (1..7).filter(|&index| index != 4).for_each(|index| words[index] = nop);
        let lanes = random_bytes(3, 32 * vlenb);
        let setup = Setup { vlen: 256, x: registers(begin), lanes, ..Setup::new(&program, words) };
        for compiles in [false, true] {
            let mut machine = setup.machine();
            if compiles {
                machine.set_compiler(Box::new(Jit::new().after(1)));
            }
            // Three rounds and most of the next.
            let run = |machine: &mut Machine<'_>, count: u64| {
                machine.run(Limits { instructions: Some(count) }, &mut Blind, &mut Screen::default())
            };
            assert_eq!(run(&mut machine, 1 + 9 * 3), Stop::InstructionLimit, "{name}");
            machine.hart.set_x(MOVING as u16, last);
            for register in 8..8 + fields as usize {
                machine.hart.vector.register_mut(register).fill(0x5a ^ register as u8);
            }
            let at = last;
            let data = machine.memory.slice_mut(Address(at), (END - at) as usize).expect("data");
            let before = random_bytes(9, data.len());
            data.copy_from_slice(&before);
            let first_missing = (END - at) / size;
            let stop = run(&mut machine, 1 + 9 * 3 + 4);
            let what = format!("{name} of {fields}, compiled: {compiles}, {first_missing} of {elements}");
            if name == "VLSEGE32FF__V" {
                assert_eq!(stop, Stop::InstructionLimit, "{what}");
                let vl = machine.hart.read_csr(0xc20, Clock::default()).ok();
                assert_eq!(vl, Some(first_missing), "{what}");
            } else {
                let Stop::Fault(fault) = stop else { panic!("{what}: {stop:?}") };
                let cause = if name == "VSSEGE32__V" { 7 } else { 5 };
                assert_eq!((fault.exception.cause, fault.exception.value), (cause, END), "{what}");
                let vstart = machine.hart.read_csr(8, Clock::default()).ok();
                assert_eq!(vstart, Some(first_missing), "{what}");
            }
            for (element, field) in (0..elements as usize)
                .flat_map(|element| (0..fields as usize).map(move |field| (element, field)))
            {
                let within = element * size as usize + 4 * field;
                let lane = &machine.hart.vector.register(8 + field)[4 * element..][..4];
                let old = [0x5a ^ (8 + field as u8); 4];
                let is_done = (element as u64) < first_missing;
                match (name, is_done) {
                    ("VSSEGE32__V", true) => {
                        let stored = machine.memory.slice(Address(at + within as u64), 4).expect("data");
                        assert_eq!(stored, old, "{what}: {element}, {field}");
                    }
                    (_, true) => assert_eq!(lane, &before[within..][..4], "{what}: {element}, {field}"),
                    // A part of the segment that fails may be there.
                    (_, false) if element as u64 > first_missing => assert_eq!(lane, old, "{what}"),
                    _ => {}
                }
            }
        }
    }
}

/// A loop that stores into its own code, so that its additions are of other numbers from then on.
#[test]
fn segments_that_are_code() {
    let program = program("rv64gcv");
    let vtype = 0xd0;
    for (fields, rounds) in [(2, 5_u64), (4, 6), (7, 4)] {
        let mut words = vec![op(&program, "VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", vtype)])];
        words.push(access(&program, ("VLSEGE32__V", fields, 8), 13));
        words.push(access(&program, ("VSSEGE32__V", fields, 8), 14));
        words.push(op(&program, "ADD", &[("rd", 13), ("rs1", 13), ("rs2", 15)]));
        words.push(op(&program, "ADDI", &[("rd", ROUNDS), ("rs1", ROUNDS), ("imm", -1)]));
        words.push(op(&program, "FENCE__I", &[]));
        // This is stored to, with those that follow it.
        let target = BASE + 4 * words.len() as u64;
        let add = |by: i64| op(&program, "ADDI", &[("rd", 6), ("rs1", 6), ("imm", by)]);
        let count = 4 * fields as usize;
        words.extend((0..count).map(|_| add(1)));
        words.push(op(
            &program,
            "BNE",
            &[("rs1", ROUNDS), ("rs2", 0), ("imm", -4 * (words.len() as i64 - 1))],
        ));
        words.push(op(&program, "JAL", &[]));
        let mut x = vec![0; 32];
        (x[13], x[14], x[15], x[31]) = (DATA, target, 4 * count as u64, rounds);
        // In each round, other numbers are stored.
        let number = |round: usize, index: usize| (round * 5 + index * 3) as i64 % 100;
        let mut expected = 0;
        let mut data = Vec::new();
        for round in 0..rounds as usize {
            let all: Vec<i64> = (0..count).map(|index| number(round, index)).collect();
            expected += all.iter().sum::<i64>() as u64;
            data.extend(all.iter().flat_map(|&by| add(by).to_le_bytes()));
        }
        let setup = Setup { x, ..Setup::new(&program, words) };
        for compiles in [false, true] {
            let mut machine = setup.machine();
            machine.memory.slice_mut(Address(DATA), data.len()).expect("data").copy_from_slice(&data);
            if compiles {
                machine.set_compiler(Box::new(Jit::new().after(1)));
            }
            machine.run(Limits { instructions: Some(2000) }, &mut Blind, &mut Screen::default());
            assert_eq!(machine.hart.x(ROUNDS as u16), 0, "the loop ends");
            assert_eq!(machine.hart.x(6), expected, "{fields} fields, compiled: {compiles}");
        }
    }
}
