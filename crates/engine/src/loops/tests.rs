//! Which loops are longer than a block, and what takes a block's place.

use std::collections::HashSet;

use hart::{Address, Memory};
use isa::Descriptions;

use super::{MOST, is_same, length};
use crate::block::{BlockId, Cache, Cut, translate};
use crate::heat::Heat;
use crate::program::Program;

const BASE: u64 = 0x8000_0000;
const NOP: u32 = 0x13;
/// `fence.i` and an atomic.
const FENCE: u32 = 0x0000_100f;
const ATOMIC: u32 = 0x0000_202f | 5 << 7 | 6 << 15;
/// `jalr zero, 0(t0)`.
const COMPUTED: u32 = 0x0002_8067;

/// `bne t0, zero` over so many instructions.
fn branch(over: i32) -> u32 {
    let bits = (4 * over) as u32;
    let [sign, upper, lower, last] = [bits >> 12 & 1, bits >> 5 & 63, bits >> 1 & 15, bits >> 11 & 1];
    sign << 31 | upper << 25 | 5 << 15 | 1 << 12 | lower << 8 | last << 7 | 0x63
}

/// `jal zero` over so many.
fn jump(over: i32) -> u32 {
    let bits = (4 * over) as u32;
    let [sign, lower, middle, upper] = [bits >> 20 & 1, bits >> 1 & 0x3ff, bits >> 11 & 1, bits >> 12 & 0xff];
    sign << 31 | lower << 21 | middle << 20 | upper << 12 | 0x6f
}

/// Code, and its blocks.
struct Guest {
    program: Program,
    memory: Memory,
    cache: Cache,
    turns: bool,
}

impl Guest {
    fn new(words: &[u32]) -> Self {
        let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
        let program = Program::new("rv64ima_zifencei", &descriptions).expect("a known ISA string");
        let mut memory = Memory::new(Address(BASE), 0x4000).expect("a small memory");
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.slice_mut(Address(BASE), bytes.len()).expect("room").copy_from_slice(&bytes);
        Self { program, memory, cache: Cache::default(), turns: false }
    }

    /// A block of at most so many instructions from one on.
    fn block(&self, first: usize, longest: usize) -> crate::block::Block {
        let cut = Cut { longest, boundaries: &HashSet::new(), timed: false, turns: self.turns };
        translate(&self.program, &self.memory, BASE + 4 * first as u64, cut).expect("it is code")
    }

    /// Adds it.
    fn add(&mut self, first: usize, longest: usize) -> BlockId {
        let block = self.block(first, longest);
        self.cache.insert(block.pc, block)
    }

    /// Blocks of so many instructions up to an instruction.
    fn add_all(&mut self, longest: usize, end: usize) -> BlockId {
        let mut first = 0;
        while first < end {
            let id = self.add(first, longest);
            first += self.cache.block(id).decoded.len();
        }
        self.cache.find(BASE).expect("the first")
    }
}

/// So many instructions of which the last is as told.
fn ended(length: usize, last: u32) -> Vec<u32> {
    let mut words = vec![NOP; length];
    words[length - 1] = last;
    words
}

/// The length found in blocks of ten instructions.
fn found(words: &[u32]) -> Option<usize> {
    let mut guest = Guest::new(words);
    let head = guest.add_all(10, words.len());
    length(&guest.cache, head)
}

#[test]
fn a_loop_through_several_blocks() {
    for length in [11, 20, 21, 30, 57] {
        assert_eq!(found(&ended(length, branch(1 - length as i32))), Some(length));
        assert_eq!(found(&ended(length, jump(1 - length as i32))), Some(length));
    }
}

#[test]
fn a_loop_of_one_block_is_as_long_as_it_is() {
    for length in [2, 9, 10] {
        assert_eq!(found(&ended(length, branch(1 - length as i32))), None);
    }
}

#[test]
fn as_many_instructions_as_there_may_be() {
    let of = |length: usize| {
        let words = ended(length, branch(0));
        let mut guest = Guest::new(&words);
        let mut first = 0;
        while first < length - 1 {
            guest.add(first, 256.min(length - 1 - first));
            first += 256.min(length - 1 - first);
        }
        // Too far for a branch.
        let jump = jump(1 - length as i32).to_le_bytes();
        let last = Address(BASE + 4 * (length as u64 - 1));
        guest.memory.slice_mut(last, 4).expect("room").copy_from_slice(&jump);
        guest.add(length - 1, 256);
        super::length(&guest.cache, guest.cache.find(BASE).expect("the first"))
    };
    assert_eq!(of(MOST), Some(MOST));
    assert_eq!(of(MOST + 1), None);
}

#[test]
fn what_does_not_go_straight_to_its_end_is_no_loop() {
    let with = |at: usize, word: u32| {
        let mut words = ended(40, branch(-39));
        words[at] = word;
        found(&words)
    };
    assert_eq!(with(15, NOP), Some(40));
    for (at, word) in [
        // A way out of its middle, a jump over a part of it, a computed one, and one to where it goes on anyway.
        (15, branch(30)),
        (15, branch(2)),
        (15, jump(3)),
        (15, COMPUTED),
        (39, COMPUTED),
        // Back to another instruction.
        (39, branch(-38)),
        (39, branch(-40)),
        // What was translated before is dropped there.
        (15, FENCE),
    ] {
        assert_eq!(with(at, word), None, "{word:#x} at {at}");
    }
}

#[test]
fn blocks_that_nothing_has_led_to_yet() {
    for missing in 1..4 {
        let words = ended(40, branch(-39));
        let mut guest = Guest::new(&words);
        let head = guest.add(0, 10);
        for part in (1..4).filter(|&part| part != missing) {
            guest.add(10 * part, 10);
        }
        assert_eq!(length(&guest.cache, head), None);
        guest.add(10 * missing, 10);
        assert_eq!(length(&guest.cache, head), Some(40));
    }
}

#[test]
fn what_other_harts_may_be_waited_for_in_is_no_loop() {
    let mut words = ended(40, branch(-39));
    words[15] = ATOMIC;
    for turns in [false, true] {
        let mut guest = Guest::new(&words);
        guest.turns = turns;
        let head = guest.add_all(10, 40);
        assert_eq!(length(&guest.cache, head), (!turns).then_some(40));
    }
}

/// Memory may hold others by now.
#[test]
fn the_same_instructions() {
    let words = ended(40, branch(-39));
    let mut guest = Guest::new(&words);
    let head = guest.add_all(10, 40);
    assert!(is_same(&guest.cache, head, &guest.block(0, 40)));
    for at in [0, 9, 10, 25, 38] {
        let mut other = words.clone();
        other[at] = NOP | 5 << 7;
        assert!(!is_same(&guest.cache, head, &Guest::new(&other).block(0, 40)), "{at}");
    }
    // Shorter than what it would be in place of, and longer than what is known.
    assert!(!is_same(&guest.cache, head, &guest.block(0, 35)));
    guest.cache.flush();
    let head = guest.add_all(10, 30);
    assert!(!is_same(&guest.cache, head, &guest.block(0, 40)));
}

#[test]
fn a_block_in_place_of_another() {
    let mut guest = Guest::new(&ended(40, branch(-39)));
    let head = guest.add_all(10, 40);
    let [second, last] = [10, 30].map(|at| guest.cache.find(BASE + 4 * at).expect("a block"));
    for (from, exit, to) in [(head, 1, second), (last, 0, head), (last, 1, second)] {
        guest.cache.set_link(from, exit, to);
    }
    guest.cache.set_heat(head, Heat::Executed(77));
    guest.cache.count(head);
    let whole = guest.block(0, 40);
    let new = guest.cache.replace(head, whole);
    assert_ne!(new, head);
    assert_eq!(guest.cache.find(BASE), Some(new));
    assert_eq!(guest.cache.block(new).decoded.len(), 40);
    assert_eq!((guest.cache.link(last, 0), guest.cache.link(last, 1)), (Some(new), Some(second)));
    assert_eq!((guest.cache.link(new, 0), guest.cache.link(new, 1)), (None, None));
    assert_eq!(guest.cache.heat_of(new), Heat::Executed(77));
    // Nothing was executed as this one, and what is in progress as the other one goes on.
    assert_eq!((guest.cache.executions(new).get(), guest.cache.executions(head).get()), (0, 1));
    assert_eq!(guest.cache.block(head).decoded.len(), 10);
    // As one block, it is a loop of one block.
    assert_eq!(length(&guest.cache, new), None);
    assert_eq!(guest.cache.profile().values().sum::<u64>(), 10);
}
