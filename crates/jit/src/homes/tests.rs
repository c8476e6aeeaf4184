//! Which registers a region keeps, by how often its blocks are executed.

use std::collections::HashSet;

use engine::Program;
use engine::block::{Block, BlockId, Cut, translate};
use engine::tier::{Member, Region};
use hart::vector::VectorUnit;
use hart::{Address, Memory};
use isa::Descriptions;

use super::{KEEPING, entries, resident};
use crate::shape::Registers;
use crate::strided::tests::{Instruction, immediate, store, three};

const BASE: u64 = 0x8000_0000;
/// Bytes from one block to the next.
const APART: i64 = 0x100;
/// Registers that no other instruction of a test uses.
const POINTER: i64 = 30;
const READ: u16 = 10;
const WRITTEN: u16 = 11;

/// Where a block leads.
#[derive(Clone, Copy)]
pub enum End {
    /// It calls one, and the next follows the call.
    Call(usize),
    /// To the block of this number.
    To(usize),
    /// To one of two.
    Either(usize, usize),
    /// To an address in a register.
    Computed,
}

/// A block: what it does, where it leads, and how often it was executed.
pub type Sketch = (Vec<Instruction>, End, u32);

fn words(program: &Program, index: usize, (body, end, _): &Sketch) -> Vec<u8> {
    let here = |body: usize, target: usize| APART * (target as i64 - index as i64) - 4 * body as i64;
    let jump = |at, target| ("JAL", vec![("imm", here(at, target))]);
    let mut all = body.clone();
    match *end {
        End::To(target) => all.push(jump(body.len(), target)),
        // The other one follows.
        End::Either(target, other) => {
            assert_eq!(other, index + 1);
            let body = APART as usize / 4 - 1;
            all.resize(body, ("ADDI", vec![]));
            all.push(("BEQ", vec![("rs1", POINTER), ("rs2", 0), ("imm", here(body, target))]));
        }
        End::Call(target) => {
            let body = APART as usize / 4 - 1;
            all.resize(body, ("ADDI", vec![]));
            all.push(("JAL", vec![("rd", 1), ("imm", here(body, target))]));
        }
        End::Computed => all.push(("JALR", vec![("rs1", POINTER)])),
    }
    let encode = |(name, operands): &Instruction| {
        let found = program.module().instructions.iter().find(|instruction| instruction.name == *name);
        let encoding = &found.unwrap_or_else(|| panic!("{name}")).encoding;
        operands.iter().fold(encoding.value, |word, (name, value)| {
            let field = encoding.fields.iter().find(|field| field.name == *name).expect("a known field");
            word | field.insert(*value as u64)
        })
    };
    all.iter().flat_map(|instruction| encode(instruction).to_le_bytes()).collect()
}

/// Calls with the region of these blocks.
pub fn with_region<T>(sketches: &[Sketch], then: impl FnOnce(&Region<'_>) -> T) -> T {
    let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
    let program = Program::new("rv64imafd_zicsr", &descriptions).expect("a known ISA string");
    let mut memory = Memory::new(Address(BASE), 0x2000).expect("a small memory");
    let address = |index: usize| BASE + APART as u64 * index as u64;
    for (index, sketch) in sketches.iter().enumerate() {
        let words = words(&program, index, sketch);
        memory.slice_mut(Address(address(index)), words.len()).expect("room").copy_from_slice(&words);
    }
    let cut = Cut { longest: usize::MAX, boundaries: &HashSet::new(), timed: false, turns: false };
    let blocks: Vec<Block> = (0..sketches.len())
        .map(|index| translate(&program, &memory, address(index), cut).expect("it is code"))
        .collect();
    let member = |(index, block)| Member {
        id: BlockId::of(index as u32),
        pc: address(index),
        block,
        times: sketches[index].2,
        is_entry: true,
        executions: None,
    };
    let vector = VectorUnit::new(program.isa());
    let members = blocks.iter().enumerate().map(member).collect();
    let layout = memory.layout();
    then(&Region { program: &program, layout, timed: false, vector: &vector, members })
}

/// The registers kept if no block is a loop that needs all of its own.
fn kept(sketches: &[Sketch]) -> Vec<u16> {
    with_region(sketches, |region| resident(region, |_| false)).iter().collect()
}

fn entered(sketches: &[Sketch]) -> u64 {
    with_region(sketches, |region| {
        let times: Vec<u64> = region.members.iter().map(|member| member.times.into()).collect();
        entries(region, &times)
    })
}

/// Reads a register.
fn reads(register: u16) -> Instruction {
    store("SD", register.into(), POINTER, 0)
}

/// Writes a register, and reads none.
fn writes(register: u16) -> Instruction {
    immediate("ADDI", register.into(), 0, 1)
}

/// Blocks that follow each other, each executed so many `times`, and then lead elsewhere.
fn row(bodies: Vec<Vec<Instruction>>, times: u32) -> Vec<Sketch> {
    let last = bodies.len() - 1;
    let end = |index| if index == last { End::Computed } else { End::To(index + 1) };
    bodies.into_iter().enumerate().map(|(index, body)| (body, end(index), times)).collect()
}

#[test]
fn a_block_alone_keeps_all() {
    assert_eq!(with_region(&row(vec![vec![]], 0), |region| resident(region, |_| false)), Registers::ALL);
}

#[test]
fn a_hot_loop_keeps_its_registers_and_no_others() {
    let body = vec![three("ADD", 5, 6, 7), three("XOR", 8, 8, 5)];
    let sketches =
        [(body, End::Either(0, 1), 1000), (vec![three("ADD", 12, 13, 14), reads(6)], End::Computed, 1)];
    assert_eq!(kept(&sketches), [5, 6, 7, 8, POINTER as u16]);
}

#[test]
fn what_is_entered_as_often_as_it_is_executed_keeps_nothing() {
    for times in [1, 100, 1 << 31] {
        let sketches = [
            (vec![three("ADD", 5, 6, 7), three("AND", 8, 6, 6)], End::Computed, times),
            (vec![three("ADD", 7, 5, 6)], End::Computed, times),
            (vec![three("SUB", 6, 5, 7)], End::Computed, times),
        ];
        assert_eq!(kept(&sketches), [0_u16; 0], "{times}");
    }
}

#[test]
fn the_least_reads_that_pay() {
    for times in [1, 7, 1000] {
        for readers in 0..6 {
            let bodies = (0..6).map(|index| if index < readers { vec![reads(READ)] } else { vec![] });
            let is_kept = kept(&row(bodies.collect(), times)).contains(&READ);
            assert_eq!(is_kept, readers as u64 > KEEPING, "{readers} readers, {times} times");
        }
    }
}

#[test]
fn one_that_is_written_needs_twice_as_much() {
    let of = |reading: usize, writing: usize| {
        let body = |index: usize| {
            let mut body = vec![];
            body.extend((index < reading).then(|| reads(WRITTEN)));
            body.extend((index < writing).then(|| writes(WRITTEN)));
            body
        };
        kept(&row((0..8).map(body).collect(), 9)).contains(&WRITTEN)
    };
    assert!(of(4, 0) && !of(3, 0));
    assert!(!of(4, 1) && !of(5, 1) && of(6, 1));
    assert!(!of(3, 3) && of(4, 3) && of(3, 4));
    assert!(!of(0, 6) && of(0, 7));
}

/// Each write is one access, but a read after another access of its block is none.
#[test]
fn accesses_of_a_block() {
    let kept_of = |body: Vec<Instruction>| {
        let bodies = (0..3).map(|_| body.clone());
        kept(&row(bodies.collect(), 4)).contains(&WRITTEN)
    };
    assert!(!kept_of(vec![writes(WRITTEN), writes(WRITTEN)]));
    assert!(kept_of(vec![writes(WRITTEN), writes(WRITTEN), writes(WRITTEN)]));
    assert!(!kept_of(vec![writes(WRITTEN), reads(WRITTEN), reads(WRITTEN)]));
    assert!(!kept_of(vec![reads(WRITTEN), reads(WRITTEN), writes(WRITTEN)]));
    assert!(kept_of(vec![reads(WRITTEN), writes(WRITTEN), writes(WRITTEN)]));
}

/// What a unit writes is in its home already, and has to be stored for others as well.
#[test]
fn one_that_a_unit_writes() {
    let unit: Instruction = ("FMV__X__D", vec![("rd", WRITTEN.into()), ("rs1", 1)]);
    let of = |readers: usize| {
        let mut bodies = vec![vec![unit.clone(), reads(WRITTEN)]];
        bodies.extend((0..readers).map(|_| vec![reads(WRITTEN)]));
        kept(&row(bodies, 4)).contains(&WRITTEN)
    };
    assert!(!of(6) && of(7));
}

#[test]
fn loops_that_need_them_keep_their_registers() {
    let sketches = [
        (vec![three("ADD", 5, 6, 7)], End::Computed, 1),
        (vec![three("ADD", 8, 9, 10), reads(5)], End::Computed, 1),
    ];
    let of = |index| {
        let registers = with_region(&sketches, |region| resident(region, |member| member == index));
        registers.iter().filter(|&register| register != POINTER as u16).collect::<Vec<u16>>()
    };
    assert_eq!(of(0), [5, 6, 7]);
    assert_eq!(of(1), [5, 8, 9, 10]);
    assert_eq!(of(2), [0_u16; 0]);
}

#[test]
fn compiled_blocks_count_as_the_most_executed_others() {
    let of = |times: [u32; 4], readers: usize| {
        let bodies = (0..4).map(|index| if index < readers { vec![reads(READ)] } else { vec![] });
        let mut sketches = row(bodies.collect(), 0);
        sketches.iter_mut().zip(times).for_each(|(sketch, times)| sketch.2 = times);
        kept(&sketches).contains(&READ)
    };
    for times in [[10, u32::MAX, u32::MAX, u32::MAX], [u32::MAX, 10, 3, u32::MAX], [u32::MAX; 4]] {
        assert!(!of(times, 3), "{times:?}");
    }
    assert!(of([10, u32::MAX, u32::MAX, u32::MAX], 4));
    assert!(of([u32::MAX; 4], 4));
    // Not more often than any can be: a loop around four blocks pays although it is entered from one like that.
    let mut around: Vec<Sketch> =
        (0..4).map(|index| (vec![reads(READ)], End::To((index + 1) % 4), 1000)).collect();
    around.push((vec![], End::Computed, u32::MAX));
    assert!(kept(&around).contains(&READ));
    // Of none that was executed, entering is still to be paid for.
    assert!(!of([0; 4], 4));
}

#[test]
fn entries_are_executions_that_come_from_no_other_block() {
    let sketch = |end, times| (vec![], end, times);
    let elsewhere = |times| sketch(End::Computed, times);
    assert_eq!(entered(&[sketch(End::To(1), 7), elsewhere(7)]), 7);
    assert_eq!(entered(&[sketch(End::To(1), 7), elsewhere(10)]), 10);
    assert_eq!(entered(&[sketch(End::To(1), 10), elsewhere(7)]), 10);
    assert_eq!(entered(&[elsewhere(7), elsewhere(10)]), 17);
    // As often as each was executed.
    let fork = [sketch(End::Either(2, 1), 100), sketch(End::To(2), 25), elsewhere(75)];
    assert_eq!(entered(&fork), 100);
    // A loop, all of which comes from itself.
    assert_eq!(entered(&[sketch(End::To(1), 50), sketch(End::To(0), 50)]), 1);
    assert_eq!(entered(&[elsewhere(0), elsewhere(0)]), 1);
    // No product of two counts is too large.
    let most = u32::MAX - 1;
    assert_eq!(entered(&[sketch(End::To(1), most), sketch(End::To(0), most)]), 1);
}

/// What is compiled already was executed as often as others lead to it, if any do.
#[test]
fn compiled_blocks_are_entered_from_others() {
    let sketch = |end, times| (vec![], end, times);
    let compiled = |end| sketch(end, u32::MAX);
    assert_eq!(entered(&[sketch(End::To(1), 7), compiled(End::Computed)]), 7);
    assert_eq!(entered(&[sketch(End::To(1), 7), compiled(End::To(2)), sketch(End::Computed, 9)]), 7);
    // Nothing leads to it.
    assert_eq!(entered(&[compiled(End::To(1)), sketch(End::Computed, 9)]), u64::from(u32::MAX));
    // What leads to it was never executed.
    assert_eq!(entered(&[sketch(End::To(1), 0), compiled(End::Computed)]), u64::from(u32::MAX));
    // Others are entered as before, whatever they lead to.
    assert_eq!(entered(&[sketch(End::To(2), 7), sketch(End::To(2), 5), compiled(End::Computed)]), 12);
    assert_eq!(entered(&[compiled(End::To(1)), compiled(End::To(0)), sketch(End::Computed, 3)]), 3);
    // A loop of one block that is compiled, between two that are not.
    let between = [sketch(End::To(1), 7), compiled(End::Either(1, 2)), sketch(End::Computed, 7)];
    assert!((7..=8).contains(&entered(&between)));
}

/// A round of a cipher, of which some blocks were compiled before: it keeps the registers that they have in common.
#[test]
fn a_loop_around_compiled_blocks_keeps_its_registers() {
    let body = || vec![reads(READ)];
    let mut around = vec![(body(), End::To(1), 1000)];
    around.extend((1..4).map(|index| (body(), End::To(index + 1), u32::MAX)));
    around.extend([(vec![], End::Either(0, 5), 1000), (vec![], End::Computed, 10)]);
    assert!(kept(&around).contains(&READ));
    // The same if all but the first was.
    around[4].2 = u32::MAX;
    assert!(kept(&around).contains(&READ));
}
