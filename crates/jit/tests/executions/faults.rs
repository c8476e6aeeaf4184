//! Accesses that fault in one trip of a loop: the first, one in the middle, the last.

use engine::Stop;
use hart::pages::PAGE;
use proptest::prelude::*;

use crate::effort::{effort, runner};
use crate::guest::program;
use crate::loops::{self, BRANCHES, COUNTER, Loop, MOVING};
use crate::pair::Pair;
use crate::{CODE, Instruction, QUIET, access, add, begin, branch, counted, jump, pair, three};

/// Trips of a run.
const TRIPS: u64 = 9;
/// What a handler puts in place of an address.
const REPAIRED: i64 = 29;

/// Only the first access is through the first moving register, which comes to the end of what is granted in this trip.
fn start(of: &Loop, trip: u64) -> u64 {
    let (offset, bytes) = of.reach();
    let (low, high) = if of.store { (3 * PAGE, 7 * PAGE) } else { (PAGE, 6 * PAGE) };
    let (low, high, stride) = (low as i64, high as i64, of.stride());
    let at = if stride > 0 { high - bytes + 1 } else { low - 1 };
    (at - offset - trip as i64 * stride) as u64
}

/// Loops with one access to fail, that do not compare its address.
fn of(length: usize, branch: &'static str) -> impl Strategy<Value = Loop> {
    loops::of(length, branch).prop_map(|mut of| {
        of.draws.iter_mut().for_each(|draw| draw.1 = 1 + draw.1 % 2);
        of.joined = false;
        if of.strides[0] == 0 {
            of.strides[0] = -8;
        }
        of
    })
}

/// The instruction after the program, which begins what is repaired again.
fn handler() -> [Instruction; 2] {
    [add(MOVING[0], REPAIRED, 0), ("MRET", vec![])]
}

fn set_handler(pair: &mut Pair<'_>, handler: Option<u64>) {
    pair.each(|machine| machine.hart.csrs.mtvec = handler);
}

/// A block that was begun and left by an exception is counted, and what of it did not retire taken back: a trip that is
/// not counted on the way out would be missing, with all trips before it if the count is left to another way out.
#[test]
fn a_fault_in_any_trip() {
    let program = loops::with_word_branches();
    for (index, length) in (4..=20).enumerate() {
        let case = (of(length, BRANCHES[index % BRANCHES.len()]), 0..3u32, 1..60u64);
        let outcome = runner(3 * effort(), length as u64).run(&case, |(of, after, pause)| {
            let mut code = of.code();
            let end = code.len() as u64;
            code.extend(handler());
            let mut pair = pair(&program, &code, after);
            let context = || format!("{of:?}");
            for _ in 0..3 {
                begin(&mut pair, 0, &of.registers(QUIET, TRIPS, 2));
                counted(&mut pair, of.whole(TRIPS, 2), context);
            }
            let whole = of.whole(TRIPS, 2);
            let is_first = |(_, fields): &Instruction| fields.contains(&("rs1", MOVING[0]));
            let at = code.iter().position(is_first).expect("an access") as u64;
            for trip in [0, 1, 2, TRIPS / 2, TRIPS - 2, TRIPS - 1] {
                for handled in [None, Some(CODE + 4 * end)] {
                    let context = || format!("trip {trip}, handled {handled:x?}, {of:?}");
                    set_handler(&mut pair, handled);
                    let registers = of.registers(start(&of, trip), TRIPS, 2);
                    begin(&mut pair, 0, &registers);
                    begin(&mut pair, 0, &[(REPAIRED, QUIET)]);
                    let begun = pair.interpreted.hart.retired();
                    if handled.is_some() {
                        for part in [pause, whole] {
                            assert_eq!(
                                counted(&mut pair, part, context),
                                Stop::InstructionLimit,
                                "{}",
                                context()
                            );
                        }
                        continue;
                    }
                    assert!(matches!(counted(&mut pair, whole, context), Stop::Fault(_)), "{}", context());
                    let reached = if of.stride() == 0 { 0 } else { trip };
                    let retired = pair.interpreted.hart.retired() - begun;
                    assert_eq!(retired, at + reached * length as u64, "{}", context());
                    // The same trip goes on, and the next one faults again.
                    for _ in 0..3 {
                        pair.skip();
                        counted(&mut pair, pause, context);
                    }
                }
            }
            pair.assert_same_memory(context);
            assert!(pair.seen.entered.get() > 12, "{}", context());
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{length} instructions: {error}"));
    }
}

/// Where addresses are, and how many instructions a trip has.
const LIST: u64 = QUIET;
const LENGTH: usize = 9;

/// A loop that walks a list of addresses, and loads or stores through each, at some place of the trip.
fn chase(name: &'static str, place: usize) -> Vec<Instruction> {
    let mut all: Vec<Instruction> =
        (0..3).map(|index| three("XOR", 10 + index, 10 + index, 11 + index)).collect();
    all.insert(0, access("LD", MOVING[1], MOVING[0], 0));
    all.insert(place, access(name, 14, MOVING[1], 0));
    all.extend([add(MOVING[0], MOVING[0], 8), add(15, 15, 1), add(COUNTER, COUNTER, -1)]);
    all.push(branch("BNE", COUNTER, 0, 1 - LENGTH as i64));
    assert_eq!(all.len(), LENGTH);
    all.push(jump(0));
    all
}

/// The same where the access that fails is one that each trip checks, in any place of the trip, any trip, with any limit
/// behind it.
#[test]
fn a_checked_access_fails_in_any_trip() {
    let program = program("rv64i_zicsr");
    for (name, place) in ["LW", "SD"].into_iter().flat_map(|name| (1..=4).map(move |place| (name, place))) {
        let mut pair = pair(&program, &chase(name, place), 2);
        for trip in (0..TRIPS).chain(0..TRIPS) {
            let context = || format!("{name} at {place}, trip {trip}");
            let list = (0..=TRIPS).map(|at| if at == trip { PAGE / 2 } else { QUIET + 0x100 + 8 * at });
            let bytes: Vec<u8> = list.flat_map(u64::to_le_bytes).collect();
            pair.each(|machine| {
                let pages = machine.memory.pages_mut().expect("a process's");
                pages.raw_mut(LIST, bytes.len()).expect("room").copy_from_slice(&bytes);
            });
            let registers = [(MOVING[0], LIST), (COUNTER, TRIPS), (14, 0x77), (15, 0)];
            begin(&mut pair, 0, &registers);
            let whole = LENGTH as u64 * TRIPS + 1;
            assert!(matches!(counted(&mut pair, whole, context), Stop::Fault(_)), "{}", context());
            assert_eq!(pair.compiled.hart.x(15), trip, "{}", context());
            pair.skip();
            counted(&mut pair, 1 + trip % 5, context);
            counted(&mut pair, whole, context);
        }
        pair.assert_same_memory(String::new);
        assert!(pair.seen.entered.get() > 18 && pair.seen.refused.get() == 0);
    }
}
