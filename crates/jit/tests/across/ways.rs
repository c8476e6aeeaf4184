//! Ways through a region of which only some make an access.

use crate::guest::program;
use crate::space::{BOTH, Space};
use crate::{Guest, chain};

/// Addresses that nothing may be accessed at.
fn garbage(space: Space) -> [u64; 6] {
    [0, u64::MAX, u64::MAX - 7, 1 << 63, space.range().end, space.range().start.wrapping_sub(8)]
}

/// What only a way not taken accesses may be anything; where it is taken, it faults then.
#[test]
fn accesses_of_ways_not_taken() {
    let program = program("rv64i_zicsr");
    for is_loop in [false, true] {
        let back = if is_loop { "bne x22, x0, begin" } else { "addi x29, x29, 1" };
        let text = format!(
            "
            begin:
                addi x22, x22, -1
                andi x21, x20, 1
                srli x20, x20, 1
                beq x21, x0, other
                {}
                jal x0, join
            other:
                {}
            join:
                addi x9, x9, 1
                {back}
                jal x0, stop
            stop:
                jal x0, stop",
            chain("x5", "a"),
            chain("x6", "b")
        );
        for space in BOTH {
            let mut guest = Guest::of(&program, space, &text);
            let (quiet, trips) = (space.quiet(), if is_loop { 8 } else { 1 });
            let all = |x5, x6, x20, x24| [(5, x5), (6, x6), (9, 7), (20, x20), (22, trips), (24, x24)];
            let warm: Vec<_> = (0..4).map(|way| all(quiet, quiet + 64, 0x5a + (way & 1), way >> 1)).collect();
            guest.warm(&warm, 300);
            for (which, bad) in [5, 6].into_iter().flat_map(|which| garbage(space).map(|bad| (which, bad))) {
                for ways in [0u64, 0xff, 0x80, 0x7f, 1, 0xfe, 0x10, 0xef] {
                    let taken = if is_loop { ways } else { ways & 1 };
                    let (x5, x6) = if which == 5 { (bad, quiet) } else { (quiet, bad) };
                    let is_used =
                        if which == 5 { taken != 0 } else { taken != if is_loop { 0xff } else { 1 } };
                    for x24 in [0, 1] {
                        let registers = all(x5, x6, ways, x24);
                        assert_eq!(guest.fails(&registers, 300), is_used, "{space:?}, {registers:x?}");
                    }
                }
            }
        }
    }
}

/// A register that is good where the region is entered is replaced by the time of the access; one that is garbage there is
/// good by then.
#[test]
fn registers_set_after_the_entry() {
    let program = program("rv64i_zicsr");
    let text = format!(
        "
        begin:
            beq x20, x0, keep
            addi x5, x6, 0
        keep:
            addi x9, x9, 1
            beq x21, x0, pass
            {}
        pass:
            jal x0, stop
        stop:
            jal x0, stop",
        chain("x5", "a")
    );
    for space in BOTH {
        let mut guest = Guest::of(&program, space, &text);
        let quiet = space.quiet();
        let set = |x5, x6, ways: u64| {
            [(5, x5), (6, x6), (20, ways & 1), (21, ways >> 1 & 1), (22, 3), (24, ways >> 2)]
        };
        guest.warm(&[0, 1, 2, 3, 4, 5, 6, 7].map(|ways| set(quiet, quiet + 64, ways)), 60);
        for (bad, ways) in garbage(space).into_iter().flat_map(|bad| (0..8).map(move |ways| (bad, ways))) {
            for (x5, x6) in [(bad, quiet), (quiet, bad), (bad, bad)] {
                let used = if ways & 1 == 1 { x6 } else { x5 };
                let registers = set(x5, x6, ways);
                let is_bad = ways & 2 != 0 && used == bad;
                assert_eq!(guest.fails(&registers, 60), is_bad, "{space:?}, {registers:x?}");
            }
        }
    }
}

/// One way to a block has accessed what it accesses, another has accessed less, something else, or nothing.
#[test]
fn what_only_some_ways_prove() {
    let program = program("rv64i_zicsr");
    for other in ["addi x8, x8, 1", "ld x8, 0(x6)", "sd x8, 0(x5)", "ld x8, -8(x5)", "addi x5, x5, 8"] {
        for space in BOTH {
            let text = format!(
                "
                begin:
                    beq x20, x0, other
                    ld x8, 0(x5)
                    jal x0, join
                other:
                    {other}
                join:
                    addi x9, x9, 1
                    beq x21, x0, end
                    lw x10, 4(x5)
                    lbu x11, 0(x5)
                    sb x9, 0(x6)
                    beq x22, x0, end
                    ld x10, 0(x5)
                    beq x9, x0, end
                    ld x10, 0(x5)
                end:
                    addi x22, x22, -1
                    bne x22, x0, begin
                stop:
                    jal x0, stop"
            );
            let mut guest = Guest::of(&program, space, &text);
            let quiet = space.quiet();
            let set = |x5, x20, x21, x22| [(5, x5), (6, quiet), (20, x20), (21, x21), (22, x22)];
            guest.warm(&[set(quiet, 0, 1, 2), set(quiet, 1, 1, 3), set(quiet, 0, 0, 3)], 60);
            let mut faults = 0;
            for (edge, near) in
                space.edges().into_iter().flat_map(|edge| (-18..=10).map(move |near| (edge, near)))
            {
                for way in 0..8 {
                    let at = edge.wrapping_add_signed(near);
                    faults += u32::from(guest.fails(&set(at, way & 1, way >> 1 & 1, 1 + (way >> 2)), 60));
                }
            }
            assert!(faults > 50, "{space:?}, {other}: {faults} faults");
        }
    }
}

/// Each of the blocks is entered from elsewhere, where nothing is known of what the blocks before it access.
#[test]
fn every_block_as_the_first() {
    let program = program("rv64i_zicsr");
    let text = "
        begin:
            ld x8, 0(x5)
            beq x20, x0, second
            addi x9, x9, 1
        second:
            ld x10, 8(x5)
            beq x21, x0, third
            addi x9, x9, 2
        third:
            sd x9, 0(x5)
            bne x22, x0, fourth
            addi x9, x9, 3
        fourth:
            sd x9, 8(x5)
            addi x23, x23, -1
            bne x23, x0, begin
        stop:
            jal x0, stop";
    for space in BOTH {
        let mut guest = Guest::of(&program, space, text);
        let quiet = space.quiet();
        let set = |ways: u64| [(5, quiet), (20, ways & 1), (21, ways >> 1 & 1), (22, ways >> 2), (23, 4)];
        guest.warm(&[0, 1, 2, 3, 4, 5, 6, 7].map(set), 80);
        for (edge, near) in
            space.edges().into_iter().flat_map(|edge| (-20..=12).map(move |near| (edge, near)))
        {
            for word in 0..12 {
                let x5 = edge.wrapping_add_signed(near);
                guest.begin_at(word, &[(5, x5), (20, word & 1), (22, word & 2), (23, 2)]);
                guest.run(30, || format!("{edge:#x} {near:+} from word {word}"));
            }
        }
        guest.compare(String::new);
    }
}
