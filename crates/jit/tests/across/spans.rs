//! Extents over the ends of pages and of memory, as seen from one register.

use hart::pages::PAGE;

use crate::Guest;
use crate::guest::program;
use crate::space::{BOTH, Space, page};

/// Two accesses through x5, which stands in memory, at some distance in different blocks, and a third one between them or
/// not far from them.
fn check(first: (&str, i64), second: (&str, i64), third: (&str, i64)) {
    for between in ["beq x20, x0, pass", "addi x12, x12, 1"] {
        check_with(between, first, second, third);
    }
}

/// The same with an instruction between the first two, which may end their block.
fn check_with(between: &str, first: (&str, i64), second: (&str, i64), third: (&str, i64)) {
    let program = program("rv64i_zicsr");
    let access = |(name, offset): (&str, i64), data: i64| format!("{name} x{data}, {offset}(x5)");
    let [first_one, second_one, third_one] = [access(first, 8), access(second, 9), access(third, 10)];
    let text = format!(
        "
        begin:
            ld x5, 0(x15)
            jal x0, go
        go:
            {first_one}
            {between}
            {second_one}
            beq x21, x0, pass
            {third_one}
            bne x24, x0, more
            addi x12, x12, 1
        more:
            {third_one}
            bne x24, x0, most
            addi x12, x12, 1
        most:
            {third_one}
        pass:
            {first_one}
            addi x22, x22, -1
            bne x22, x0, begin
            jal x0, stop
        stop:
            jal x0, stop"
    );
    // What is compiled before is no way into the region of the first block.
    for (space, is_late) in BOTH.into_iter().flat_map(|space| [(space, false), (space, true)]) {
        let mut guest = Guest::of(&program, space, &text);
        let (quiet, place) = (space.quiet(), space.quiet() + 0xa00);
        let set = |ways: u64, trips| {
            [(15, place), (20, ways & 1), (21, ways >> 1 & 1), (22, trips), (24, ways >> 2)]
        };
        guest.poke(place, quiet);
        if is_late {
            guest.warm_at(4, &[&set(7, 1)[..], &[(5, quiet)]].concat(), 40);
        }
        guest.warm(&[set(0, 4), set(1, 5), set(3, 5), set(7, 5)], 90);
        let mut faults = [0, 0];
        for edge in space.edges() {
            let aims = [first.1, second.1, third.1].into_iter().flat_map(|offset| {
                [-9, -8, -7, -1, 0, 1, 600, -600].map(|near| edge.wrapping_add_signed(near - offset))
            });
            for (aim, ways) in aims.flat_map(|aim| [0, 1, 3, 7].map(|ways| (aim, ways))) {
                guest.poke(place, aim);
                faults[usize::from(guest.fails(&set(ways, 1), 40))] += 1;
            }
        }
        assert!(faults[0] > 20 && faults[1] > 20, "{space:?}, {first:?} {second:?} {third:?}: {faults:?}");
    }
}

/// Ends less than a page apart.
#[test]
fn near_ends() {
    for (first, second) in [("ld", "ld"), ("sd", "sd"), ("ld", "sd"), ("sd", "ld")] {
        for third in ["lbu", "sb"] {
            check((first, 0), (second, 2040), (third, 1024));
            check((first, -1024), (second, 1016), (third, 0));
            check((first, 512), (second, -512), (third, 40));
        }
    }
}

/// What is between two ends that are farther apart, or beyond one of them, was not accessed.
#[test]
fn far_ends() {
    for (name, third) in [("ld", "ld"), ("sd", "sd"), ("sd", "sb"), ("ld", "lbu")] {
        check((name, -2048), (name, 2040), (third, 0));
        check((name, -2048), (name, 8), (third, -1000));
        check((name, 0), (name, 2041), (third, 2033));
        check((name, 0), (name, 16), (third, 17));
        check((name, 0), (name, 16), (third, -1));
        check((name, 0), (name, 8), (third, 2047));
    }
}

/// Loads do not prove that stores may be made, nor stores loads.
#[test]
fn kinds() {
    check(("ld", 0), ("ld", 8), ("sd", 0));
    check(("sd", 0), ("sd", 8), ("ld", 0));
    check(("lw", 4), ("sw", 0), ("ld", 0));
    check(("sb", 7), ("lb", 7), ("sd", 0));
    check(("sb", 7), ("sb", 0), ("sd", 0));
}

/// A page without rights between two that are accessed, at addresses that are more than a page apart.
#[test]
fn holes() {
    let program = program("rv64i_zicsr");
    for (name, hole) in [("sd", page::LAST - 2 * PAGE), ("ld", page::LAST - 2 * PAGE), ("sd", page::HOLE)] {
        let third = format!("{name} x10, -1022(x5)");
        let text = format!(
            "
            begin:
                ld x5, 0(x15)
                jal x0, go
            go:
                {name} x8, 0(x5)
                addi x5, x5, 2047
                beq x20, x0, stop
                addi x5, x5, 2047
                {name} x9, 2047(x5)
                bne x24, x9, on
                addi x12, x12, 1
            on:
                {third}
                bne x24, x0, more
                addi x12, x12, 1
            more:
                {third}
                bne x24, x0, most
                addi x12, x12, 1
            most:
                {third}
                bne x24, x0, pass
                addi x12, x12, 1
            pass:
                {third}
                jal x0, stop
            stop:
                jal x0, stop"
        );
        let mut guest = Guest::of(&program, Space::Paged, &text);
        let (quiet, place) = (page::FIRST, Space::Paged.quiet() + 0xa00);
        let set = |ways: u64| [(15, place), (20, ways & 1), (24, ways >> 1)];
        guest.poke(place, quiet);
        guest.warm_at(5, &[&set(3)[..], &[(5, quiet)]].concat(), 40);
        guest.warm(&[0, 1, 2, 3].map(set), 40);
        let mut faults = 0;
        for (near, ways) in (1..40).flat_map(|near| (0..4).map(move |ways| (near, ways))) {
            guest.poke(place, hole - 24 * near);
            faults += u32::from(guest.fails(&set(ways), 40));
        }
        assert!(faults > 20, "{name} at {hole:#x}: {faults} faults");
    }
}
