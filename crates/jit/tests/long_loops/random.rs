//! Random loops: upper halves matter in some places, and in others they do not.

use proptest::prelude::*;
use proptest::sample::select;

use crate::effort::{effort, runner};
use crate::guest::program;
use crate::loops::{self, Back, Loop};
use crate::{AFTER, ISA, QUIET, begin, counted, hot, pair};

fn of() -> impl Strategy<Value = Loop> {
    let length = prop_oneof![2 => 192..257usize, 3 => 257..420usize, 1 => 420..900usize];
    (length, select(&Back::ALL[..])).prop_flat_map(|(length, back)| loops::of(length, back))
}

/// Runs of so many trips, each paused after so many instructions.
type Runs = Vec<(u64, Vec<u64>)>;

fn runs() -> impl Strategy<Value = Runs> {
    proptest::collection::vec((1..9u64, proptest::collection::vec(0..2000u64, 0..5)), 6)
}

#[test]
fn random_loops() {
    let program = program(ISA);
    let whole = std::cell::Cell::new(0);
    let outcome = runner(24 * effort(), 0x10a9).run(&(of(), runs()), |(of, runs)| {
        let mut pair = hot(&program, &of);
        for (trips, pauses) in &runs {
            let context = || format!("{trips} trips, paused {pauses:?}, {of:?}");
            begin(&mut pair, 0, &of.registers(QUIET, *trips, 2));
            for &part in pauses {
                pair.run(part, context);
            }
            pair.run(of.whole(*trips, 2), context);
        }
        pair.assert_same_memory(|| format!("{of:?}"));
        whole.set(whole.get() + usize::from(pair.seen.whole.get() > 0));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(whole.get() >= 10 * effort() as usize, "{} loops became one block", whole.get());
}

#[test]
fn random_loops_that_are_counted() {
    let program = program(ISA);
    let outcome = runner(6 * effort(), 0x10aa).run(&(of(), runs()), |(of, runs)| {
        let mut pair = pair(&program, &of.code(), AFTER);
        for (trips, pauses) in [(9, vec![]), (9, vec![])].iter().chain(&runs) {
            let context = || format!("{trips} trips, paused {pauses:?}, {of:?}");
            begin(&mut pair, 0, &of.registers(QUIET, *trips, 2));
            for &part in pauses {
                counted(&mut pair, part, context);
            }
            counted(&mut pair, of.whole(*trips, 2), context);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
