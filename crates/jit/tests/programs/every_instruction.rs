//! Each instruction in hot loops with others of any kind.

use std::cell::Cell;

use engine::Program;
use isa::{Descriptions, Instructions, Xlen};
use jit::Jit;
use proptest::prelude::*;

use crate::effort::{effort, runner};
use crate::guest;
use crate::instructions::{Choice, choices};
use crate::pair::{Pair, Watch};
use crate::sketch::Sketch;

/// Instructions of a loop at most.
const LENGTH: usize = 12;
/// Programs with each instruction.
const CASES: u32 = 4;
/// Instructions executed in each part of a run.
const PART: u64 = 150;

/// Parts of a run: for how long, and what watches.
fn parts() -> impl Strategy<Value = Vec<(u64, Watch)>> {
    let probes = (proptest::collection::vec((0..24u64).prop_map(|at| guest::BASE + 4 * at), 1..3), 2..9usize);
    let watch = prop_oneof![
        6 => Just(Watch::Nothing),
        2 => Just(Watch::Counts),
        2 => probes.prop_map(|(probes, every)| Watch::Probes(probes, every)),
        1 => Just(Watch::Trace),
        3 => Just(Watch::Time),
    ];
    proptest::collection::vec((1..PART, watch), 3..9)
}

/// A compiler that is full now and then, if blocks have to be hotter.
fn jit(threshold: u32) -> Jit {
    let jit = Jit::new().after(threshold);
    if threshold == 2 { jit.within(3 << 12) } else { jit }
}

fn check(program: &Program, firsts: &[Choice<'_>], others: &[Choice<'_>], cases: u32, salt: u64) {
    let executed = Cell::new(0);
    for first in firsts {
        let case = (Sketch::strategy(LENGTH), parts(), 0..3u32);
        let name = &first.instruction.name;
        let outcome = runner(cases, salt).run(&case, |(sketch, parts, threshold)| {
            let image = sketch.image(program, others, &[*first]);
            let mut pair = Pair::new(program, image, jit(threshold));
            for (instructions, watch) in &parts {
                let stop = pair.run(*instructions, watch).map_err(TestCaseError::fail)?;
                if !matches!(stop, engine::Stop::InstructionLimit | engine::Stop::Observed) {
                    break;
                }
            }
            executed.set(executed.get() + pair.retired());
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let mean = executed.get() / (firsts.len() as u64 * u64::from(cases));
    assert!(mean > 100, "programs end after {mean} instructions, which tests little");
}

fn of_width(xlen: Xlen) {
    let all = Instructions::all(xlen).expect("the built-in descriptions are sound");
    let program = guest::program(&all.isa().to_string());
    let all = choices(&program);
    let scalar: Vec<Choice<'_>> = all.iter().copied().filter(Choice::is_scalar).collect();
    check(&program, &scalar, &scalar, CASES * effort(), xlen.bits().into());
    if effort() > 1 {
        check(&program, &all, &all, CASES * effort(), u64::from(xlen.bits()) + 1);
    }
}

/// What excludes F and Zcd, beside everything that it does not exclude.
#[test]
fn embedded_instructions_in_hot_loops() {
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let [usual, embedded] = [Instructions::all(xlen), Instructions::embedded(xlen)]
            .map(|all| all.expect("the built-in descriptions are sound"));
        let program = guest::program(&embedded.isa().to_string());
        let all = choices(&program);
        let scalar: Vec<Choice<'_>> = all.iter().copied().filter(Choice::is_scalar).collect();
        let is_usual = |choice: &&Choice<'_>| {
            usual.module().instructions.iter().any(|other| {
                (&other.name, &other.assembly) == (&choice.instruction.name, &choice.instruction.assembly)
            })
        };
        let firsts: Vec<Choice<'_>> = scalar.iter().filter(|choice| !is_usual(choice)).copied().collect();
        assert!(firsts.len() > 60, "{}", firsts.len());
        check(&program, &firsts, &scalar, CASES * effort(), u64::from(xlen.bits()) + 2);
    }
}

#[test]
fn rv32_instructions_in_hot_loops() {
    of_width(Xlen::Rv32);
}

#[test]
fn rv64_instructions_in_hot_loops() {
    of_width(Xlen::Rv64);
}

#[test]
fn without_compressed_instructions_jumps_may_be_misaligned() {
    for (salt, isa) in [(3, "rv32ima_zicsr_zifencei_zba_zbb"), (4, "rv64imafd_zicsr_zifencei_zkn")] {
        let program = guest::program(isa);
        let all = choices(&program);
        let firsts: Vec<Choice<'_>> = all.iter().copied().filter(Choice::is_jump).collect();
        check(&program, &firsts, &all, 4 * effort(), salt);
    }
}

/// Blocks of many instructions, loops of many blocks: more than is compiled together.
#[test]
fn long_programs() {
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let all = Instructions::all(xlen).expect("the built-in descriptions are sound");
        let program = guest::program(&all.isa().to_string());
        let all = choices(&program);
        let scalar: Vec<Choice<'_>> = all.iter().copied().filter(Choice::is_scalar).collect();
        let calm: Vec<Choice<'_>> = scalar.iter().copied().filter(Choice::is_calm).collect();
        let case = (Sketch::strategy(400), parts(), 0..3u32, any::<bool>());
        let outcome = runner(6 * effort(), 5).run(&case, |(sketch, parts, threshold, calmly)| {
            let image = sketch.image(&program, if calmly { &calm } else { &scalar }, &[]);
            let mut pair = Pair::new(&program, image, jit(threshold));
            for (instructions, watch) in &parts {
                pair.run(8 * *instructions, watch).map_err(TestCaseError::fail)?;
            }
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{xlen:?}: {error}"));
    }
}

/// The project's own extensions and those in its folder, each with the instructions of a usual ISA.
#[test]
fn instructions_that_users_describe() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../extensions");
    let files = std::fs::read_dir(folder).expect("the extensions' folder");
    let mut found = 0;
    for (salt, file) in (10..).zip(files) {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "core_desc") {
            continue;
        }
        let descriptions = Descriptions::read(&[path.to_string_lossy().into_owned()])
            .unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        for isa in ["rv32imc_zicsr_zbb", "rv64imac_zicsr_zbb"] {
            let program = Program::new(isa, &descriptions).unwrap_or_else(|error| panic!("{error}"));
            let all = choices(&program);
            let own: Vec<Choice<'_>> = all
                .iter()
                .copied()
                .filter(|choice| descriptions.extensions().contains(&choice.instruction.set))
                .collect();
            if !own.is_empty() {
                found += own.len();
                let mut others = all.clone();
                // As many of them as of all others.
                others.extend(own.iter().cycle().take(all.len()));
                check(&program, &own, &others, 4 * effort(), salt);
            }
        }
    }
    assert!(found > 5, "{found} instructions");
}
