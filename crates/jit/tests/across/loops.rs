//! Loops that count addresses up and down, and functions that use the stack.

use crate::Guest;
use crate::guest::program;
use crate::space::BOTH;

/// Loops of several blocks that lead over an edge, at which they fail in the right trip.
#[test]
fn addresses_that_count() {
    let program = program("rv64i_zicsr");
    for (name, step, behind) in [
        ("ld", 8, -8),
        ("ld", -8, 8),
        ("sd", 8, -8),
        ("sd", -8, 8),
        ("lbu", 1, -1),
        ("sb", -1, 1),
        ("lw", 600, -600),
        ("sw", -600, 600),
    ] {
        // What was behind before is where it was a trip ago.
        let text = format!(
            "
            begin:
                {name} x8, 0(x5)
                beq x20, x0, pass
                {name} x9, {behind}(x5)
            pass:
                addi x5, x5, {step}
                beq x21, x0, on
                {name} x9, {behind}(x5)
            on:
                addi x22, x22, -1
                bne x22, x0, begin
            stop:
                jal x0, stop"
        );
        for space in BOTH {
            let mut guest = Guest::of(&program, space, &text);
            let set = |x5, ways: u64, x22| [(5, x5), (20, ways & 1), (21, ways >> 1), (22, x22)];
            let quiet = space.quiet();
            guest.warm(&[set(quiet, 0, 5), set(quiet, 1, 5), set(quiet, 2, 5), set(quiet, 3, 5)], 80);
            let mut faults = 0;
            for edge in space.edges() {
                for (near, ways) in (-9..=9).flat_map(|near| (0..4).map(move |ways| (near, ways))) {
                    let start = edge.wrapping_add_signed(near - 3 * step);
                    faults += u32::from(guest.fails(&set(start, ways, 6), 80));
                }
            }
            assert!(faults > 50, "{space:?}, {name} by {step}: {faults} faults");
        }
    }
}

/// Inner loops whose base moves in the outer one.
#[test]
fn nested_loops() {
    let program = program("rv64i_zicsr");
    let text = "
        begin:
            addi x23, x24, 0
            ld x10, 16(x5)
        inner:
            ld x8, 0(x5)
            ld x9, 0(x6)
            beq x8, x9, equal
            addi x9, x9, 1
        equal:
            sd x9, 8(x5)
            addi x6, x6, 8
            addi x23, x23, -1
            bne x23, x0, inner
            addi x5, x5, 24
            addi x22, x22, -1
            bne x22, x0, begin
        stop:
            jal x0, stop";
    for space in BOTH {
        let mut guest = Guest::of(&program, space, text);
        let quiet = space.quiet();
        let set = |x5, x6, x22, x24| [(5, x5), (6, x6), (22, x22), (24, x24)];
        guest.warm(&[set(quiet, quiet, 3, 3), set(quiet, quiet + 8, 4, 2)], 200);
        for edge in space.edges() {
            for near in -56..=20 {
                let aim = edge.wrapping_add_signed(near);
                guest.fails(&set(aim, quiet, 3, 2), 200);
                guest.fails(&set(quiet, aim, 2, 3), 200);
            }
        }
    }
}

/// Functions that make room on the stack and give it back; one is called from two places.
#[test]
fn calls_and_returns() {
    let program = program("rv64i_zicsr");
    let text = "
        begin:
            addi x2, x2, -32
            sd x9, 24(x2)
            jal x1, outer
            ld x9, 24(x2)
            beq x20, x0, once
            jal x1, outer
            sd x9, 16(x2)
        once:
            addi x2, x2, 32
            addi x22, x22, -1
            bne x22, x0, begin
        stop:
            jal x0, stop
        outer:
            addi x2, x2, -48
            sd x1, 40(x2)
            beq x21, x0, passed
            sd x10, 0(x2)
            jal x1, leaf
            ld x10, 0(x2)
        passed:
            ld x1, 40(x2)
            addi x2, x2, 48
            jalr x0, 0(x1)
        leaf:
            addi x10, x10, 3
            lw x11, 8(x2)
            sw x10, 8(x2)
            jalr x0, 0(x1)";
    for space in BOTH {
        let mut guest = Guest::of(&program, space, text);
        let set = |x2, ways: u64, x22| [(2, x2), (9, 1), (10, 2), (20, ways & 1), (21, ways >> 1), (22, x22)];
        let quiet = space.quiet();
        guest.warm(&[set(quiet, 0, 3), set(quiet, 1, 3), set(quiet, 2, 3), set(quiet, 3, 3)], 300);
        let mut faults = 0;
        for edge in space.edges() {
            for (near, ways) in (-4..=90).step_by(2).flat_map(|near| (0..4).map(move |ways| (near, ways))) {
                faults += u32::from(guest.fails(&set(edge.wrapping_add_signed(near), ways, 2), 200));
            }
        }
        assert!(faults > 100, "{space:?}: {faults} faults");
    }
}

/// A function that returns with another stack than it was called with.
#[test]
fn a_stack_that_moves_in_a_call() {
    let program = program("rv64i_zicsr");
    let text = "
        begin:
            sd x9, 0(x2)
            ld x8, 8(x2)
            jal x1, moves
            sd x9, 0(x2)
            ld x8, 8(x2)
            addi x22, x22, -1
            bne x22, x0, begin
        stop:
            jal x0, stop
        moves:
            beq x20, x0, back
            add x2, x2, x6
        back:
            jalr x0, 0(x1)";
    for space in BOTH {
        let mut guest = Guest::of(&program, space, text);
        let set = |x2, x6, x20, x22| [(2, x2), (6, x6), (9, 1), (20, x20), (22, x22)];
        let quiet = space.quiet();
        guest.warm(&[set(quiet, 8, 0, 3), set(quiet, 8, 1, 3)], 100);
        for (edge, near) in
            space.edges().into_iter().flat_map(|edge| (-20..=12).map(move |near| (edge, near)))
        {
            let aim = edge.wrapping_add_signed(near);
            guest.fails(&set(quiet, aim.wrapping_sub(quiet), 1, 1), 60);
            guest.fails(&set(quiet, aim.wrapping_sub(quiet), 0, 2), 60);
            guest.fails(&set(aim, quiet.wrapping_sub(aim), 1, 1), 60);
        }
    }
}
