//! Limits of instructions at every position of hot programs: the state there is the interpreter's.

use isa::{Instructions, Xlen};
use jit::Jit;
use proptest::prelude::*;

use crate::effort::{effort, runner};
use crate::guest;
use crate::instructions::{Choice, choices};
use crate::pair::{Pair, Watch};
use crate::sketch::Sketch;

const CASES: u32 = 25;
/// Limits of a program that are tried, in a row.
const LIMITS: u64 = 60;

/// Runs a program until it is hot, then again and again from the beginning, to each limit in a row.
fn every_limit(xlen: Xlen) {
    let all = Instructions::all(xlen).expect("the built-in descriptions are sound");
    let program = guest::program(&all.isa().to_string());
    let scalar: Vec<Choice<'_>> = choices(&program).into_iter().filter(Choice::is_scalar).collect();
    let case = (Sketch::strategy(14), 0..2u32, 0..400u64, any::<bool>());
    let outcome = runner(CASES * effort(), xlen.bits().into()).run(&case, |(sketch, after, from, counts)| {
        let image = sketch.image(&program, &scalar, &[]);
        let mut pair = Pair::new(&program, image, Jit::new().after(after));
        let watch = if counts { Watch::Counts } else { Watch::Nothing };
        pair.run(600, &watch).map_err(TestCaseError::fail)?;
        for limit in from..from + LIMITS {
            pair.rewind();
            let at_limit = |error| TestCaseError::fail(format!("limit {limit}: {error}"));
            pair.run(limit, &watch).map_err(at_limit)?;
            if limit % 8 == 0 {
                // From a place where no block began so far.
                pair.run(50, &watch).map_err(at_limit)?;
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn rv32_programs_stop_at_every_limit() {
    every_limit(Xlen::Rv32);
}

#[test]
fn rv64_programs_stop_at_every_limit() {
    every_limit(Xlen::Rv64);
}

/// The same with a machine that never ran before, so that what is compiled begins where it begins first.
#[test]
fn fresh_machines_stop_at_every_limit() {
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let all = Instructions::all(xlen).expect("the built-in descriptions are sound");
        let program = guest::program(&all.isa().to_string());
        let scalar: Vec<Choice<'_>> = choices(&program).into_iter().filter(Choice::is_scalar).collect();
        let case = (Sketch::strategy(8), 0..3u32, 0..60u64);
        let outcome = runner(4 * effort(), 7).run(&case, |(sketch, after, from)| {
            let image = sketch.image(&program, &scalar, &[]);
            for limit in from..from + 40 {
                let mut pair = Pair::new(&program, image.clone(), Jit::new().after(after));
                for (part, watch) in [(limit, Watch::Nothing), (3, Watch::Nothing), (100, Watch::Counts)] {
                    let at_limit = |error| TestCaseError::fail(format!("limit {limit}: {error}"));
                    pair.run(part, &watch).map_err(at_limit)?;
                }
            }
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
}
