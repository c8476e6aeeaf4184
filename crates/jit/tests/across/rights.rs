//! Rights that are taken away and given back by system calls between executions of what was proved before.

use engine::Stop;
use hart::pages::{PAGE, Rights};

use crate::Guest;
use crate::guest::program;
use crate::space::Space;

/// `ecall` at a register.
const ECALL: u64 = 11;

/// A loop with a system call in its midst, or in a function that it calls.
fn text(call: &str) -> String {
    format!(
        "
        begin:
            sd x9, 0(x5)
            ld x8, 8(x5)
            beq x20, x0, quiet
            {call}
        quiet:
            ld x10, 0(x5)
            sd x10, 8(x5)
            beq x21, x0, pass
            lw x11, 4(x5)
            sw x11, 12(x5)
        pass:
            addi x9, x9, 1
            addi x22, x22, -1
            bne x22, x0, begin
        stop:
            jal x0, stop
        function:
            ecall
            jalr x0, 0(x1)"
    )
}

/// Runs on, and does the same as a handler would at system calls and at faults; counts the latter.
fn handled(guest: &mut Guest<'_>, changes: &mut impl Iterator<Item = (u64, Rights, bool)>) -> u32 {
    let mut faults = 0;
    for _ in 0..60 {
        let Stop::Fault(fault) = guest.run(200, || "handled".into()) else { break };
        if fault.exception.cause == ECALL {
            let Some((page, now, is_discarded)) = changes.next() else { break };
            let range = page * PAGE..(page + 1) * PAGE;
            guest.pair.each(|machine| {
                let pages = machine.memory.pages_mut().expect("a process's");
                pages.set_rights(range.clone(), now);
                if is_discarded {
                    pages.discard(range.clone());
                }
            });
        } else {
            faults += 1;
        }
        guest.pair.skip();
    }
    faults
}

#[test]
fn rights_change_between_executions() {
    let program = program("rv64i_zicsr");
    let (none, read, both) = (Rights::NONE, Rights::READ, Rights::READ | Rights::WRITE);
    for call in ["ecall", "jal x1, function"] {
        let mut guest = Guest::of(&program, Space::Paged, &text(call));
        let set = |x5, ways: u64, x22| [(5, x5), (20, ways & 1), (21, ways >> 1), (22, x22)];
        guest.warm(&[set(5 * PAGE, 0, 5), set(5 * PAGE, 2, 5)], 100);
        guest.begin(&set(5 * PAGE, 3, 30));
        assert_eq!(handled(&mut guest, &mut std::iter::repeat_n((5, both, false), 30)), 0);
        let mut faults = 0;
        for near in [0, 8, -4, -8, -12, -16] {
            for page in [4, 5] {
                for (lost, is_discarded) in
                    [(none, true), (none, false), (read, false), (Rights::WRITE, false)]
                {
                    // Lost at every call, then given back at the next.
                    for ways in [1, 3] {
                        guest.begin(&set((5 * PAGE).wrapping_add_signed(near), ways, 8));
                        let mut at = 0;
                        let mut changes = std::iter::from_fn(|| {
                            at += 1;
                            let now = if at % 2 == 1 { (lost, is_discarded) } else { (both, false) };
                            Some((page, now.0, now.1))
                        });
                        faults += handled(&mut guest, &mut changes);
                        guest.compare(|| format!("{near}, {page}, {lost:?}"));
                        for page in [4, 5] {
                            guest.pair.each(|machine| {
                                let pages = machine.memory.pages_mut().expect("a process's");
                                pages.set_rights(page * PAGE..(page + 1) * PAGE, both);
                            });
                        }
                    }
                }
            }
        }
        assert!(faults > 100, "{call}: {faults} faults");
    }
}

/// The same between two runs, as of another thread that ran meanwhile: at every instruction of a trip.
#[test]
fn rights_change_wherever_a_run_is_paused() {
    let program = program("rv64i_zicsr");
    let mut guest = Guest::of(&program, Space::Paged, &text("addi x12, x12, 1"));
    let set = |ways: u64, x22| [(5, 5 * PAGE - 8), (20, ways & 1), (21, ways >> 1), (22, x22)];
    guest.warm(&[set(0, 5), set(1, 5), set(2, 5), set(3, 5)], 100);
    let mut faults = 0;
    for (page, lost) in [4, 5]
        .into_iter()
        .flat_map(|page| [Rights::NONE, Rights::READ, Rights::WRITE].map(|lost| (page, lost)))
    {
        for (paused, ways) in (0..34).flat_map(|paused| [0, 1, 3].map(|ways| (paused, ways))) {
            guest.begin(&set(ways, 5));
            guest.run(paused, || format!("paused after {paused}"));
            let change = |guest: &mut Guest<'_>, rights| {
                guest.pair.each(|machine| {
                    let pages = machine.memory.pages_mut().expect("a process's");
                    pages.set_rights(page * PAGE..(page + 1) * PAGE, rights);
                });
            };
            change(&mut guest, lost);
            let stop = guest.run(60, || format!("{lost:?} of {page} after {paused}"));
            faults += u32::from(matches!(stop, Stop::Fault(_)));
            change(&mut guest, Rights::READ | Rights::WRITE);
            guest.run(60, || format!("{page} given back after {paused}"));
            guest.compare(|| format!("{lost:?} of {page} after {paused}"));
        }
    }
    assert!(faults > 200, "{faults} faults");
}
