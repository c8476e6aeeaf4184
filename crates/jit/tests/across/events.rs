//! A word where a store is an event, beside what is stored to otherwise.

use engine::Stop;

use crate::Guest;
use crate::guest::program;
use crate::space::{Space, TOHOST};

/// Stores below and above it, then to it, each in a block of its own: the last is an event all the same.
#[test]
fn tohost_between_two_stores() {
    let program = program("rv64i_zicsr");
    let space = Space::Flat { tohost: true };
    for (below, above, name) in
        [(-8, 8, "sd"), (-1, 8, "sw"), (-64, 64, "sd"), (-1000, 1000, "sd"), (-8, 12, "sd"), (-12, 8, "sw")]
    {
        // Both in one block, or in two.
        let ends = ["addi x10, x10, 1", "beq x20, x0, pass"];
        let orders = [[below, above], [above, below]];
        for (order, first_ends) in orders.into_iter().flat_map(|order| ends.map(|ends| (order, ends))) {
            let text = format!(
                "
                begin:
                    ld x5, 0(x15)
                    jal x0, go
                go:
                    {name} x0, {}(x5)
                    {first_ends}
                    {name} x0, {}(x5)
                    beq x21, x0, pass
                    sd x9, 0(x5)
                    addi x10, x10, 1
                pass:
                    jal x0, stop
                stop:
                    jal x0, stop",
                order[0], order[1]
            );
            let mut guest = Guest::of(&program, space, &text);
            guest.name = text;
            let quiet = space.quiet();
            let set = |ways: u64| [(9, 3), (15, quiet - 2048), (20, ways & 1), (21, ways >> 1)];
            guest.poke(quiet - 2048, quiet);
            // The second store is no way into the region of the first.
            guest.warm_at(4, &[&set(3)[..], &[(5, quiet)]].concat(), 40);
            guest.warm(&[set(0), set(1), set(3)], 40);
            for near in -16..=16 {
                for ways in [0, 1, 3] {
                    guest.begin(&set(ways));
                    guest.poke(quiet - 2048, TOHOST.wrapping_add_signed(near));
                    guest.poke(TOHOST, 0);
                    let stop = guest.run(40, || format!("{near:+}, ways {ways}"));
                    guest.compare(|| format!("{near:+}, ways {ways}"));
                    if near == 0 && ways == 3 {
                        assert!(!matches!(stop, Stop::InstructionLimit), "{stop:?}: {}", guest.name);
                    }
                }
            }
        }
    }
}

/// A loop that stores up to it and beyond, at each distance.
#[test]
fn stores_around_tohost_in_a_loop() {
    let program = program("rv64i_zicsr");
    let space = Space::Flat { tohost: true };
    for step in [8, -8, 4, 1] {
        let text = format!(
            "
            begin:
                sw x9, 0(x5)
                beq x20, x0, pass
                addi x10, x10, 1
            pass:
                addi x5, x5, {step}
                addi x22, x22, -1
                bne x22, x0, begin
            stop:
                jal x0, stop"
        );
        let mut guest = Guest::of(&program, space, &text);
        let quiet = space.quiet();
        guest.warm(&[[(5, quiet), (9, 3), (20, 0), (22, 5)], [(5, quiet), (9, 3), (20, 1), (22, 5)]], 60);
        for start in -8..=8 {
            let aim = TOHOST.wrapping_add_signed(start - 4 * step);
            guest.begin(&[(5, aim), (9, 3), (20, (start & 1) as u64), (22, 9)]);
            guest.poke(TOHOST, 0);
            guest.run(90, || format!("from {aim:#x} by {step}"));
            guest.compare(|| format!("from {aim:#x} by {step}"));
        }
    }
}
