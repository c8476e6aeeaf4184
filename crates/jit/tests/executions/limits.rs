//! The budget runs out anywhere: before, in and after each trip of loops that are hot.

use crate::effort::{effort, runner};
use crate::guest::program;
use crate::loops::{self, BRANCHES, COUNTER, MOVING, ROUNDS};
use crate::pair::Pair;
use crate::pairs::{STATE, rounds};
use crate::{
    CODE, Instruction, QUIET, access, add, assert_same_profiles, begin, branch, counted, counted_by_kind,
    jump, pair,
};

/// Executions before anything is compiled, so that what begins in the middle of a loop for once is not.
pub const AFTER: u32 = 30;

/// Runs from the beginning to each limit up to `whole`, and on from there, in compiled code as soon as there is as much of
/// the budget as the `first` block has instructions.
pub fn sweep(
    pair: &mut Pair<'_>,
    registers: &[(i64, u64)],
    (first, whole): (u64, u64),
    context: impl Fn() -> String,
) {
    for limit in 0..=whole {
        let context = || format!("limit {limit}: {}", context());
        begin(pair, 0, registers);
        let before = pair.seen.entered.get();
        counted_by_kind(pair, limit, context);
        assert!(limit < first || pair.seen.entered.get() > before, "not in compiled code: {}", context());
        counted_by_kind(pair, whole - limit + 3, context);
        if limit % 8 == 0 {
            assert_same_profiles(pair, context);
        }
    }
    assert_same_profiles(pair, &context);
    assert_eq!(pair.seen.refused.get(), 0, "{}", context());
}

/// A trip that was begun but not paid for, or one paid for by the last of the budget, would be counted once too often or
/// not at all.
#[test]
fn any_limit_in_any_trip() {
    let program = loops::with_word_branches();
    for (index, length) in [3, 4, 5, 6, 7, 8, 9, 12, 16, 20].into_iter().enumerate() {
        for branch in [0, 3, 5, 6].map(|other| BRANCHES[(index + other) % BRANCHES.len()]) {
            if (length, branch) == (3, "BEQ") {
                continue;
            }
            let case = loops::of(length, branch);
            let outcome = runner(effort(), 0x11 + length as u64).run(&case, |of| {
                let mut pair = pair(&program, &of.code(), AFTER);
                let warm = of.registers(QUIET, 5, 60);
                for _ in 0..if of.rounds { 1 } else { 60 } {
                    begin(&mut pair, 0, &warm);
                    counted(&mut pair, of.whole(5, 60), || format!("{of:?}"));
                }
                for trips in [1, 2, 5] {
                    let registers = of.registers(QUIET, trips, 2);
                    let first = of.before() + length as u64;
                    sweep(&mut pair, &registers, (first, of.whole(trips, 2)), || {
                        format!("{trips} trips, {of:?}")
                    });
                }
                Ok(())
            });
            outcome.unwrap_or_else(|error| panic!("{branch}, {length} instructions: {error}"));
        }
    }
}

/// Two loops through arrays and one of pairs, in a loop around them. Each keeps in the same place what it began with.
fn three_loops() -> Vec<Instruction> {
    let back = |all: &[Instruction], top: usize| branch("BNE", COUNTER, 0, top as i64 - all.len() as i64);
    let mut all = vec![add(COUNTER, 0, 4), add(MOVING[0], MOVING[1], 0)];
    let top = all.len();
    all.extend([access("LD", 30, MOVING[0], 0), add(MOVING[0], MOVING[0], 8), add(COUNTER, COUNTER, -1)]);
    all.push(back(&all, top));
    all.push(add(COUNTER, 0, 3));
    let top = all.len();
    all.extend([access("SW", 30, MOVING[0], 0), access("LHU", 31, MOVING[0], 16), add(30, 30, 5)]);
    all.extend([add(MOVING[0], MOVING[0], -4), add(COUNTER, COUNTER, -1)]);
    all.push(back(&all, top));
    all.push(add(COUNTER, 0, 2));
    let top = all.len();
    all.extend(rounds(true, 4));
    all.push(add(COUNTER, COUNTER, -1));
    all.push(back(&all, top));
    all.push(add(ROUNDS, ROUNDS, -1));
    all.push(branch("BNE", ROUNDS, 0, -(all.len() as i64)));
    all.push(jump(0));
    all
}

/// Instructions of a round of them.
const ROUND: u64 = 2 + 4 * 4 + 1 + 3 * 6 + 1 + 2 * 50 + 2;

/// What one loop began with would be taken for what another did.
#[test]
fn any_limit_in_loops_that_follow_each_other() {
    let program = program("rv64i_zicsr");
    let code = three_loops();
    let mut pair = pair(&program, &code, AFTER);
    let state = |rounds: u64| {
        let state =
            (STATE..STATE + 8).map(|register| (register, 0x9e37_79b9_7f4a_7c15 << (register - STATE)));
        state.chain([(MOVING[1], QUIET), (ROUNDS, rounds), (30, 7)]).collect::<Vec<_>>()
    };
    begin(&mut pair, 0, &state(200));
    counted(&mut pair, 200 * ROUND, String::new);
    let together = |region: &Vec<u64>| region.len() > 2;
    assert!(pair.seen.regions.borrow().iter().any(together), "{:x?}", pair.seen.regions);
    sweep(&mut pair, &state(2), (6, 2 * ROUND), String::new);
    assert_eq!(pair.compiled.hart.pc().0, CODE + 4 * (code.len() as u64 - 1));
    pair.assert_same_memory(String::new);
}
