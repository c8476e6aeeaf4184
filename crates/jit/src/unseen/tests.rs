//! Which values need not go to their registers' homes.

use std::sync::LazyLock;

use engine::Program;
use isa::Descriptions;

use super::unseen;
use crate::shape;
use crate::strided::tests::{Instruction, block, immediate, load, store, three};

static PROGRAM: LazyLock<Program> = LazyLock::new(|| {
    let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
    Program::new("rv64imafdv_zicsr", &descriptions).expect("a known ISA string")
});

/// The instructions of a block that give such values, if accesses but those that `may_leave` never do.
fn found(body: &[Instruction], may_leave: &[usize]) -> Vec<usize> {
    let block = block(&PROGRAM, body, false);
    let order: Vec<usize> = (0..shape::compiled(&block)).collect();
    let safe = |uop| !may_leave.contains(&block.instruction_of(uop));
    let uops = unseen(&block, &order, safe);
    let mut found: Vec<usize> = uops.into_iter().map(|uop| block.instruction_of(uop)).collect();
    found.sort_unstable();
    found
}

#[test]
fn what_is_overwritten_at_once_is_unseen() {
    let twice = [immediate("ADDI", 10, 11, 1), three("XOR", 10, 10, 12)];
    assert_eq!(found(&twice, &[]), [0]);
    // What a register holds where the block ends, somebody may look for.
    assert_eq!(found(&[immediate("ADDI", 10, 11, 1), three("XOR", 13, 10, 12)], &[]), []);
}

#[test]
fn accesses_that_may_leave_show_what_was_before_them() {
    let body = [
        immediate("ADDI", 10, 11, 1),
        store("SD", 10, 5, 0),
        immediate("ADDI", 10, 11, 2),
        load("LD", 10, 5, 8),
        immediate("ADDI", 10, 11, 3),
    ];
    assert_eq!(found(&body, &[]), [0, 2, 3]);
    assert_eq!(found(&body, &[1]), [2, 3]);
    // What it loads, it has not loaded yet when it leaves.
    assert_eq!(found(&body, &[3]), [0, 3]);
    assert_eq!(found(&body, &[1, 3]), [3]);
}
