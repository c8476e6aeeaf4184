//! Code that changes, and what else drops code or takes it over.

use engine::Limits;

use crate::guest::{Screen, encode, program};
use crate::loops::{cipher, three};
use crate::pair::Pair;
use crate::watching::Stopping;
use crate::{AFTER, CODE, ISA, LAYOUT, QUIET, begin, bytes, counted, hot, pair, warm, within};

const LENGTH: usize = 300;

/// Puts another instruction in a place of both.
fn change(pair: &mut Pair<'_>, at: usize, word: u32) {
    pair.each(|machine| {
        let pages = machine.memory.pages_mut().expect("a process's");
        let place = CODE + 4 * at as u64;
        pages.raw_mut(place, 4).expect("room").copy_from_slice(&word.to_le_bytes());
    });
}

/// Until the guest asks for it, what was changed is not executed; after that, it is.
#[test]
fn other_instructions_in_place_of_those_of_the_loop() {
    let program = program(ISA);
    let of = cipher(LENGTH);
    let other = |rd: i64| encode(program.module(), "ADD", &three("ADD", rd, 9, 10).1);
    for at in [20, 255, 256, 290] {
        // Changed while it is interpreted, in several blocks, and while it is compiled.
        for trips in [2, 9] {
            let context = || format!("instruction {at}, after {trips} trips");
            let mut pair = pair(&program, &of.code(), 5);
            let length = LENGTH as u64;
            begin(&mut pair, 0, &of.registers(QUIET, 60, 1));
            pair.run(trips * length, context);
            change(&mut pair, at, other(8));
            pair.run(9 * length, context);
            pair.each(|machine| machine.flush_code());
            pair.run(20 * length, context);
            assert!(pair.seen.whole.get() > 0, "{}", context());
            change(&mut pair, at, other(9));
            pair.each(|machine| machine.flush_code());
            pair.run(3 * length, context);
            pair.run(of.whole(20, 1), context);
            pair.assert_same_memory(context);
        }
    }
}

/// Probes cut the loop, wherever they are; without them it is one block again.
#[test]
fn probes_in_the_loop() {
    let program = program(ISA);
    let of = cipher(LENGTH);
    let mut pair = hot(&program, &of);
    for at in [0, 1, 100, 256, 299] {
        for every in [1, 3, 100] {
            let probe = CODE + 4 * at;
            begin(&mut pair, 0, &of.registers(QUIET, 9, 1));
            let mut visits = Vec::new();
            for machine in [&mut pair.interpreted, &mut pair.compiled] {
                let mut observer = Stopping::new(&[probe, probe + 40], every);
                let limits = Limits { instructions: Some(machine.hart.retired() + 9 * LENGTH as u64) };
                let before = machine.hart.retired();
                for _ in 0..5 {
                    machine.run(limits, &mut observer, &mut Screen::default());
                }
                let seen = observer.visits.iter().map(|visit| (visit.0, visit.1 - before));
                visits.push(seen.collect::<Vec<_>>());
            }
            assert!(visits[0].len() > 3 && visits[0] == visits[1], "{at}, {every}: {visits:?}");
            pair.assert_same_harts(|| format!("{at}, {every}"));
        }
        let before = pair.seen.whole.get();
        warm(&mut pair, &of);
        assert!(pair.seen.whole.get() > before);
    }
}

/// A copy of the process has the loop as one block, of which nothing was executed yet.
#[test]
fn code_that_another_memory_begins_with() {
    let program = program(ISA);
    let of = cipher(LENGTH);
    let code = bytes(&program, &of.code());
    let mut pair = pair(&program, &of.code(), AFTER);
    let all = |pair: &mut Pair<'_>, limit: u64| {
        begin(pair, 0, &of.registers(QUIET, 9, 1));
        for part in [limit, of.whole(9, 1)] {
            counted(pair, part, || format!("paused after {limit}"));
        }
    };
    all(&mut pair, 4 * LENGTH as u64);
    assert!(pair.seen.whole.get() > 0);
    for limit in [299, 300, 301, 1000] {
        let mut memories = [0, 1].map(|_| LAYOUT.memory(&code));
        let mut kept: Vec<_> = Vec::new();
        for (machine, memory) in [&mut pair.interpreted, &mut pair.compiled].into_iter().zip(&mut memories) {
            let mut translations = machine.copied_translations();
            machine.exchange(memory, &mut translations);
            kept.push(translations);
        }
        all(&mut pair, limit);
        pair.assert_same_memory(String::new);
        for ((machine, memory), mut translations) in
            [&mut pair.interpreted, &mut pair.compiled].into_iter().zip(&mut memories).zip(kept)
        {
            machine.exchange(memory, &mut translations);
            machine.absorb(translations);
        }
        assert_eq!(pair.compiled.histogram(), pair.interpreted.histogram());
        all(&mut pair, limit);
    }
}

/// There is room for the code of one loop at a time.
#[test]
fn code_that_is_dropped() {
    let program = program(ISA);
    let (first, second) = (cipher(LENGTH), cipher(LENGTH + 30));
    let code = [first.code(), second.code()].concat();
    let mut pair = pair(&program, &code, AFTER);
    within(&mut pair, 1 << 12);
    for round in 0..8 {
        for (of, at) in [(&first, 0), (&second, first.code().len() as u64)] {
            begin(&mut pair, at, &of.registers(QUIET, 7, 1));
            pair.run(round * 111, String::new);
            pair.run(of.whole(7, 1) - 3, String::new);
        }
    }
    assert!(pair.seen.dropped.get() > 2, "dropped {} times", pair.seen.dropped.get());
    // Once each: compiled again, they are one block already.
    assert_eq!(pair.seen.whole.get(), 2);
    pair.assert_same_memory(String::new);
}
