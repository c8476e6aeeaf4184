//! Checks where a region is entered that fail again and again: it is compiled again without them.

use crate::guest::program;
use crate::space::{Space, page};
use crate::{Guest, chain};

/// A register is accessed on one of two ways, which is taken while it gets hot, and another one on both.
fn warm(program: &engine::Program) -> Guest<'_> {
    let text = format!(
        "
        begin:
            ld x8, 0(x5)
            sd x8, 8(x5)
            beq x20, x0, other
            {}
        other:
            ld x8, 0(x5)
            sd x8, 8(x5)
            jal x0, stop
        stop:
            jal x0, stop",
        chain("x6", "a")
    );
    let mut guest = Guest::of(program, Space::Paged, &text);
    let quiet = Space::Paged.quiet();
    guest.warm(&[0, 1, 2, 3].map(|way| [(5, quiet), (6, quiet + 64), (20, way & 1), (24, way >> 1)]), 40);
    guest
}

#[test]
fn a_check_that_always_fails() {
    let program = program("rv64i_zicsr");
    let mut guest = warm(&program);
    let quiet = Space::Paged.quiet();
    let head = guest.space.code();
    let compiled = |guest: &Guest<'_>| {
        let regions = guest.pair.seen.regions.borrow();
        regions.iter().filter(|region| region[0] == head).count()
    };
    let before = (compiled(&guest), guest.pair.seen.outdated.get());
    for bad in [0u64, u64::MAX, page::END, 1 << 60] {
        for _ in 0..100 {
            assert!(!guest.fails(&[(5, quiet), (6, bad), (20, 0)], 40));
        }
        assert!(guest.fails(&[(5, quiet), (6, bad), (20, 1)], 40));
    }
    let after = (compiled(&guest), guest.pair.seen.outdated.get());
    assert!(after.0 > before.0 && after.1 > before.1, "{before:?}, {after:?}");
    // Nothing is left to fail: a run is entered as often as one whose registers are all good.
    let mut entered = |x6: u64| {
        let before = guest.pair.seen.entered.get();
        (0..20).for_each(|_| _ = guest.fails(&[(5, quiet), (6, x6), (20, 0)], 40));
        guest.pair.seen.entered.get() - before
    };
    assert_eq!(entered(0), entered(quiet));
    // What is accessed is still checked, around every edge.
    for edge in Space::Paged.edges() {
        for (near, x20) in (-28..=12).flat_map(|near| [0, 1].map(|x20| (near, x20))) {
            let aim = edge.wrapping_add_signed(near);
            guest.fails(&[(5, quiet), (6, aim), (20, x20)], 40);
            guest.fails(&[(5, aim), (6, quiet), (20, x20)], 40);
        }
    }
}

/// Few misses compile nothing again, however many times the check holds.
#[test]
fn a_check_that_seldom_fails() {
    let program = program("rv64i_zicsr");
    let mut guest = warm(&program);
    let quiet = Space::Paged.quiet();
    let before = guest.pair.seen.outdated.get();
    for round in 0..600 {
        let x6 = if round % 100 == 99 { 0 } else { quiet };
        guest.fails(&[(5, quiet), (6, x6), (20, 0)], 40);
    }
    assert_eq!(guest.pair.seen.outdated.get(), before);
}
