//! The budget runs out anywhere: around the ends of trips, and in their middle.

use crate::guest::program;
use crate::loops::{Back, Loop, cipher};
use crate::pair::Pair;
use crate::{AFTER, ISA, QUIET, begin, counted, hot, pair, warm};

/// Limits of a run of trips: all near the ends of these, and some more.
fn limits(of: &Loop, trips: u64) -> Vec<u64> {
    let length = of.trip().len() as u64;
    let ends = (0..=trips).map(|trip| of.before() + trip * length);
    let near = ends.flat_map(|end| end.saturating_sub(2)..=end + 2);
    let others = (0..of.whole(trips, 1)).step_by(97);
    near.chain(others).collect()
}

/// Runs to each limit, and on from there.
fn sweep(pair: &mut Pair<'_>, of: &Loop, trips: u64, run: impl Fn(&mut Pair<'_>, u64, &dyn Fn() -> String)) {
    for limit in limits(of, trips) {
        let context =
            || format!("limit {limit}, {trips} trips, {:?}, {} instructions", of.back, of.trip().len());
        begin(pair, 0, &of.registers(QUIET, trips, 1));
        let before = pair.seen.entered.get();
        run(pair, limit, &context);
        run(pair, of.whole(trips, 1).saturating_sub(limit) + 2, &context);
        assert!(pair.seen.entered.get() > before, "not in compiled code: {}", context());
    }
    pair.assert_same_memory(String::new);
    assert_eq!(pair.seen.refused.get(), 0);
}

#[test]
fn any_limit_around_the_ends_of_trips() {
    let program = program(ISA);
    for (length, trips) in [(192, 6), (256, 2), (257, 3), (300, 5), (600, 4), (1000, 3)] {
        let of = cipher(length);
        let mut pair = hot(&program, &of);
        assert_eq!(pair.seen.whole.get() > 0, length > 256, "{length} instructions");
        sweep(&mut pair, &of, trips, |pair, part, context| _ = pair.run(part, context));
    }
}

/// Trips are counted where the loop ends, whatever they were compiled as.
#[test]
fn any_limit_while_executions_are_counted() {
    let program = program(ISA);
    for (length, trips) in [(200, 3), (313, 5)] {
        for rounds in [false, true] {
            let of = Loop { rounds, ..cipher(length) };
            let mut pair = pair(&program, &of.code(), AFTER);
            for _ in 0..3 {
                begin(&mut pair, 0, &of.registers(QUIET, 9, 3));
                counted(&mut pair, of.whole(9, 3), String::new);
            }
            assert_eq!(pair.seen.whole.get() > 0, length > 256, "{length} instructions");
            sweep(&mut pair, &of, trips, |pair, part, context| _ = counted(pair, part, context));
        }
    }
}

/// Every branch, and a counter that comes past where its sign or width ends.
#[test]
fn any_branch_back() {
    let program = program(ISA);
    for back in Back::ALL {
        let mut pair = None;
        for around in [0, 1 << 31, 1 << 32, 1 << 63, u64::MAX] {
            let of = Loop { back, around, ..cipher(280) }.cut(270);
            let pair = pair.get_or_insert_with(|| hot(&program, &of));
            warm(pair, &of);
            assert_eq!(pair.seen.whole.get() > 0, back.is_foreseen(), "{back:?}");
            for trips in [1, 2, 3, 7] {
                for limit in
                    [1, 2, 3, 7].map(|part| part * 270).into_iter().flat_map(|end| [end - 1, end, end + 1])
                {
                    let context = || format!("{back:?} around {around:#x}, {trips} trips, {limit}");
                    begin(pair, 0, &of.registers(QUIET, trips, 1));
                    pair.run(limit, context);
                    pair.run(of.whole(trips, 1).saturating_sub(limit) + 2, context);
                }
            }
        }
    }
}
