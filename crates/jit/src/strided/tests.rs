//! Which accesses of a loop need no checks of their own, and what is checked instead.

use std::collections::HashSet;

use engine::Program;
use engine::block::{Block, BlockId, Cut, translate};
use engine::tier::Member;
use engine::uop::FIRST_TEMP;
use hart::fault::Access;
use hart::{Address, Memory};
use isa::Descriptions;

use super::Accesses;
use super::accesses::Range;
use crate::bounds::{Bounds, UNKNOWN};

const BASE: u64 = 0x8000_0000;
const COUNTER: i64 = 23;

/// An instruction: its name, and operands by name.
pub type Instruction = (&'static str, Vec<(&'static str, i64)>);

pub fn load(name: &'static str, rd: i64, rs1: i64, imm: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("imm", imm)])
}

pub fn store(name: &'static str, rs2: i64, rs1: i64, imm: i64) -> Instruction {
    (name, vec![("rs2", rs2), ("rs1", rs1), ("imm", imm)])
}

pub fn immediate(name: &'static str, rd: i64, rs1: i64, imm: i64) -> Instruction {
    load(name, rd, rs1, imm)
}

pub fn three(name: &'static str, rd: i64, rs1: i64, rs2: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("rs2", rs2)])
}

/// What only a unit's word says that it writes.
fn from_unit(rd: i64) -> Instruction {
    ("FMV__X__D", vec![("rd", rd), ("rs1", 1)])
}

/// The block of these and a branch to the first of them, or past it.
pub fn block(program: &Program, body: &[Instruction], is_loop: bool) -> Block {
    let back = if is_loop { -4 * body.len() as i64 } else { 8 };
    let branch = ("BNE", vec![("rs1", COUNTER), ("rs2", 0), ("imm", back)]);
    translated(program, &[body, &[branch]].concat())
}

/// The block of all these.
pub fn translated(program: &Program, all: &[Instruction]) -> Block {
    let encode = |(name, operands): &Instruction| {
        let found = program.module().instructions.iter().find(|instruction| instruction.name == *name);
        let encoding = &found.unwrap_or_else(|| panic!("{name}")).encoding;
        operands.iter().fold(encoding.value, |word, (name, value)| {
            let field = encoding.fields.iter().find(|field| field.name == *name).expect("a known field");
            word | field.insert(*value as u64)
        })
    };
    let words: Vec<u8> = all.iter().flat_map(|instruction| encode(instruction).to_le_bytes()).collect();
    let mut memory = Memory::new(Address(BASE), 0x1000).expect("a small memory");
    memory.slice_mut(Address(BASE), words.len()).expect("the code fits").copy_from_slice(&words);
    let cut = Cut { longest: usize::MAX, boundaries: &HashSet::new(), timed: false, turns: false };
    translate(program, &memory, BASE, cut).expect("it is code")
}

fn accesses(
    body: &[Instruction],
    is_loop: bool,
    bounds: &Bounds,
    are_checked: impl Fn(usize) -> bool,
) -> Option<Accesses> {
    let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
    let program = Program::new("rv64imafd_zicsr", &descriptions).expect("a known ISA string");
    let block = block(&program, body, is_loop);
    let member =
        Member { id: BlockId::of(0), pc: BASE, block: &block, times: 1, is_entry: true, executions: None };
    Accesses::of(&member, bounds, are_checked)
}

/// Ranges of a loop, without where they are accessed first.
fn ranges(body: &[Instruction]) -> Vec<([u16; 2], i64, Access, i64, i64)> {
    let found = accesses(body, true, &UNKNOWN, |_| false).unwrap_or_default();
    let members = |range: &Range| (range.registers, range.stride, range.access, range.low, range.high);
    found.ranges.iter().map(members).collect()
}

const LOAD: Access = Access::Load;
const STORE: Access = Access::Store;

#[test]
fn accesses_through_registers_that_move_or_stay() {
    let body = [
        load("LD", 10, 5, 8),
        immediate("ADDI", 5, 5, 16),
        load("LW", 11, 5, -32),
        immediate("ADDI", 6, 6, -3),
        load("LBU", 12, 6, 0),
        load("LH", 13, 7, -2),
        store("SD", 10, 5, 0),
        store("SB", 10, 7, 5),
        // At an address that is known.
        load("LW", 14, 0, 64),
    ];
    let expected = [
        ([0, 5], 16, LOAD, -16, 16),
        ([0, 6], -3, LOAD, -3, -2),
        ([0, 7], 0, LOAD, -2, 0),
        ([0, 5], 16, STORE, 16, 24),
        ([0, 7], 0, STORE, 5, 6),
        ([0, 0], 0, LOAD, 64, 68),
    ];
    assert_eq!(ranges(&body), expected);
}

#[test]
fn sums_of_two_registers_and_no_more() {
    let body = [
        three("ADD", 15, 5, 6),
        load("LD", 10, 15, 8),
        three("ADD", 16, 15, 7),
        load("LD", 11, 16, 0),
        three("ADD", 17, 6, 6),
        load("LB", 12, 17, 0),
        immediate("ADDI", 18, 15, 100),
        load("LD", 13, 18, 0),
        immediate("ADDI", 5, 5, 8),
        immediate("ADDI", 6, 6, -24),
    ];
    assert_eq!(ranges(&body), [([5, 6], -16, LOAD, 8, 108), ([6, 6], -48, LOAD, 0, 1)]);
}

#[test]
fn indices_and_addresses_that_are_rounded_down() {
    let body = [
        load("LBU", 10, 5, 0),
        three("ADD", 15, 10, 6),
        load("LHU", 11, 15, 2),
        immediate("ANDI", 12, 11, 0x3f8),
        three("ADD", 16, 6, 12),
        load("LD", 13, 16, 0),
        immediate("ANDI", 17, 5, -8),
        load("LD", 14, 17, 0),
        immediate("ADDI", 5, 5, 1),
    ];
    assert_eq!(ranges(&body), [([0, 5], 1, LOAD, -7, 8), ([0, 6], 0, LOAD, 0, 0x3f8 + 8)]);
    // An index that is too large, and a number that no power of two is cut off with.
    let body = [
        immediate("ANDI", 12, 11, 0x7ff),
        three("ADD", 16, 6, 12),
        load("LD", 13, 16, 0),
        immediate("ANDI", 17, 5, -12),
        load("LD", 14, 17, 0),
        immediate("ANDI", 18, 5, -2048),
        load("LD", 15, 18, 0),
    ];
    assert_eq!(ranges(&body), []);
}

/// What registers hold where a trip begins counts until they change.
#[test]
fn registers_that_are_small_where_a_trip_begins() {
    let body = [
        immediate("XORI", 10, 10, 7),
        three("ADD", 15, 10, 6),
        load("LD", 11, 15, 0),
        immediate("XORI", 12, 12, -1),
        three("ADD", 16, 12, 6),
        load("LD", 13, 16, 64),
    ];
    let mut bounds = UNKNOWN;
    (bounds[10], bounds[12]) = (24, 24);
    let found = accesses(&body, true, &bounds, |_| false).expect("there is one");
    let range = Range {
        registers: [0, 6],
        stride: 0,
        access: LOAD,
        low: 0,
        high: 39,
        uops: found.ranges[0].uops.clone(),
    };
    assert_eq!(found.ranges, [range]);
    assert!(ranges(&body).is_empty());
}

#[test]
fn what_a_unit_writes_is_no_index() {
    let body = [
        load("LBU", 10, 5, 0),
        from_unit(10),
        ("LUI", vec![("rd", 6), ("imm", 0x5000)]),
        three("ADD", 15, 10, 6),
        load("LD", 11, 15, 0),
        load("LD", 12, 6, 0),
    ];
    let bounds = [255; FIRST_TEMP as usize];
    let found = accesses(&body, true, &bounds, |_| false).expect("there are some");
    let through: Vec<[u16; 2]> = found.ranges.iter().map(|range| range.registers).collect();
    assert_eq!(through, [[0, 0]]);
    assert_eq!(found.ranges[0].high - found.ranges[0].low, 8);
}

/// Registers that are a constant more or less in some trips only, or more than one distance.
#[test]
fn registers_that_change_otherwise_do_not_move() {
    let change: [&[Instruction]; 9] = [
        &[immediate("XORI", 5, 5, 8)],
        &[immediate("ADDIW", 5, 5, 8)],
        &[three("ADD", 5, 5, 6)],
        &[immediate("ADDI", 5, 6, 8)],
        &[immediate("ANDI", 5, 5, -8)],
        &[immediate("ANDI", 7, 8, 8), three("ADD", 5, 5, 7)],
        &[load("LD", 5, 6, 0)],
        &[three("ADD", 5, 5, 5)],
        &[from_unit(5)],
    ];
    for change in change {
        let body = [&[load("LB", 10, 5, 0), immediate("ADDI", 5, 5, 8)], change].concat();
        let through = ranges(&body).iter().filter(|range| range.0.contains(&5)).count();
        assert_eq!(through, 0, "{change:?}");
    }
    // A farther distance than any array's.
    let far = |times: usize| {
        let moves = [immediate("ADDI", 5, 5, 2047), immediate("ADDI", 5, 5, 1)];
        let moves = std::iter::repeat_n(moves, times).flatten();
        // So that each range is worth it.
        let loads = (0..4).map(|offset| load("LB", 10, 6 + offset, 0));
        [load("LB", 10, 5, 0)].into_iter().chain(moves).chain(loads).collect::<Vec<_>>()
    };
    assert_eq!(ranges(&far(32)).len(), 5);
    assert_eq!(ranges(&far(33)).len(), 4);
}

#[test]
fn ranges_are_few_and_short() {
    let many: Vec<Instruction> = (5..15).map(|base| load("LB", 20, base, 0)).collect();
    assert_eq!(ranges(&many).len(), 8);
    let wide =
        [load("LB", 10, 5, -1024), load("LB", 10, 5, 1023), load("LB", 10, 5, 1024), load("LB", 10, 5, 0)];
    assert_eq!(ranges(&wide), [([0, 5], 0, LOAD, -1024, 1024), ([0, 5], 0, LOAD, 1024, 1025)]);
    // One in many other instructions is not worth it.
    let one_of = |others: usize| {
        let others = std::iter::repeat_n(immediate("XORI", 10, 10, 1), others);
        [load("LB", 11, 5, 0)].into_iter().chain(others).collect::<Vec<_>>()
    };
    assert_eq!(ranges(&one_of(22)).len(), 1);
    assert_eq!(ranges(&one_of(23)).len(), 0);
}

#[test]
fn some_accesses_stay_checked() {
    let body = [load("LD", 10, 5, 0), load("LD", 11, 6, 0), load("LD", 12, 5, 8), store("SD", 10, 5, 0)];
    let found = accesses(&body, true, &UNKNOWN, |_| false).expect("there are some");
    let uops: Vec<Vec<usize>> = found.ranges.into_iter().map(|range| range.uops).collect();
    assert_eq!(uops.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 1]);
    // With one of a range, all of it.
    for &checked in &uops[0] {
        let found = accesses(&body, true, &UNKNOWN, |uop| uop == checked).expect("there are others");
        let has = |range: usize| uops[range].iter().any(|&uop| found.has(uop));
        assert_eq!([0, 1, 2].map(has), [false, true, true]);
        assert_eq!(found.ranges.len(), 2);
    }
    // Those that an instruction may pass by, too.
    let body = [load("LD", 10, 5, 0), ("SC__W", vec![("rd", 11), ("rs1", 6), ("rs2", 10)])];
    let found = accesses(&body, true, &UNKNOWN, |_| false).expect("there is one");
    assert_eq!(found.ranges.len(), 1);
    assert_eq!(found.ranges[0].registers, [0, 5]);
}

#[test]
fn only_loops_have_trips() {
    let body = [load("LD", 10, 5, 0)];
    assert!(accesses(&body, true, &UNKNOWN, |_| false).is_some());
    assert!(accesses(&body, false, &UNKNOWN, |_| false).is_none());
    // One that is left in its middle each time.
    let body = [load("LD", 10, 5, 0), ("CSRRS", vec![("rd", 11), ("csr", 0x340)])];
    assert!(accesses(&body, true, &UNKNOWN, |_| false).is_none());
    assert!(accesses(&[three("XOR", 10, 10, 11)], true, &UNKNOWN, |_| false).is_none());
}
