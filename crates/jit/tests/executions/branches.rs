//! Loops of three instructions, whose branch back compares what a trip loads.

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use proptest::sample::select;

use crate::effort::{effort, runner};
use crate::loops::{BRANCHES, DATA, MOVING, with_word_branches};
use crate::{CODE, QUIET, access, add, begin, branch, counted, jump, pair};

/// Numbers around which comparisons of one kind differ from those of another.
const CORNERS: [u64; 12] = [
    0,
    1,
    u64::MAX,
    1 << 63,
    (1 << 63) - 1,
    1 << 31,
    (1 << 31) - 1,
    1 << 32,
    (1 << 32) - 1,
    u64::MAX << 31,
    u64::MAX << 32,
    0x8000_0000_8000_0000,
];
/// Most trips.
const TRIPS: usize = 24;

fn holds(branch: &str, a: u64, b: u64) -> bool {
    let word = |number: u64| number as u32 as i32;
    match branch {
        "BEQ" => a == b,
        "BNE" => a != b,
        "BLT" => a.cast_signed() < b.cast_signed(),
        "BGE" => a.cast_signed() >= b.cast_signed(),
        "BLTU" => a < b,
        "BGEU" => a >= b,
        "BLTW" => word(a) < word(b),
        _ => word(a) >= word(b),
    }
}

/// A comparison that is taken for another one, or whose complement is not exactly its opposite, would go on or end at a
/// number that only the right one tells from others.
#[test]
fn each_branch_goes_on_while_it_holds() {
    let program = with_word_branches();
    let number = || prop_oneof![2 => select(CORNERS.to_vec()), 1 => any::<u64>()];
    for name in BRANCHES {
        let again = branch(name, DATA, DATA + 1, -2);
        let code = [access("LD", DATA, MOVING[0], 0), add(MOVING[0], MOVING[0], 8), again, jump(0)];
        let mut pair = pair(&program, &code, 2);
        let numbers = proptest::collection::vec(number(), 4 * TRIPS);
        let case = (numbers, number(), number(), 0..TRIPS, 0..3 * TRIPS as u64);
        let seed = u64::from(name.as_bytes()[1]) << 8 | name.len() as u64;
        let (cell, ends) = (RefCell::new(&mut pair), Cell::new(0));
        let outcome = runner(40 * effort(), seed).run(&case, |(numbers, bound, last, trips, pause)| {
            let mut pair = cell.borrow_mut();
            let mut all: Vec<u64> =
                numbers.into_iter().filter(|&number| holds(name, number, bound)).collect();
            all.truncate(trips);
            // If no number ends the loop, the limit does.
            let last = [last, bound, bound ^ 1, bound.wrapping_sub(1), bound.wrapping_add(1)];
            all.extend(last.into_iter().find(|&number| !holds(name, number, bound)));
            let bytes: Vec<u8> = all.iter().flat_map(|number| number.to_le_bytes()).collect();
            pair.each(|machine| {
                let pages = machine.memory.pages_mut().expect("a process's");
                pages.raw_mut(QUIET, bytes.len()).expect("room").copy_from_slice(&bytes);
            });
            begin(&mut pair, 0, &[(MOVING[0], QUIET), (DATA + 1, bound)]);
            let context = || format!("{name} {bound:#x}: {all:x?}, paused after {pause}");
            let whole = 3 * all.len() as u64;
            counted(&mut pair, pause.min(whole), context);
            counted(&mut pair, whole - pause.min(whole) + 1, context);
            if all.last().is_some_and(|&number| !holds(name, number, bound)) {
                assert_eq!(pair.compiled.hart.pc().0, CODE + 12, "{}", context());
                ends.set(ends.get() + 1);
            }
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(ends.get() > 25 && pair.seen.entered.get() > 25 && pair.seen.refused.get() == 0, "{name}");
    }
}
