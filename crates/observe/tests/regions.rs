//! Counting of what executes between two addresses.

use engine::{Limits, Machine, Program, Stop};
use hart::{Address, Host, Htif, Memory};
use isa::Descriptions;
use observe::{Counting, Region};

const BASE: u64 = 0x8000_0000;
const NOP: u32 = 0x13;
/// `addi a0, a0, 1`
const ADD: u32 = 0x0015_0513;

struct Silent;

impl Host for Silent {
    fn console(&mut self, _: &[u8]) {}
}

fn program() -> Program {
    Program::new("rv32im", &Descriptions::read(&[]).expect("sound descriptions")).expect("a known ISA string")
}

fn machine<'p>(program: &'p Program, words: &[u32]) -> Machine<'p> {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut memory = Memory::new(Address(BASE), 0x1000).expect("a small memory");
    memory.slice_mut(Address(BASE), code.len()).expect("it fits").copy_from_slice(&code);
    Machine::new(program, memory, Address(BASE), Htif::default())
}

/// Regions between the instructions numbered `begin` and `end`, after `limit` instructions.
fn regions(words: &[u32], begin: u64, end: u64, limit: u64) -> Vec<Region> {
    let program = program();
    let mut machine = machine(&program, words);
    let bounds = (Address(BASE + 4 * begin), Address(BASE + 4 * end));
    let mut counting = Counting::new(program.module().instructions.len(), Some(bounds));
    machine.run(Limits { instructions: Some(limit) }, &mut counting, &mut Silent);
    assert_eq!(machine.hart.retired(), limit, "watching changes no count");
    assert_eq!(machine.histogram().iter().sum::<u64>(), limit);
    for region in &counting.regions {
        assert_eq!(region.opcodes.iter().sum::<u64>(), region.instructions);
    }
    counting.regions
}

fn lengths(regions: &[Region]) -> Vec<u64> {
    regions.iter().map(|region| region.instructions).collect()
}

/// `jal zero, offset` in instructions.
fn jump(instructions: i32) -> u32 {
    let imm = (4 * instructions) as u32;
    (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3ff) << 21 | (imm >> 11 & 1) << 20 | (imm >> 12 & 0xff) << 12 | 0x6f
}

#[test]
fn a_region_inside_a_straight_run() {
    assert_eq!(lengths(&regions(&[NOP; 20], 3, 9, 15)), [6]);
    assert_eq!(lengths(&regions(&[NOP; 20], 0, 9, 15)), [9], "from the very first instruction");
    assert_eq!(lengths(&regions(&[NOP; 20], 3, 4, 15)), [1]);
}

#[test]
fn opcodes_are_those_of_the_region() {
    let mut words = [NOP; 12];
    // sub, inside; mul, outside
    words[4] = 0x40b5_0533;
    words[8] = 0x02b5_0533;
    let program = program();
    let index =
        |name: &str| program.module().instructions.iter().position(|i| i.name == name).expect("known");
    let regions = regions(&words, 3, 7, 11);
    assert_eq!(lengths(&regions), [4]);
    let count = |name| regions[0].opcodes[index(name)];
    assert_eq!((count("ADDI"), count("SUB"), count("MUL")), (3, 1, 0));
}

#[test]
fn each_passage_is_a_region() {
    // Five instructions round and round, three of them in the region.
    let words = [NOP, ADD, NOP, ADD, jump(-4)];
    assert_eq!(lengths(&regions(&words, 1, 4, 25)), [3; 5]);
    assert_eq!(lengths(&regions(&words, 1, 4, 22)), [3; 4], "the fifth has begun and not ended");
}

#[test]
fn a_region_that_wraps_around_a_loop() {
    // From the loop's end to its beginning.
    assert_eq!(lengths(&regions(&[NOP, ADD, NOP, ADD, jump(-4)], 3, 1, 25)), [3; 4]);
}

#[test]
fn a_region_entered_again_counts_from_the_last_entry() {
    // 0: begin; 1: back to 0 three times by `bne a0, a1`; 3: end.
    let words = [ADD, 0xfeb5_1ee3, NOP, NOP, NOP];
    let program = program();
    let mut machine = machine(&program, &words);
    machine.hart.set_x(11, 3);
    let bounds = (Address(BASE), Address(BASE + 12));
    let mut counting = Counting::new(program.module().instructions.len(), Some(bounds));
    machine.run(Limits { instructions: Some(8) }, &mut counting, &mut Silent);
    assert_eq!(lengths(&counting.regions), [3]);
}

#[test]
fn regions_never_begun_or_never_ended_are_none() {
    assert_eq!(lengths(&regions(&[NOP; 20], 18, 9, 15)), [0; 0]);
    assert_eq!(lengths(&regions(&[NOP; 20], 3, 18, 15)), [0; 0]);
    assert_eq!(lengths(&regions(&[NOP; 20], 30, 40, 15)), [0; 0]);
}

#[test]
fn an_end_that_is_reached_at_the_limit_may_be_read_by_continuing() {
    let program = program();
    let mut machine = machine(&program, &[NOP; 20]);
    let bounds = (Address(BASE + 8), Address(BASE + 24));
    let mut counting = Counting::new(program.module().instructions.len(), Some(bounds));
    for limit in [3, 5, 6, 9] {
        machine.run(Limits { instructions: Some(limit) }, &mut counting, &mut Silent);
    }
    assert_eq!(lengths(&counting.regions), [4]);
}

#[test]
fn without_a_region_only_the_whole_is_counted() {
    let program = program();
    let mut machine = machine(&program, &[NOP; 20]);
    let mut counting = Counting::new(program.module().instructions.len(), None);
    machine.run(Limits { instructions: Some(11) }, &mut counting, &mut Silent);
    assert!(counting.regions.is_empty());
    assert_eq!(machine.histogram().iter().sum::<u64>(), 11);
}

/// gem5's markers: reset, dump, dump and reset, exit.
const RESET: u32 = 0x8000_007b;
const DUMP: u32 = 0x8200_007b;
const DUMP_RESET: u32 = 0x8400_007b;
const EXIT: u32 = 0x4200_007b;

#[test]
fn markers_of_the_program_delimit_regions_too() {
    let program = program();
    let words = [NOP, RESET, ADD, ADD, DUMP, NOP, RESET, ADD, DUMP_RESET, ADD, ADD, ADD, DUMP, EXIT, NOP];
    let mut machine = machine(&program, &words);
    let mut counting = Counting::new(program.module().instructions.len(), None);
    let stop = machine.run(Limits { instructions: Some(100) }, &mut counting, &mut Silent);
    assert_eq!((stop, machine.hart.retired()), (Stop::Exit(0), 14));
    assert_eq!(lengths(&counting.regions), [2, 1, 3]);
    for region in &counting.regions {
        assert_eq!(region.opcodes.iter().sum::<u64>(), region.instructions);
    }
}

#[test]
fn a_dump_without_a_reset_counts_nothing() {
    let program = program();
    let mut machine = machine(&program, &[NOP, DUMP, NOP, EXIT]);
    let mut counting = Counting::new(program.module().instructions.len(), None);
    machine.run(Limits { instructions: Some(100) }, &mut counting, &mut Silent);
    assert_eq!(counting.regions, []);
}
