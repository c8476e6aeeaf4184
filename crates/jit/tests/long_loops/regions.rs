//! What is compiled with a long loop, and how it is entered.

use hart::pages::{PAGE, Rights};

use crate::guest::program;
use crate::loops::{COUNTER, Loop, SOURCE, add, branch, cipher, jump};
use crate::{CODE, ISA, QUIET, begin, hot, pair};

const LENGTH: usize = 300;

/// What follows a loop is colder than it, however it became one block.
#[test]
fn a_loop_is_alone_if_it_is_seldom_left() {
    let program = program(ISA);
    let of = cipher(LENGTH);
    let mut pair = pair(&program, &of.code(), 400);
    // What follows is known, but was executed a few times only.
    for trips in [5, 500, 500] {
        begin(&mut pair, 0, &of.registers(QUIET, trips, 1));
        pair.run(of.whole(trips, 1), String::new);
    }
    assert_eq!(*pair.seen.regions.borrow(), [[CODE]]);
    assert_eq!(pair.seen.whole.get(), 1);
}

#[test]
fn a_loop_within_another() {
    let program = program(ISA);
    let of = Loop { rounds: true, ..cipher(LENGTH) };
    let mut pair = hot(&program, &of);
    assert!(pair.seen.whole.get() > 0);
    let together = |region: &Vec<u64>| region.len() > 1;
    assert!(pair.seen.regions.borrow().iter().any(together), "{:x?}", pair.seen.regions);
    for trips in [1, 2, 5] {
        for limit in (0..of.whole(trips, 3)).step_by(71) {
            let context = || format!("{trips} trips, {limit}");
            begin(&mut pair, 0, &of.registers(QUIET, trips, 3));
            pair.run(limit, context);
            pair.run(of.whole(trips, 3), context);
        }
    }
}

/// Jumps to it know a block by its address, which is another one by then.
#[test]
fn a_loop_that_a_computed_jump_leads_to() {
    let program = program(ISA);
    let of = cipher(LENGTH);
    let mut code = of.trip();
    let rounds = [add(4, 4, -1), branch("BEQ", 4, 0, 2), ("JALR", vec![("rs1", 26)]), jump(0)];
    code.extend(rounds);
    let mut pair = pair(&program, &code, 40);
    for limit in [50_000, 299, 300, 301, 7777] {
        begin(&mut pair, 0, &of.registers(QUIET, 2, 60));
        begin(&mut pair, 0, &[(26, CODE)]);
        for part in [limit, 50_000] {
            pair.run(part, || format!("paused after {limit}"));
            begin(&mut pair, 0, &[(COUNTER, 2)]);
        }
    }
    assert_eq!(pair.seen.whole.get(), 1);
    pair.assert_same_memory(String::new);
}

/// Whoever jumps into its middle finds the blocks that it consisted of, or others.
#[test]
fn a_loop_that_is_entered_in_its_middle() {
    let program = program(ISA);
    let of = cipher(700);
    let mut pair = hot(&program, &of);
    assert!(pair.seen.whole.get() > 0);
    for at in [1, 100, 255, 256, 257, 512, 600, 698, 699] {
        for part in [1, 100, 699, 700, 1500, 9000] {
            let context = || format!("from {at}, {part}");
            begin(&mut pair, at, &of.registers(QUIET, 9, 1));
            pair.run(part, context);
            pair.run(of.whole(3, 1), context);
        }
    }
    pair.assert_same_memory(String::new);
}

/// A pointer that leads to one area after the other makes its loads ones that each trip checks: the loop is compiled again.
#[test]
fn accesses_to_many_areas() {
    let program = program(ISA);
    let of = cipher(LENGTH);
    let mut pair = hot(&program, &of);
    pair.each(|machine| {
        let pages = machine.memory.pages_mut().expect("a process's");
        for page in [2, 5] {
            pages.set_rights(page * PAGE..(page + 1) * PAGE, Rights::NONE);
        }
        pages.set_rights(6 * PAGE..7 * PAGE, Rights::READ | Rights::WRITE);
    });
    let mut left = 1 << 16;
    for round in 0_u64.. {
        let context = || format!("round {round}");
        // One trip, until it is compiled again.
        let trips = if left > 50 { 1 } else { 4 };
        begin(&mut pair, 0, &of.registers(QUIET, trips, 1));
        let source = [PAGE + 0x800, 3 * PAGE + 0x800, 6 * PAGE + 0x100][round as usize % 3];
        begin(&mut pair, 0, &[(SOURCE, source + round % 64)]);
        if trips > 1 {
            pair.run(LENGTH as u64 * (round % 5) + round % 7, context);
        }
        pair.run(of.whole(trips, 1), context);
        if left > 50 && pair.seen.outdated.get() > 0 {
            left = 50;
        }
        left -= 1;
        if left == 0 {
            break;
        }
    }
    assert!(pair.seen.outdated.get() > 0, "nothing was compiled again");
    pair.assert_same_memory(String::new);
}
