//! Which values need not go to their registers' homes.

use std::sync::LazyLock;

use engine::Program;
use isa::Descriptions;

use super::unseen;
use crate::late;
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

/// Between two values of a register, what looks at all homes, or may.
#[test]
fn what_else_shows_it() {
    let between: [Instruction; 6] = [
        ("FMV__D__X", vec![("rd", 1), ("rs1", 11)]),
        ("FMV__X__D", vec![("rd", 13), ("rs1", 1)]),
        ("LR__D", vec![("rd", 13), ("rs1", 5)]),
        ("SC__D", vec![("rd", 13), ("rs1", 5), ("rs2", 6)]),
        ("AMOADD__D", vec![("rd", 13), ("rs1", 5), ("rs2", 6)]),
        load("LW", 13, 5, 0),
    ];
    for one in between {
        let body = [immediate("ADDI", 10, 11, 1), one, immediate("ADDI", 10, 11, 2)];
        assert_eq!(found(&body, &[1]), [], "{body:?}");
    }
    // What is not compiled is the interpreter's, and all after it.
    let body = [
        immediate("ADDI", 10, 11, 1),
        immediate("ADDI", 10, 11, 2),
        ("CSRRS", vec![("rd", 13), ("csr", 0x340)]),
        immediate("ADDI", 10, 11, 3),
    ];
    assert_eq!(found(&body, &[]), [0]);
}

/// Loads that come late are where they come.
#[test]
fn in_the_order_of_compilation() {
    let body = [
        load("LD", 10, 5, 0),
        immediate("ADDI", 11, 12, 1),
        store("SD", 12, 6, 0),
        three("XOR", 10, 10, 11),
        immediate("ADDI", 11, 12, 2),
    ];
    let of = |order: &[usize]| {
        let block = block(&PROGRAM, &body, false);
        let safe = |uop| block.instruction_of(uop) == 0;
        let mut found: Vec<usize> =
            unseen(&block, order, safe).into_iter().map(|uop| block.instruction_of(uop)).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(of(&[0, 1, 2, 3, 4, 5]), []);
    assert_eq!(of(&[1, 2, 0, 3, 4, 5]), [0]);
    assert_eq!(of(&[0, 2, 1, 3, 4, 5]), [1]);
    // Nothing is to come after the store of what it was before.
    let block = block(&PROGRAM, &body, false);
    assert_eq!(late::order(&block, 6, |uop| block.instruction_of(uop) == 0), [1, 0, 2, 3, 4, 5]);
}
