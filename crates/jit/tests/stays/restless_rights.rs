//! Rights that are lost and given back while compiled code looks at those of pages.

use engine::{Observer, Program, Stop};
use hart::pages::{PAGE, Rights};
use proptest::sample::select;

use crate::effort::{effort, runner};
use crate::guest::{encode, program};
use crate::pair::Pair;
use crate::restless::{AREAS, MANY, Walk, access, rights};

/// Warm machines, and what is done to each.
const CASES: u32 = 3;
const CHANGES: usize = 60;

/// Sets what a page of an area grants, and takes its bytes away if it is unmapped.
fn set(pair: &mut Pair<'_>, walk: &Walk<'_>, area: u64, page: u64, now: Rights, is_discarded: bool) {
    let start = walk.area(area) + page * PAGE;
    pair.each(|machine| {
        let pages = machine.memory.pages_mut().expect("a process's");
        pages.set_rights(start..start + PAGE, now);
        if is_discarded {
            pages.discard(start..start + PAGE);
        }
    });
}

fn bodies(program: &Program) -> Vec<(&'static str, Vec<u32>)> {
    let word = |name: &str, data, offset| access(program, name, data, offset);
    vec![
        ("a load", vec![word("LW", 12, 0)]),
        ("a store", vec![word("SW", 12, 0)]),
        ("a load, then a store", vec![word("LW", 12, 0), word("SH", 13, 8)]),
        (
            "a branch in between",
            vec![
                word("LW", 12, 0),
                encode(program.module(), "ANDI", &[("rd", 15), ("rs1", 9), ("imm", 1)]),
                encode(program.module(), "BNE", &[("rs1", 15), ("rs2", 0), ("imm", 8)]),
                word("SW", 12, 4),
            ],
        ),
        ("side by side", vec![word("LBU", 12, -9), word("LW", 13, 0), word("SB", 12, 7), word("SB", 13, -3)]),
    ]
}

/// A page loses a right, and the next access that takes it faults; it gets it back, and the loop goes on.
fn lost(isa: &str) {
    let program = program(isa);
    for (name, body) in bodies(&program) {
        let walk = Walk::new(&program, body, PAGE - 2);
        let context = || format!("{isa}, {name}");
        let mut pair = walk.warm(&context);
        let none =
            [(Rights::NONE, true), (Rights::NONE, false), (Rights::READ, false), (Rights::WRITE, false)];
        let mut faults = 0;
        for (area, page) in (0..AREAS).flat_map(|area| [0, 1].map(|page| (area, page))) {
            for (now, is_discarded) in none {
                // Somewhere in a round.
                pair.run(walk.round() + area + page, context);
                set(&mut pair, &walk, area, page, now, is_discarded);
                let context = || format!("{isa}, {name}, area {area}, page {page}, {now:?}");
                if let Stop::Fault(fault) = pair.run(2 * walk.round(), context) {
                    // Accesses are around the end of the first page.
                    let lost = walk.area(area) + PAGE;
                    assert!(fault.exception.value.abs_diff(lost) < 32, "{}", context());
                    faults += 1;
                    pair.skip();
                }
                set(&mut pair, &walk, area, page, rights(page), false);
                assert_eq!(pair.run(2 * walk.round(), context), Stop::InstructionLimit, "{}", context());
            }
        }
        assert!(faults >= 20, "{faults} faults: {}", context());
        pair.assert_same_memory(context);
    }
}

#[test]
fn rv32_rights_that_are_lost() {
    lost("rv32i_zicsr");
}

#[test]
fn rv64_rights_that_are_lost() {
    lost("rv64i_zicsr");
}

/// Any changes at any time.
#[test]
fn rights_change_at_random() {
    let any_rights = select(vec![
        Rights::NONE,
        Rights::READ,
        Rights::WRITE,
        Rights::READ | Rights::WRITE,
        Rights::READ | Rights::WRITE,
    ]);
    let change = (0..AREAS, 0..3u64, any_rights, proptest::bool::weighted(0.2), 1..90u64, -9..9i64);
    let case = proptest::collection::vec(change, CHANGES);
    for (isa, salt) in [("rv32i_zicsr", 1), ("rv64i_zicsr", 2)] {
        let program = program(isa);
        for (name, body) in bodies(&program) {
            let walk = Walk::new(&program, body, PAGE - 2);
            let outcome = runner(CASES * effort(), salt).run(&case, |changes| {
                let context = || format!("{isa}, {name}");
                let mut pair = walk.warm(&context);
                for (area, page, now, is_discarded, part, near) in changes {
                    set(&mut pair, &walk, area, page, now, is_discarded);
                    if matches!(pair.run(part, context), Stop::Fault(_)) {
                        pair.skip();
                    }
                    walk.once(&mut pair, (walk.area(area) + page * PAGE).wrapping_add_signed(near), &context);
                    walk.restart(&mut pair);
                }
                pair.assert_same_memory(context);
                Ok(())
            });
            outcome.unwrap_or_else(|error| panic!("{isa}, {name}: {error}"));
        }
    }
}

/// Counts by kind and by address.
struct Counting;

impl Observer for Counting {
    const HISTOGRAM: bool = true;
    const PROFILE: bool = true;
}

/// What was executed is counted exactly, before and after a region is compiled again.
#[test]
fn counts_are_exact() {
    for isa in ["rv32i_zicsr", "rv64i_zicsr"] {
        let program = program(isa);
        for (name, body) in bodies(&program) {
            let walk = Walk::new(&program, body, PAGE - 2);
            let context = || format!("{isa}, {name}");
            let mut pair = Pair::new(|| walk.machine(), walk.memory(), 20);
            for _ in 0..10 {
                pair.observed(MANY / 4 * walk.round(), || Counting, context);
                let (a, b) = (&pair.interpreted, &pair.compiled);
                assert_eq!(b.histogram(), a.histogram(), "{}", context());
                assert_eq!(b.profile(), a.profile(), "{}", context());
            }
            assert!(pair.seen.outdated.get() > 0, "{}", context());
        }
    }
}
