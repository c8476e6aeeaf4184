//! The budget runs out anywhere: around the ends of trips, and in their middle.

use engine::Machine;
use hart::{Address, Htif};

use crate::guest::{encode, program};
use crate::loops::{Back, COUNTER, Loop, cipher};
use crate::pair::Pair;
use crate::{AFTER, CODE, ISA, LAYOUT, QUIET, begin, counted, hot, pair, warm};

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

/// Only of short instructions are there so many within a branch's reach.
#[test]
fn more_instructions_than_a_branch_reaches_over_otherwise() {
    let program = program("rv64imc_zbb_zicsr");
    // c.addw x8, x9; c.add x10, x8; c.addw x9, x8, over and over, and c.addi x20, -1.
    let body: Vec<u16> = [0x9c25, 0x9522, 0x9ca1].into_iter().cycle().take(1598).chain([0x1a7d]).collect();
    let length = body.len() as u64 + 1;
    let back = [("rs1", COUNTER), ("rs2", 0), ("imm", -2 * body.len() as i64)];
    let end = encode(program.module(), "BNE", &back).to_le_bytes();
    let idle = encode(program.module(), "JAL", &[]).to_le_bytes();
    let code: Vec<u8> = body.iter().flat_map(|half| half.to_le_bytes()).chain(end).chain(idle).collect();
    let machine = || Machine::new(&program, LAYOUT.memory(&code), Address(CODE), Htif::default());
    let mut pair = Pair::new(machine, 0..0, AFTER);
    let registers = [(8, 0x1234_5678_9abc_def0), (9, u64::MAX / 3), (10, 1 << 63), (COUNTER, 5)];
    for limit in (0..5).flat_map(|trip| [0, 1, 2, 800, length - 1].map(|more| 1 + trip * length + more)) {
        begin(&mut pair, 0, &registers);
        pair.run(limit, || format!("limit {limit}"));
        pair.run(5 * length + 1 - limit.min(5 * length), || format!("after {limit}"));
    }
    assert_eq!(pair.seen.whole.get(), 1);
}
