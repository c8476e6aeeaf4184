//! Loops through arrays, of every length and with every branch, for any number of trips.

use engine::Program;
use proptest::prelude::*;

use crate::effort::{effort, runner};
use crate::loops::{self, BRANCHES, Loop};
use crate::pair::Pair;
use crate::{CODE, QUIET, begin, counted, pair};

/// A run: its trips and rounds, and where it is paused.
type Run = (u64, u64, Vec<u64>);

fn run() -> impl Strategy<Value = Run> {
    let trips = prop_oneof![1 => 1..4u64, 3 => 1..50u64];
    (trips, 1..4u64, proptest::collection::vec(1..60u64, 0..8))
}

/// A division of what was spent by a wrong number, for lengths that are odd, powers of two or both, would count other trips;
/// a branch that is turned round wrongly would end the loop elsewhere.
#[test]
fn every_length_with_every_branch() {
    let program = loops::with_word_branches();
    for (length, branch) in (3..=20).flat_map(|length| BRANCHES.map(|branch| (length, branch))) {
        if (length, branch) == (3, "BEQ") {
            // `branches.rs` has one so short.
            continue;
        }
        let case = (loops::of(length, branch), 0..3u32, proptest::collection::vec(run(), 3..6));
        let salt = 0xe8ec ^ (length as u64) << 8 ^ u64::from(branch.as_bytes()[branch.len() - 1]) << 16;
        let outcome = runner(2 * effort(), salt).run(&case, |(of, after, runs)| {
            check(&program, &of, after, &runs);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{branch}, {length} instructions: {error}"));
    }
}

fn check(program: &Program, of: &Loop, after: u32, runs: &[Run]) {
    let mut pair = pair(program, &of.code(), after);
    let all = |pair: &mut Pair<'_>, (trips, rounds, pauses): &Run| {
        let context = || format!("{of:?}: {trips} trips, paused {pauses:?}");
        begin(pair, 0, &of.registers(QUIET, *trips, *rounds));
        let end = pair.interpreted.hart.retired() + of.whole(*trips, *rounds);
        for &part in pauses {
            counted(pair, part, context);
        }
        let rest = end.saturating_sub(pair.interpreted.hart.retired());
        counted(pair, rest, context);
        // It ended after so many trips, where it goes nowhere.
        assert_eq!(pair.interpreted.hart.pc().0, CODE + 4 * (of.code().len() as u64 - 1), "{}", context());
        pair.assert_same_memory(context);
    };
    for run in runs {
        all(&mut pair, run);
    }
    // What is hot by then is executed in compiled code, many trips at once.
    all(&mut pair, &(30, 1, vec![]));
    let before = pair.seen.entered.get();
    all(&mut pair, &(48, 1, vec![]));
    let entered = pair.seen.entered.get() - before;
    assert!((1..8).contains(&entered), "entered {entered} times: {of:?}");
    assert_eq!(pair.seen.refused.get(), 0, "{of:?}");
}
