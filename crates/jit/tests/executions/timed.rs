//! Runs that are told of each instruction, with their counts.

use engine::{Limits, Machine};
use proptest::prelude::*;

use crate::effort::{effort, runner};
use crate::guest::{Screen, program};
use crate::loops::{self, BRANCHES};
use crate::pair::Pair;
use crate::pairs;
use crate::watching::{Counting, Timing};
use crate::{QUIET, assert_same_profiles, begin, pair};

/// Runs both for so many instructions more: they must be told of the same ones, and have counted them.
fn told(pair: &mut Pair<'_>, instructions: u64, context: impl Fn() -> String) {
    let run = |machine: &mut Machine<'_>| {
        let mut observer = (Counting, Timing::default());
        let limits = Limits { instructions: Some(machine.hart.retired() + instructions) };
        (machine.run(limits, &mut observer, &mut Screen::default()), observer.1.executed)
    };
    let (expected, got) = (run(&mut pair.interpreted), run(&mut pair.compiled));
    assert!(got == expected, "{got:x?}\nexpected {expected:x?}, {}", context());
    pair.assert_same_harts(&context);
    assert_eq!(pair.compiled.histogram(), pair.interpreted.histogram(), "{}", context());
    assert_same_profiles(pair, context);
}

/// Records are begun in each trip although trips are not counted there; neither must be left out for the other.
#[test]
fn records_and_counts_of_the_same_run() {
    let program = loops::with_word_branches();
    let case = (3..=20usize, 0..BRANCHES.len(), 0..3u32).prop_flat_map(|(length, branch, after)| {
        let branch = if length == 3 { "BNE" } else { BRANCHES[branch] };
        let parts = proptest::collection::vec((1..20u64, proptest::collection::vec(1..50u64, 1..6)), 4..8);
        (loops::of(length, branch), Just(after), parts)
    });
    let outcome = runner(30 * effort(), 0x7).run(&case, |(of, after, runs)| {
        let mut pair = pair(&program, &of.code(), after);
        for (trips, parts) in runs {
            begin(&mut pair, 0, &of.registers(QUIET, trips, 2));
            let end = pair.interpreted.hart.retired() + of.whole(trips, 2);
            for part in parts {
                told(&mut pair, part, || format!("{trips} trips, {of:?}"));
            }
            let rest = end.saturating_sub(pair.interpreted.hart.retired()) + 1;
            told(&mut pair, rest, || format!("{trips} trips, {of:?}"));
        }
        assert!(pair.seen.entered.get() > 0 && pair.seen.refused.get() == 0, "{of:?}");
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// The same of loops of pairs, which count their first trip and no other where it begins, but begin records of all.
#[test]
fn records_and_counts_of_loops_of_pairs() {
    for rv64 in [false, true] {
        let program = program(if rv64 { "rv64i_zicsr" } else { "rv32i_zicsr" });
        let case =
            (0..6usize, 0..16usize, any::<bool>(), 0..3u32).prop_flat_map(|(branch, more, rounds, after)| {
                let of = pairs::Loop { rv64: false, branch: BRANCHES[branch], more, rounds };
                let parts =
                    proptest::collection::vec((1..12u64, proptest::collection::vec(1..150u64, 1..6)), 3..6);
                (Just(of), Just(after), parts)
            });
        let outcome = runner(10 * effort(), 0x8).run(&case, |(of, after, runs)| {
            let of = pairs::Loop { rv64, ..of };
            let mut pair = pair(&program, &of.code(), after);
            for (trips, parts) in runs {
                begin(&mut pair, 0, &of.registers(trips, 2));
                let end = pair.interpreted.hart.retired() + of.whole(trips, 2);
                for part in parts {
                    told(&mut pair, part, || format!("{trips} trips, {of:?}"));
                }
                let rest = end.saturating_sub(pair.interpreted.hart.retired()) + 1;
                told(&mut pair, rest, || format!("{trips} trips, {of:?}"));
            }
            assert!(pair.seen.entered.get() > 0 && pair.seen.refused.get() == 0, "{of:?}");
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
}
