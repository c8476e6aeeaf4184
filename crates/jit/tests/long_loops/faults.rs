//! Accesses that fault in one trip: the first, one in the middle, the last.

use engine::Stop;
use hart::pages::{PAGE, Rights};

use crate::guest::program;
use crate::loops::{FIXED, Loop, SOURCE, TARGET, access, cipher};
use crate::{AFTER, ISA, QUIET, begin, counted, hot, pair};

const TRIPS: u64 = 7;
const LENGTH: usize = 290;

/// A loop in which one access, at this instruction, comes farther than all others.
fn of(name: &'static str, base: i64, at: usize, stride: i64) -> Loop {
    let mut of = cipher(LENGTH);
    of.body.retain(|(_, fields)| !fields.contains(&("rs1", base)) || base == FIXED);
    of.body.insert(at, access(name, 10, base, 0));
    of.strides = [stride, stride];
    of.body.extend(std::iter::repeat_n(crate::loops::three("ADDW", 15, 15, 8), LENGTH));
    of.cut(LENGTH)
}

/// What comes to the end of what is granted in this trip.
fn start(is_store: bool, bytes: i64, stride: i64, trip: u64) -> u64 {
    let (low, high) = if is_store { (3 * PAGE, 7 * PAGE) } else { (PAGE, 6 * PAGE) };
    let at = if stride > 0 { high as i64 - bytes + 1 } else { low as i64 - 1 };
    (at - trip as i64 * stride) as u64
}

#[test]
fn a_fault_in_any_trip() {
    let program = program(ISA);
    for (name, bytes, at, stride) in [
        ("LD", 8, 0, 16),
        ("LW", 4, 120, 8),
        ("LBU", 1, 200, -24),
        ("SD", 8, 3, 8),
        ("SW", 4, 150, -8),
        ("SB", 1, 220, 1),
    ] {
        let is_store = name.starts_with('S');
        let base = if is_store { TARGET } else { SOURCE };
        let of = of(name, base, at, stride);
        let at = of.trip().iter().position(|all| *all == access(name, 10, base, 0)).expect("it") as u64;
        let mut pair = pair(&program, &of.code(), AFTER);
        for _ in 0..2 {
            begin(&mut pair, 0, &of.registers(QUIET, 9, 1));
            counted(&mut pair, of.whole(9, 1), String::new);
        }
        assert!(pair.seen.whole.get() > 0, "{name}");
        for trip in [0, 1, 2, TRIPS / 2, TRIPS - 2, TRIPS - 1] {
            for part in [None, Some(1), Some(LENGTH as u64 - 1), Some(LENGTH as u64 + 1)] {
                let context = || format!("{name} by {stride}, trip {trip}, paused {part:?}");
                begin(&mut pair, 0, &of.registers(QUIET, TRIPS, 1));
                begin(&mut pair, 0, &[(base, start(is_store, bytes, stride, trip))]);
                let begun = pair.interpreted.hart.retired();
                let mut stop = Stop::InstructionLimit;
                if let Some(part) = part {
                    stop = counted(&mut pair, part, context);
                }
                if stop == Stop::InstructionLimit {
                    stop = counted(&mut pair, of.whole(TRIPS, 1), context);
                }
                assert!(matches!(stop, Stop::Fault(_)), "{stop:?}, {}", context());
                let retired = pair.interpreted.hart.retired() - begun;
                assert_eq!(retired, at + trip * LENGTH as u64, "{}", context());
                // The same trip goes on, and the next one faults again.
                for _ in 0..2 {
                    pair.skip();
                    counted(&mut pair, 2 * LENGTH as u64, context);
                }
            }
        }
        pair.assert_same_memory(String::new);
    }
}

/// Pages become read-only or vanish half-way, and come back.
#[test]
fn rights_that_change_between_trips() {
    let program = program(ISA);
    let of = cipher(LENGTH);
    let mut pair = hot(&program, &of);
    assert!(pair.seen.whole.get() > 0);
    let page = 4 * PAGE..5 * PAGE;
    for rights in [Rights::READ, Rights::NONE, Rights::WRITE] {
        for part in [0, 1, 289, 290, 291, 700, 1000] {
            let context = || format!("{rights:?} after {part}");
            let set = |pair: &mut crate::pair::Pair<'_>, rights| {
                pair.each(|machine| {
                    machine.memory.pages_mut().expect("a process's").set_rights(page.clone(), rights);
                });
            };
            begin(&mut pair, 0, &of.registers(QUIET, 9, 1));
            pair.run(part, context);
            set(&mut pair, rights);
            let stop = pair.run(of.whole(9, 1), context);
            assert!(matches!(stop, Stop::Fault(_)), "{}", context());
            set(&mut pair, Rights::READ | Rights::WRITE);
            let stop = pair.run(of.whole(9, 1), context);
            assert_eq!(stop, Stop::InstructionLimit, "{}", context());
        }
    }
    pair.assert_same_memory(String::new);
}

/// An address that is loaded is checked in each trip: such a loop may be left in the middle of any, where registers that the
/// next one overwrites have to be right. It stays in several blocks.
#[test]
fn a_fault_at_an_address_that_was_loaded() {
    let program = program(ISA);
    let mut of = cipher(LENGTH);
    of.strides[0] = 8;
    of.body.retain(|(_, fields)| !fields.contains(&("rs1", SOURCE)));
    of.body.insert(0, access("LD", 30, SOURCE, 0));
    of.body.insert(200, access("LW", 31, 30, 0));
    of.body.extend(std::iter::repeat_n(crate::loops::three("ADDW", 15, 15, 8), LENGTH));
    let of = of.cut(LENGTH);
    let mut pair = pair(&program, &of.code(), AFTER);
    let list = 5 * PAGE;
    for trip in [9, 9, 0, 1, 3, 6] {
        let context = || format!("trip {trip}");
        let addresses = (0..=TRIPS).map(|at| if at == trip { PAGE / 2 } else { QUIET });
        let bytes: Vec<u8> = addresses.flat_map(u64::to_le_bytes).collect();
        pair.each(|machine| {
            let pages = machine.memory.pages_mut().expect("a process's");
            pages.raw_mut(list, bytes.len()).expect("room").copy_from_slice(&bytes);
        });
        begin(&mut pair, 0, &of.registers(list, TRIPS, 1));
        let stop = pair.run(of.whole(TRIPS, 1), context);
        assert_eq!(matches!(stop, Stop::Fault(_)), trip < TRIPS, "{}", context());
        pair.skip();
        pair.run(of.whole(TRIPS, 1), context);
    }
    assert_eq!(pair.seen.whole.get(), 0);
}
