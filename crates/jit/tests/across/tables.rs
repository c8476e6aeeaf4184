//! Tables with an index that is known to be small: which of its elements was accessed says nothing of the others.

use crate::Guest;
use crate::guest::program;
use crate::space::BOTH;

/// A look-up at x5, which stands in memory, then others by other indices, or without one, in later blocks.
fn check(name: &str, mask: i64, then: &str) {
    // The table is another one in each trip, or is not.
    ["begin", "look"].into_iter().for_each(|back| check_with(back, name, mask, then));
}

fn check_with(back: &str, name: &str, mask: i64, then: &str) {
    let program = program("rv64i_zicsr");
    let look = format!("andi x7, x13, {mask}; add x7, x7, x5; {name} x8, 0(x7)");
    let text = format!(
        "
        begin:
            ld x5, 0(x15)
            jal x0, look
        look:
            {look}
            beq x20, x0, pass
            {then}
            bne x24, x0, more
            addi x12, x12, 1
        more:
            {look}
            bne x24, x0, most
            addi x12, x12, 1
        most:
            {look}
        pass:
            {look}
            addi x22, x22, -1
            bne x22, x0, {back}
            jal x0, stop
        stop:
            jal x0, stop"
    );
    for space in BOTH {
        let mut guest = Guest::of(&program, space, &text);
        let quiet = space.quiet();
        let set = |first, second, x20: u64, x22| {
            [(13, first), (14, second), (15, quiet - 64), (20, x20 & 1), (22, x22), (24, x20 >> 1)]
        };
        guest.poke(quiet - 64, quiet);
        guest.warm(&[0, 1, 2, 3].map(|way| set(3, 5, way, 4)), 150);
        let mut fails = [0, 0];
        let most = mask as u64;
        for edge in space.edges() {
            for (first, second) in [0, 8, most / 2, most]
                .into_iter()
                .flat_map(|first| [0, 8, most / 2, most].map(|second| (first, second)))
            {
                let middle = (first + second) / 2;
                for aim in [first, second, middle, most, 0] {
                    for (near, ways) in
                        [-8, -1, 0, 1].into_iter().flat_map(|near| [0, 1].map(|x20| (near, x20)))
                    {
                        let x5 = edge.wrapping_sub(aim).wrapping_add_signed(near);
                        guest.poke(quiet - 64, x5);
                        let way = (3 * ways) ^ (near as u64 & (2 * ways));
                        fails[usize::from(guest.fails(&set(first, second, way, 2), 80))] += 1;
                    }
                }
            }
        }
        assert!(fails[0] > 50 && fails[1] > 50, "{space:?}, {name} {mask} {then}: {fails:?}");
    }
}

/// Another element of the same table.
#[test]
fn other_elements() {
    for (name, mask) in [("lbu", 255), ("ld", 255), ("sb", 255), ("lw", 1020), ("sd", 15)] {
        check(name, mask, &format!("andi x7, x14, {mask}; add x7, x7, x5; {name} x9, 0(x7)"));
        check(name, mask, &format!("andi x7, x14, 127; add x7, x5, x7; {name} x9, 0(x7)"));
    }
}

/// The table's ends, without an index.
#[test]
fn ends_of_tables() {
    for (name, then) in [("lbu", "lbu x9, 0(x5)"), ("sb", "sb x9, 0(x5)")] {
        check(name, 255, then);
        check(name, 255, &then.replace('0', "255"));
        check(name, 255, &format!("{then}; {}", then.replace('0', "128")));
    }
}

/// An element that stands at the same register once more, and one next to it.
#[test]
fn the_same_element() {
    check("lbu", 255, "lbu x9, 0(x7)");
    check("lbu", 255, "lbu x9, 1(x7)");
    check("sb", 255, "addi x7, x7, -1; sb x9, 0(x7)");
}

/// Addresses that are rounded down: which of the bytes below was accessed is not known later.
#[test]
fn rounded_addresses() {
    let program = program("rv64i_zicsr");
    for (name, offset) in [("ld", 0), ("sd", 0), ("lbu", 63), ("sb", 32)] {
        let look = format!("andi x7, x5, -64; {name} x8, {offset}(x7)");
        let text = format!(
            "
            begin:
                ld x5, 0(x15)
                jal x0, look
            look:
                {look}
                beq x20, x0, pass
                {name} x9, 0(x5)
                bne x24, x0, more
                addi x12, x12, 1
            more:
                {name} x9, 0(x5)
                bne x24, x0, pass
                addi x12, x12, 1
            pass:
                {look}
                addi x22, x22, -1
                bne x22, x0, begin
                jal x0, stop
            stop:
                jal x0, stop"
        );
        for space in BOTH {
            let mut guest = Guest::of(&program, space, &text);
            let quiet = space.quiet();
            let set = |ways: u64| [(15, quiet - 64), (20, ways & 1), (22, 2), (24, ways >> 1)];
            guest.poke(quiet - 64, quiet);
            guest.warm(&[0, 1, 2, 3].map(set), 60);
            for edge in space.edges() {
                for (near, ways) in (-80..=80).flat_map(|near| [0, 1, 3].map(|ways| (near, ways))) {
                    guest.poke(quiet - 64, edge.wrapping_add_signed(near));
                    guest.fails(&set(ways), 60);
                }
            }
        }
    }
}
