//! Which loops are compiled together.

use std::rc::Rc;

use engine::{Blind, Limits, Machine, Program};
use jit::Jit;

use crate::guest::{BASE, Code, Screen, program};
use crate::watched::{Seen, Watched};
use crate::{assert_equal, assert_same_state};

/// First instruction of the loops below, after that which sets their counter.
const FIRST: u64 = BASE + 8;
const SECOND: u64 = BASE + 20;

/// A loop of 400 rounds around two, one after the other, of as many rounds as told.
fn pair(program: &Program, first: i64, second: i64) -> Machine<'_> {
    Code::new(program)
        .addi(5, 0, 400)
        .addi(6, 0, first)
        .addi(6, 6, -1)
        .op("BNE", &[("rs1", 6), ("rs2", 0), ("imm", -4)])
        .addi(7, 0, second)
        .addi(7, 7, -1)
        .op("BNE", &[("rs1", 7), ("rs2", 0), ("imm", -4)])
        .addi(5, 5, -1)
        .op("BNE", &[("rs1", 5), ("rs2", 0), ("imm", -28)])
        .machine()
}

/// Regions of the program, in the order of compilation; results are held to those of the interpreter.
fn regions(first: i64, second: i64) -> Vec<Vec<u64>> {
    let program = program("rv64i");
    let (mut interpreted, mut compiled) = (pair(&program, first, second), pair(&program, first, second));
    let seen = Rc::new(Seen::default());
    compiled.set_compiler(Box::new(Watched(Jit::new().after(100), Rc::clone(&seen))));
    for limit in [1, 1000, 9999, 20_000] {
        assert_equal(&mut interpreted, &mut compiled, limit);
    }
    for machine in [&mut interpreted, &mut compiled] {
        machine.run(Limits::default(), &mut Blind, &mut Screen::default());
    }
    assert_same_state(&interpreted, &compiled);
    seen.regions.take()
}

#[test]
fn a_loop_that_is_seldom_left_is_compiled_alone_and_once() {
    let regions = regions(64, 8);
    assert_eq!(regions[0], [FIRST]);
    assert!(regions.len() > 1);
    assert!(regions[1..].iter().all(|region| !region.contains(&FIRST)), "{regions:x?}");
    assert!(regions[1..].iter().any(|region| region.contains(&SECOND) && region.len() > 2), "{regions:x?}");
}

#[test]
fn short_loops_are_compiled_with_what_is_around_them() {
    let regions = regions(8, 6);
    assert!(regions.iter().any(|region| region.contains(&FIRST) && region.contains(&SECOND)), "{regions:x?}");
}
