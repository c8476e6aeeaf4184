//! Blocks of accesses through registers that may lead anywhere and change on the way: what one tier refuses
//! the other refuses, at the same place.

use coredsl::ir::Module;
use engine::{Blind, Limits, Machine, Program, Stop};
use hart::csr::{Clock, number};
use hart::{Address, Htif};
use jit::Jit;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::effort::{effort, runner};
use crate::guest::{Screen, encode, program};
use crate::layouts::Layout;

const CASES: u32 = 160;
/// Iterations of a loop that walks.
const WALK: u64 = 40;
/// Registers that addresses are made in.
const BASES: [i64; 3] = [5, 6, 7];

/// One instruction of a block.
#[derive(Clone, Debug)]
enum Step {
    /// Which of the width's accesses, through which base, at which offset.
    Access(Index, usize, i64),
    /// A base moves.
    Move(usize, i64),
    /// A base is replaced by another, or by what was loaded.
    Copy(usize, i64),
    /// Something is added to it.
    Sum(usize, i64),
    /// It loses its lowest bits.
    Mask(usize, i64),
    /// What was loaded becomes a table's index.
    Small(i64, i64),
}

fn step() -> impl Strategy<Value = Step> {
    let offset = prop_oneof![
        4 => -16..=16i64,
        2 => select(&[-2048, -2047, -2041, -1024, -8, -1, 1023, 1024, 2040, 2041, 2044, 2046, 2047][..]),
        1 => -2048..=2047i64,
    ];
    let delta = select(&[-2048, -1024, -16, -9, -8, -4, -1, 1, 2, 4, 8, 15, 16, 256, 2047][..]);
    prop_oneof![
        8 => (any::<Index>(), 0..3usize, offset).prop_map(|(which, base, offset)| Step::Access(which, base, offset)),
        2 => (0..3usize, delta).prop_map(|(base, delta)| Step::Move(base, delta)),
        1 => (0..3usize, 5..12i64).prop_map(|(base, from)| Step::Copy(base, from)),
        2 => (0..3usize, 5..12i64).prop_map(|(base, with)| Step::Sum(base, with)),
        1 => (0..3usize, 1..33i64).prop_map(|(base, by)| Step::Mask(base, by)),
        2 => (8..12i64, select(&[0, 7, 15, 255, 1020, 1021, 2047][..])).prop_map(|(what, most)| Step::Small(what, most)),
    ]
}

const LOADS: &[&str] = &["LB", "LBU", "LH", "LHU", "LW", "LWU", "LD"];
const STORES: [&str; 4] = ["SB", "SH", "SW", "SD"];
const ATOMICS: &[&str] = &["LR__W", "SC__W", "AMOADD__W", "LR__D", "AMOSWAP__D", "AMOMAX__D"];
const UNIT: &[&str] = &["FLW", "FSW", "FLD", "FSD"];

/// The accesses of a width.
fn accesses(program: &Program) -> Vec<&'static str> {
    let known = |name: &&'static str| {
        program.module().instructions.iter().any(|instruction| instruction.name == **name)
    };
    // As many stores as loads.
    [LOADS, &STORES, &STORES, ATOMICS, UNIT].concat().into_iter().filter(known).collect()
}

pub fn access(module: &Module, name: &str, base: i64, data: i64, offset: i64) -> u32 {
    let moved = if STORES.contains(&name) || name.starts_with("FS") { "rs2" } else { "rd" };
    match name {
        _ if name.starts_with("LR") => encode(module, name, &[("rd", data), ("rs1", base)]),
        _ if ATOMICS.contains(&name) => encode(module, name, &[("rd", data), ("rs2", 8), ("rs1", base)]),
        _ => encode(module, name, &[(moved, data), ("rs1", base), ("imm", offset)]),
    }
}

fn words(program: &Program, steps: &[Step], back: bool) -> Vec<u32> {
    let (module, accesses) = (program.module(), accesses(program));
    let mut words: Vec<u32> = steps
        .iter()
        .enumerate()
        .map(|(at, step)| match *step {
            Step::Access(which, base, offset) => {
                access(module, accesses[which.index(accesses.len())], BASES[base], 8 + at as i64 % 4, offset)
            }
            Step::Move(base, delta) => {
                encode(module, "ADDI", &[("rd", BASES[base]), ("rs1", BASES[base]), ("imm", delta)])
            }
            Step::Copy(base, from) => encode(module, "ADDI", &[("rd", BASES[base]), ("rs1", from)]),
            Step::Sum(base, with) => {
                encode(module, "ADD", &[("rd", BASES[base]), ("rs1", BASES[base]), ("rs2", with)])
            }
            Step::Mask(base, by) => {
                encode(module, "ANDI", &[("rd", BASES[base]), ("rs1", BASES[base]), ("imm", -by)])
            }
            Step::Small(what, most) => encode(module, "ANDI", &[("rd", what), ("rs1", what), ("imm", most)]),
        })
        .collect();
    let back = if back { -4 * words.len() as i64 } else { 0 };
    words.push(encode(module, "JAL", &[("rd", 0), ("imm", back)]));
    words
}

fn machine<'p>(program: &'p Program, layout: Layout, words: &[u32], x: &[u64]) -> Machine<'p> {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let memory = layout.memory(&code);
    let mut machine = Machine::new(program, memory, Address(layout.code()), Htif::new(layout.tohost(), None));
    // The floating-point unit is off at reset.
    machine.hart.csrs.write(number::MSTATUS.into(), 3 << 13, Clock::default()).expect("it may be written");
    for (register, value) in (5..).zip(x) {
        machine.hart.set_x(register, value & program.isa().xlen().mask());
    }
    machine
}

/// Runs both tiers; true if the run ends in a fault.
fn compare(
    program: &Program,
    layout: Layout,
    words: &[u32],
    x: &[u64],
    limit: u64,
) -> Result<bool, TestCaseError> {
    let mut interpreted = machine(program, layout, words, x);
    let mut compiled = machine(program, layout, words, x);
    compiled.set_compiler(Box::new(Jit::new().after(0)));
    let limits = Limits { instructions: Some(limit) };
    let expected = interpreted.run(limits, &mut Blind, &mut Screen::default());
    let stop = compiled.run(limits, &mut Blind, &mut Screen::default());
    prop_assert_eq!(stop, expected, "{:x?}", layout);
    let (a, b) = (&mut interpreted.hart, &mut compiled.hart);
    prop_assert_eq!((b.pc(), b.retired()), (a.pc(), a.retired()), "{:x?}", layout);
    prop_assert!((0..32).all(|register| a.x(register) == b.x(register)), "registers, {:x?}", layout);
    prop_assert!(a.float == b.float);
    let (a, b) = (&mut interpreted.memory, &mut compiled.memory);
    prop_assert!(layout.contents(a) == layout.contents(b), "memory, {:x?}", layout);
    Ok(matches!(stop, Stop::Fault(_)))
}

fn blocks(isa: &str, loops: bool, salt: u64) {
    let program = program(isa);
    let layouts = Layout::all(isa.starts_with("rv32"));
    let near = |layout: Layout| {
        let edges = layout.edges();
        (any::<Index>(), -40..40i64, any::<bool>()).prop_map(move |(edge, offset, far)| {
            let offset = if far { offset * 64 } else { offset };
            edge.get(&edges).wrapping_add_signed(offset)
        })
    };
    let (mut faults, mut runs) = (0, 0);
    for layout in layouts {
        let addresses = proptest::collection::vec(near(layout), 7);
        let case = (proptest::collection::vec(step(), 1..12), addresses);
        let counted = std::cell::RefCell::new((&mut faults, &mut runs));
        let outcome = runner(CASES * effort() / if loops { 2 } else { 1 }, salt).run(&case, |(steps, x)| {
            let words = words(&program, &steps, loops);
            let limit = if loops { WALK * words.len() as u64 } else { words.len() as u64 + 2 };
            let faulted = compare(&program, layout, &words, &x, limit)?;
            let mut counted = counted.borrow_mut();
            *counted.0 += u32::from(faulted);
            *counted.1 += 1;
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{isa}: {error}"));
    }
    assert!(faults * 10 > runs * 2 && faults < runs, "{faults} of {runs} runs end in a fault");
}

#[test]
fn rv32_blocks_of_accesses() {
    blocks("rv32imafd_zicsr", false, 1);
}

#[test]
fn rv64_blocks_of_accesses() {
    blocks("rv64imafd_zicsr", false, 2);
}

#[test]
fn rv32_loops_whose_bases_move() {
    blocks("rv32imafd_zicsr", true, 3);
}

#[test]
fn rv64_loops_whose_bases_move() {
    blocks("rv64imafd_zicsr", true, 4);
}

/// Every access by itself at every address around every edge.
#[test]
fn single_accesses_around_every_edge() {
    for isa in ["rv32imafd_zicsr", "rv64imafd_zicsr"] {
        let program = program(isa);
        for layout in Layout::all(isa.starts_with("rv32")) {
            for name in accesses(&program) {
                for offset in [0, -2048] {
                    around_edges(&program, layout, &[access(program.module(), name, 5, 8, offset)], offset);
                }
            }
        }
    }
}

/// Two accesses through one register, of which one may be allowed and the other not, or be an event.
#[test]
fn pairs_of_accesses_around_every_edge() {
    for (isa, names) in
        [("rv32i_zicsr", ["LBU", "LW", "SB", "SW"]), ("rv64i_zicsr", ["LHU", "LD", "SH", "SD"])]
    {
        let program = program(isa);
        let access = |name: &str, data: i64, offset: i64| access(program.module(), name, 5, data, offset);
        for layout in Layout::all(isa.starts_with("rv32")) {
            for (first, second) in names.iter().flat_map(|&first| names.map(|second| (first, second))) {
                for offset in [0, 8] {
                    around_edges(&program, layout, &[access(first, 8, 0), access(second, 9, offset)], 0);
                }
            }
        }
    }
}

/// Accesses to tables, by an index that is known to be small, and a second one by a smaller index.
#[test]
fn tables_around_every_edge() {
    for (isa, names) in [("rv32i_zicsr", ["LBU", "SW"]), ("rv64i_zicsr", ["LD", "SB"])] {
        let program = program(isa);
        let module = program.module();
        for layout in Layout::all(isa.starts_with("rv32")) {
            for (name, index) in names.iter().flat_map(|name| [0, 4, 512, 1020].map(|index| (name, index))) {
                let block = [
                    encode(module, "ADDI", &[("rd", 6), ("rs1", 0), ("imm", index)]),
                    encode(module, "ANDI", &[("rd", 6), ("rs1", 6), ("imm", 1020)]),
                    encode(module, "ADD", &[("rd", 7), ("rs1", 5), ("rs2", 6)]),
                    access(module, name, 7, 8, -4),
                    encode(module, "ANDI", &[("rd", 6), ("rs1", 6), ("imm", 508)]),
                    encode(module, "ADD", &[("rd", 7), ("rs1", 6), ("rs2", 5)]),
                    access(module, name, 7, 9, -4),
                ];
                around_edges(&program, layout, &block, index - 4);
            }
        }
    }
}

/// Runs a block of accesses in both tiers, with the address register around every edge less `offset`.
pub fn around_edges(program: &Program, layout: Layout, block: &[u32], offset: i64) {
    let words = [block, &[JUMP_TO_ITSELF]].concat();
    let mut interpreted = machine(program, layout, &words, &[]);
    let mut compiled = machine(program, layout, &words, &[]);
    compiled.set_compiler(Box::new(Jit::new().after(0)));
    let mut starts = layout.edges();
    starts.push(layout.code().wrapping_add(0x100));
    let tohost = layout.tohost();
    for edge in starts {
        for aim in (-17..=9i64).map(|near| edge.wrapping_add_signed(near.wrapping_sub(offset))) {
            let run = |machine: &mut Machine<'_>| {
                machine.hart.set_pc(layout.code());
                machine.hart.set_x(5, aim & program.isa().xlen().mask());
                // Written to `tohost`, it ends the run.
                machine.hart.set_x(8, 3);
                machine.hart.set_x(9, 3);
                let limits = Limits { instructions: Some(machine.hart.retired() + words.len() as u64) };
                let mut screen = Screen::default();
                let stop = machine.run(limits, &mut Blind, &mut screen);
                let hart = &machine.hart;
                let tohost = tohost.and_then(|tohost| machine.memory.slice(tohost, 8)).map(<[u8]>::to_vec);
                (stop, hart.retired(), hart.pc(), hart.x(8), hart.x(9), screen.bytes, tohost)
            };
            let (expected, got) = (run(&mut interpreted), run(&mut compiled));
            assert_eq!(got, expected, "{block:x?} at {aim:#x}, {layout:x?}");
        }
    }
    let (a, b) = (&mut interpreted.memory, &mut compiled.memory);
    assert!(layout.contents(a) == layout.contents(b), "{block:x?}, {layout:x?}");
}

/// `jal zero, 0`.
const JUMP_TO_ITSELF: u32 = 0x6f;
