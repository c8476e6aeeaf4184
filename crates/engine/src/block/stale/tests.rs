//! Which blocks are dropped once memory was written to.

use std::collections::HashSet;

use hart::{Address, Memory};
use isa::Descriptions;

use crate::block::{BlockId, Cache, Cut, translate};
use crate::program::Program;

const BASE: u64 = 0x8000_0000;
const RET: u32 = 0x8067;

/// `addi x8, x8, by`.
const fn add(by: u32) -> u32 {
    0x0004_0413 | by << 20
}

/// Code, and what was translated of it.
struct Guest {
    program: Program,
    memory: Memory,
    cache: Cache,
}

impl Guest {
    fn new(bytes: usize) -> Self {
        let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
        let program = Program::new("rv64i", &descriptions).expect("a known ISA string");
        let memory = Memory::new(Address(BASE), bytes).expect("a small memory");
        Self { program, memory, cache: Cache::default() }
    }

    fn write(&mut self, pc: u64, word: u32) {
        let place = self.memory.slice_mut(Address(pc), 4).expect("room");
        place.copy_from_slice(&word.to_le_bytes());
    }

    /// Puts a function of so many additions somewhere, and translates it.
    fn function(&mut self, pc: u64, additions: u64) -> BlockId {
        (0..additions).for_each(|index| self.write(pc + 4 * index, add(1)));
        self.write(pc + 4 * additions, RET);
        self.translate(pc)
    }

    fn translate(&mut self, pc: u64) -> BlockId {
        let cut = Cut { longest: usize::MAX, boundaries: &HashSet::new(), timed: false, turns: false };
        let block = translate(&self.program, &self.memory, pc, cut).expect("it is code");
        self.cache.remember(&self.memory, &block);
        self.cache.insert(pc, block)
    }

    fn stale(&mut self) -> bool {
        self.cache.is_stale(&self.memory)
    }
}

#[test]
fn code_that_nobody_wrote_to_is_kept() {
    let mut guest = Guest::new(0x4000);
    let known = guest.function(BASE, 3);
    guest.write(BASE + 0x2000, add(7));
    assert!(!guest.stale());
    assert_eq!(guest.cache.find(BASE), Some(known));
}

#[test]
fn data_on_a_page_of_code_may_change_and_code_may_not() {
    let mut guest = Guest::new(0x4000);
    guest.function(BASE, 3);
    guest.write(BASE + 0x104, add(2));
    assert!(!guest.stale());
    guest.write(BASE + 4, add(2));
    assert!(guest.stale(), "the page is looked at again");
}

#[test]
fn code_from_between_two_writes_is_dropped_though_the_page_is_what_it_was() {
    let mut guest = Guest::new(0x4000);
    guest.function(BASE, 3);
    guest.function(BASE + 0x100, 1);
    guest.write(BASE + 0x100, add(2));
    guest.translate(BASE + 0x100);
    guest.write(BASE + 0x100, add(1));
    assert!(guest.stale());
}

#[test]
fn a_block_on_two_pages_is_dropped_by_a_write_to_either() {
    for at in [0x0ff8, 0x1004] {
        let mut guest = Guest::new(0x4000);
        guest.function(BASE + 0x0ff4, 5);
        guest.write(BASE + at, add(9));
        assert!(guest.stale(), "{at:#x}");
    }
}

#[test]
fn code_in_a_memory_that_ends_in_its_page_is_compared_by_itself() {
    let mut guest = Guest::new(0x80);
    guest.function(BASE, 3);
    guest.function(BASE + 0x40, 3);
    assert!(!guest.stale());
    guest.write(BASE + 0x44, add(2));
    assert!(guest.stale());
}

#[test]
fn a_copy_of_a_cache_knows_the_pages() {
    let mut guest = Guest::new(0x4000);
    guest.function(BASE, 3);
    let mut copy = guest.cache.uncounted();
    guest.write(BASE, add(2));
    assert!(copy.is_stale(&guest.memory));
}

#[test]
fn a_block_that_another_took_the_place_of_is_dropped_with_it() {
    let mut guest = Guest::new(0x4000);
    let old = guest.function(BASE, 3);
    let cut = Cut { longest: usize::MAX, boundaries: &HashSet::new(), timed: false, turns: false };
    let block = translate(&guest.program, &guest.memory, BASE, cut).expect("it is code");
    guest.cache.replace(old, block);
    guest.write(BASE + 4, add(2));
    assert!(guest.stale());
}
