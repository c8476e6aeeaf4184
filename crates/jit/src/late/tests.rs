//! The order that instructions of small blocks are compiled in.

use std::sync::LazyLock;

use engine::Program;
use isa::Descriptions;

use super::order;
use crate::shape;
use crate::strided::tests::{Instruction, block, immediate, load, store, three};

/// Base registers, as opposed to 10 and up, which hold what is loaded and computed.
const A: i64 = 5;
const B: i64 = 6;

static PROGRAM: LazyLock<Program> = LazyLock::new(|| {
    let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
    Program::new("rv64imafdv_zicsr", &descriptions).expect("a known ISA string")
});

/// The order of the instructions of a block but for its last, a branch; some loads may fail.
fn ordered_but(body: &[Instruction], may_fail: &[usize]) -> Vec<usize> {
    let block = block(&PROGRAM, body, false);
    let compiled = shape::compiled(&block).min(body.len());
    order(&block, compiled, |uop| !may_fail.contains(&block.instruction_of(uop)))
}

/// The same where none may fail.
fn ordered(body: &[Instruction]) -> Vec<usize> {
    ordered_but(body, &[])
}

/// An instruction that has to do with no other.
fn other(register: i64) -> Instruction {
    immediate("XORI", register, register, 1)
}

#[test]
fn loads_go_down_to_what_needs_them() {
    let body = [
        load("LD", 10, A, 0),
        load("LBU", 11, A, 8),
        other(20),
        three("ADD", 14, 10, 20),
        other(21),
        three("ADD", 15, 14, 11),
    ];
    assert_eq!(ordered(&body), [2, 0, 3, 4, 1, 5]);
    // The value is the second operand, and that of two loads at once.
    let body = [load("LW", 10, A, 0), load("LW", 11, B, 0), other(20), three("SUB", 12, 11, 10), other(21)];
    assert_eq!(ordered(&body), [2, 0, 1, 3, 4]);
}

#[test]
fn loads_that_nothing_needs_come_last() {
    let body = [load("LD", 10, A, 0), other(20), load("LD", 11, A, 8), other(21)];
    assert_eq!(ordered(&body), [1, 3, 0, 2]);
    assert_eq!(ordered(&[load("LD", 10, A, 0)]), [0]);
    assert_eq!(ordered(&[]), []);
    // What is compiled ends before the block does.
    let body = [&body[..], &[("CSRRS", vec![("rd", 12), ("csr", 0x340)]), other(22)]].concat();
    assert_eq!(ordered(&body), [1, 3, 0, 2]);
}

/// One that is not even needed for its value: there is none.
#[test]
fn loads_without_a_register() {
    let body = [load("LD", 0, A, 0), other(20), immediate("ADDI", A, A, 8), other(21)];
    assert_eq!(ordered(&body), [1, 0, 2, 3]);
}

#[test]
fn loads_stay_before_what_writes_their_address() {
    let body = [load("LD", 10, A, 0), other(20), immediate("ADDI", A, A, 8), other(21)];
    assert_eq!(ordered(&body), [1, 0, 2, 3]);
    let body = [load("LD", 10, A, 0), other(20), load("LD", A, B, 0), other(21)];
    assert_eq!(ordered(&body), [1, 3, 0, 2]);
    // One that overwrites its own.
    let body = [load("LD", A, A, 0), other(20), immediate("ADDI", A, B, 8), other(21)];
    assert_eq!(ordered(&body), [1, 0, 2, 3]);
    let body = [load("LD", A, A, 0), other(20), load("LD", A, A, 0), other(21), other(A)];
    assert_eq!(ordered(&body), [1, 3, 0, 2, 4]);
}

#[test]
fn loads_stay_before_what_writes_their_register() {
    let body = [load("LD", 10, A, 0), other(20), immediate("ADDI", 10, B, 8), other(21)];
    assert_eq!(ordered(&body), [1, 0, 2, 3]);
    let body = [load("LD", 10, A, 0), other(20), load("LD", 10, B, 0), other(21)];
    assert_eq!(ordered(&body), [1, 3, 0, 2]);
}

#[test]
fn loads_stay_before_those_that_depend_on_them() {
    let body = [
        load("LD", 10, A, 0),
        other(20),
        load("LD", 11, 10, 0),
        other(21),
        load("LD", 12, 11, 0),
        load("LD", 13, A, 0),
        // Only what the last of the chain loads.
        three("ADD", 14, 12, 20),
    ];
    assert_eq!(ordered(&body), [1, 3, 0, 2, 4, 6, 5]);
}

/// As where a table's address is no longer needed after its last element is loaded.
#[test]
fn a_load_that_writes_the_address_of_others_waits_with_them() {
    let body = [
        load("LD", 10, A, 0),
        load("LD", 11, A, 8),
        load("LD", A, A, 16),
        other(20),
        three("ADD", 14, 10, 20),
        other(21),
        three("ADD", 15, A, 21),
    ];
    assert_eq!(ordered(&body), [3, 0, 4, 5, 1, 2, 6]);
    // Of what comes first, only that which has to: not the load from another address.
    let body = [load("LD", 10, A, 0), load("LD", 11, B, 0), load("LD", A, A, 8), other(A), other(20)];
    assert_eq!(ordered(&body), [0, 2, 3, 4, 1]);
    // One that another hides: what is needed first comes from the second of two loads to one register.
    let body = [load("LD", 10, A, 0), load("LD", 12, 10, 0), load("LD", 10, B, 0), three("ADD", 14, 10, 20)];
    assert_eq!(ordered(&body), [0, 1, 2, 3]);
}

#[test]
fn loads_that_may_fail_stay_and_none_passes_them() {
    let body = [load("LD", 10, A, 0), other(20), load("LD", 11, B, 0), other(21), load("LD", 12, A, 8)];
    assert_eq!(ordered(&body), [1, 3, 0, 2, 4]);
    assert_eq!(ordered_but(&body, &[2]), [1, 0, 2, 3, 4]);
    assert_eq!(ordered_but(&body, &[0]), [0, 1, 3, 2, 4]);
    let body = [load("LD", 10, A, 0), immediate("ADDI", B, B, 8), store("SD", 20, B, 0)];
    assert_eq!(ordered_but(&body, &[0]), [0, 1, 2]);
}

/// Each of these has an effect besides registers, may fail, or leads elsewhere.
#[test]
fn loads_stay_before_what_does_more_than_compute() {
    let at = |name: &'static str, rd: i64| (name, vec![("rd", rd), ("rs1", B), ("rs2", 23)]);
    let vector =
        |name: &'static str, register: &'static str| (name, vec![(register, 8), ("rs1", B), ("vm", 1)]);
    let float = |name: &'static str| (name, vec![("rd", 1), ("rs1", 2), ("rs2", 3)]);
    let all = [
        store("SD", 23, B, 0),
        store("SB", 23, A, 8),
        at("AMOADD__W", 22),
        at("AMOSWAP__D", 0),
        ("LR__W", vec![("rd", 22), ("rs1", B)]),
        at("SC__W", 22),
        store("FSD", 1, B, 0),
        load("FLD", 1, B, 0),
        float("FADD__D"),
        ("FMV__X__D", vec![("rd", 22), ("rs1", 1)]),
        vector("VSE64__V", "vs3"),
        vector("VLE64__V", "vd"),
    ];
    for instruction in all {
        let body = [load("LD", 10, A, 0), other(20), load("LD", 11, A, 8), instruction.clone(), other(21)];
        assert_eq!(ordered(&body), [1, 0, 2, 3, 4], "{instruction:?}");
    }
    let ends: [Instruction; 4] = [
        ("BLTU", vec![("rs1", 20), ("rs2", 21), ("imm", 8)]),
        ("JAL", vec![("rd", 22), ("imm", 8)]),
        ("JALR", vec![("rd", 22), ("rs1", B)]),
        ("ECALL", vec![]),
    ];
    for instruction in ends {
        let body = [load("LD", 10, A, 0), other(20), load("LD", 11, A, 8), instruction.clone()];
        let order = ordered(&body);
        // Some are not compiled; nor is one that would have come after another end.
        assert_eq!(order[..3], [1, 0, 2], "{instruction:?}");
        assert!(order.len() == 3 || order[3..] == [3], "{instruction:?}");
    }
}
