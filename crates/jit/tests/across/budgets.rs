//! Runs that end at every instruction, with and without counts: what is paid where a region is entered is given back.

use engine::Observer;

use crate::guest::program;
use crate::space::{BOTH, Space};
use crate::watching::{Counting, Timing};
use crate::{AFTER, Guest, assembler::assemble};

/// Two ways through a loop, and a function; x6 may be good or not, and is seldom accessed.
const TEXT: &str = "
    begin:
        ld x8, 0(x5)
        andi x21, x20, 1
        srli x20, x20, 1
        beq x21, x0, other
        sd x9, 16(x5)
        ld x10, 0(x6)
        jal x1, function
        ld x11, 8(x6)
    other:
        addi x9, x9, 1
        ld x8, 8(x5)
        addi x22, x22, -1
        bne x22, x0, begin
    stop:
        jal x0, stop
    function:
        sd x10, 8(x5)
        addi x10, x10, 1
        jalr x0, 0(x1)";

const LONGEST: u64 = 70;

/// Registers of runs, those that warm all ways first.
fn runs(space: Space) -> Vec<[(u16, u64); 5]> {
    let quiet = space.quiet();
    let run = |x5, x6, x20| [(5, x5), (6, x6), (9, 3), (20, x20), (22, 6)];
    let mut runs = vec![run(quiet, quiet + 64, 0x2d), run(quiet, quiet, 0x12)];
    let end = space.end();
    // The check fails though nothing faults; it fails, and a later trip faults; the first access does.
    runs.extend([run(quiet, 8, 0), run(quiet, end, 0), run(quiet, end - 8, 8), run(quiet, 8, 4)]);
    runs.extend([run(end - 16, quiet, 0), run(end - 16, quiet, 6), run(end - 8, quiet, 0), run(8, quiet, 0)]);
    runs
}

fn warm<'p>(program: &'p engine::Program, space: Space, after: u32) -> Guest<'p> {
    let mut guest = Guest::new(program, space, &assemble(program, TEXT), after, format!("{space:?} {after}"));
    let runs = runs(space);
    guest.warm(&runs[..2], LONGEST);
    guest
}

#[test]
fn every_limit() {
    let program = program("rv64i_zicsr");
    for (space, after) in BOTH.into_iter().flat_map(|space| [0, AFTER].map(|after| (space, after))) {
        let mut guest = warm(&program, space, after);
        for (number, run) in runs(space).iter().enumerate() {
            for limit in 0..LONGEST {
                guest.begin(run);
                for part in [limit, 1, 3, LONGEST] {
                    guest.run(part, || format!("run {number}, limit {limit}, {part} more"));
                }
            }
        }
        guest.compare(String::new);
    }
}

/// Runs every limit for an observer, and says what differs of what it saw.
fn watched<O: Observer, T: PartialEq + std::fmt::Debug>(new: impl Fn() -> O, seen: impl Fn(O) -> T) {
    let program = program("rv64i_zicsr");
    for space in BOTH {
        let mut guest = warm(&program, space, AFTER);
        // Again for those who watch, for whom other code is compiled.
        let runs = runs(space);
        for _ in 0..4 * AFTER {
            for run in &runs[..2] {
                guest.begin(run);
                guest.pair.observed(LONGEST, &new, String::new);
            }
        }
        for (number, run) in runs.iter().enumerate() {
            for limit in 0..LONGEST {
                guest.begin(run);
                for part in [limit, 2, LONGEST] {
                    let context = || format!("{space:?}, run {number}, limit {limit}, {part} more");
                    let watch = |machine: &mut engine::Machine<'_>| {
                        let retired = machine.hart.retired();
                        let limits = engine::Limits { instructions: Some(retired + part) };
                        let mut observer = new();
                        machine.run(limits, &mut observer, &mut crate::guest::Screen::default());
                        (seen(observer), machine.histogram(), machine.profile())
                    };
                    let expected = watch(&mut guest.pair.interpreted);
                    let got = watch(&mut guest.pair.compiled);
                    assert!(got == expected, "{}", context());
                    guest.pair.assert_same_harts(context);
                }
            }
        }
    }
}

#[test]
fn counts_at_every_limit() {
    watched(|| Counting, |_| ());
}

/// Records of a timed run: every instruction once, with what it accessed.
#[test]
fn records_at_every_limit() {
    watched(Timing::default, |seen| seen.executed);
}
