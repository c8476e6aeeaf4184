//! What is known where a block parts for its two kinds of `vl`, and learnt on one of the ways only: values, accesses that were
//! checked, what is on.

use engine::Program;

use crate::Setup;
use crate::guest::{BASE, DATA, SIZE, encode, program};
use crate::rounds::shape;

type Op<'a> = (&'a str, &'a [(&'a str, i64)]);

const RANDOM: i64 = 11;
/// Address of which a part is random.
const NEAR: i64 = 12;
/// It and what is added to it.
const SUM: i64 = 13;

fn sums(d: i64) -> [Op<'static>; 2] {
    let all: [&'static [(&str, i64)]; 2] = match d {
        8 => {
            [&[("vd", 8), ("vs2", 8), ("rs1", 5), ("vm", 1)], &[("vd", 9), ("vs2", 9), ("vs1", 8), ("vm", 1)]]
        }
        _ => [
            &[("vd", 10), ("vs2", 8), ("rs1", 6), ("vm", 1)],
            &[("vd", 11), ("vs2", 9), ("vs1", 10), ("vm", 1)],
        ],
    };
    [("VADD__VX", all[0]), ("VADD__VV", all[1])]
}

/// A loop that has this before and after its first vector instructions, over as many elements as there are left; after that,
/// over fewer.
fn check(program: &Program, before: &[Op<'_>], after: &[Op<'_>]) {
    let op = |(name, fields): &Op<'_>| encode(program.module(), name, fields);
    let (_, vtype) = shape(128, 2, 0).expect("a type");
    let mut words = vec![op(&("CSRRW", &[("csr", 0x300), ("rs1", 22)]))];
    let begin = words.len();
    words.push(op(&("VSETVLI", &[("rd", 5), ("rs1", 10), ("zimm", vtype)])));
    words.extend(before.iter().map(op));
    words.extend(sums(8).iter().map(op));
    words.extend(after.iter().map(op));
    words.extend(sums(10).iter().map(op));
    words.push(op(&("ADDI", &[("rd", RANDOM), ("rs1", RANDOM), ("imm", 4)])));
    words.push(op(&("SUB", &[("rd", 10), ("rs1", 10), ("rs2", 5)])));
    words.push(op(&("BLT", &[("rs1", 0), ("rs2", 10), ("imm", -4 * (words.len() - begin) as i64)])));
    words.push(op(&("ADDI", &[("rd", 14), ("rs1", 14), ("imm", -1)])));
    words.push(op(&("ADDI", &[("rd", 10), ("rs1", 14), ("imm", 0)])));
    words.push(op(&("BLT", &[("rs1", 0), ("rs2", 14), ("imm", -4 * words.len() as i64)])));
    words.push(op(&("JAL", &[])));
    let handler = vec![
        op(&("CSRRS", &[("rd", 30), ("csr", 0x341)])),
        op(&("ADDI", &[("rd", 30), ("rs1", 30), ("imm", 4)])),
        op(&("CSRRW", &[("csr", 0x341), ("rs1", 30)])),
        op(&("ADDI", &[("rd", 28), ("rs1", 28), ("imm", 1)])),
        op(&("MRET", &[])),
    ];
    // From longer to shorter arrays, and of a few elements only.
    for (elements, paged) in [(23, false), (3, false), (23, true), (7, true)] {
        let mut x: Vec<u64> = (0..32).map(|register| register * 0x1_2345_6789).collect();
        (x[10], x[14], x[22]) = (elements, elements, 0x3e00);
        (x[RANDOM as usize], x[NEAR as usize]) = (DATA + 0x100, BASE + SIZE as u64 - 0x80);
        (x[SUM as usize], x[21], x[28]) = (DATA, 0xfc, 0);
        let (words, handler) = (words.clone(), handler.clone());
        let floats = vec![0xffff_ffff_3f80_0000; 32];
        let setup = Setup { x, floats, handler, paged, ..Setup::new(program, words) };
        setup.assert_equal_tiers(53, 30, 1);
        setup.assert_equal_tiers(3000, 1, 2);
    }
}

/// Addresses that are computed before, and accessed after.
#[test]
fn accesses_after_it() {
    for isa in ["rv64gcv", "rv32gcv"] {
        let program = program(isa);
        let before: [Op<'_>; 3] = [
            ("LW", &[("rd", 6), ("rs1", RANDOM)]),
            ("AND", &[("rd", 6), ("rs1", 6), ("rs2", 21)]),
            ("ADD", &[("rd", SUM), ("rs1", NEAR), ("rs2", 6)]),
        ];
        let after: [&[Op<'_>]; 4] = [
            &[("LW", &[("rd", 7), ("rs1", SUM)]), ("ADD", &[("rd", 18), ("rs1", 18), ("rs2", 7)])],
            &[("SW", &[("rs2", 18), ("rs1", SUM)]), ("LW", &[("rd", 7), ("rs1", SUM)])],
            &[
                ("LW", &[("rd", 7), ("rs1", SUM)]),
                ("SW", &[("rs2", 7), ("rs1", SUM), ("imm", 4)]),
                ("LBU", &[("rd", 18), ("rs1", SUM), ("imm", 9)]),
            ],
            &[("VLE32__V", &[("vd", 12), ("rs1", SUM), ("vm", 1)]), ("LW", &[("rd", 7), ("rs1", SUM)])],
        ];
        after.iter().for_each(|after| check(&program, &before, after));
    }
}

/// Values of which more becomes known.
#[test]
fn values_of_few_bits() {
    let program = program("rv64gcv");
    let before: [&[Op<'_>]; 3] = [
        &[("LBU", &[("rd", 6), ("rs1", RANDOM)])],
        &[("LHU", &[("rd", 6), ("rs1", RANDOM)])],
        &[("LD", &[("rd", 6), ("rs1", RANDOM)]), ("SRLI", &[("rd", 6), ("rs1", 6), ("shamt", 56)])],
    ];
    let after: [&[Op<'_>]; 4] = [
        &[
            ("ANDI", &[("rd", 6), ("rs1", 6), ("imm", 255)]),
            ("ADDW", &[("rd", 7), ("rs1", 6), ("rs2", 7)]),
            ("XOR", &[("rd", 18), ("rs1", 6), ("rs2", 7)]),
            ("SLLIW", &[("rd", 19), ("rs1", 6), ("shamt", 3)]),
        ],
        &[
            ("ANDI", &[("rd", 7), ("rs1", 6), ("imm", 1023)]),
            ("XORI", &[("rd", 18), ("rs1", 7), ("imm", 77)]),
            ("ADDW", &[("rd", 19), ("rs1", 18), ("rs2", 6)]),
            ("MULW", &[("rd", 20), ("rs1", 6), ("rs2", 7)]),
        ],
        &[
            ("SLLI", &[("rd", 7), ("rs1", 6), ("shamt", 32)]),
            ("SRLI", &[("rd", 7), ("rs1", 7), ("shamt", 32)]),
            ("ADDW", &[("rd", 18), ("rs1", 7), ("rs2", 6)]),
        ],
        &[
            ("ANDI", &[("rd", 7), ("rs1", 6), ("imm", 2047)]),
            ("SUBW", &[("rd", 18), ("rs1", 18), ("rs2", 7)]),
            ("OR", &[("rd", 19), ("rs1", 7), ("rs2", 18)]),
            ("SRAIW", &[("rd", 20), ("rs1", 7), ("shamt", 2)]),
        ],
    ];
    for before in before {
        after.iter().for_each(|after| check(&program, before, after));
    }
}

/// Numbers after a setting of `mstatus` that says that none has changed.
#[test]
fn floating_point_registers_change() {
    for isa in ["rv64gcv", "rv32gcv"] {
        let program = program(isa);
        check(&program, &[], &[("FADD__S", &[("rd", 6), ("rs1", 7), ("rs2", 8), ("rm", 0)])]);
        check(&program, &[], &[("FLW", &[("rd", 6), ("rs1", RANDOM)])]);
        check(&program, &[], &[("FSGNJ__S", &[("rd", 6), ("rs1", 6), ("rs2", 8)])]);
    }
}

/// A register that holds an index of a table where the block begins.
#[test]
fn indices_of_tables() {
    let program = program("rv64gcv");
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let (_, vtype) = shape(128, 2, 0).expect("a type");
    let all = |sums: [Op<'_>; 2]| sums.map(|(name, fields)| op(name, fields));
    let mut words = vec![
        op("VSETVLI", &[("rd", 5), ("rs1", 10), ("zimm", vtype)]),
        op("LBU", &[("rd", 6), ("rs1", RANDOM)]),
        op("BLT", &[("rs1", 6), ("rs2", 21), ("imm", 8)]),
        op("LBU", &[("rd", 6), ("rs1", RANDOM), ("imm", 5)]),
    ];
    words.extend(all(sums(8)));
    words.extend([
        op("ANDI", &[("rd", 20), ("rs1", 6), ("imm", 255)]),
        op("ADDW", &[("rd", 18), ("rs1", 20), ("rs2", 18)]),
        op("XORI", &[("rd", 24), ("rs1", 20), ("imm", 5)]),
        op("SUBW", &[("rd", 25), ("rs1", 25), ("rs2", 24)]),
        op("SLLI", &[("rd", 7), ("rs1", 6), ("shamt", 2)]),
        op("ADD", &[("rd", 7), ("rs1", 7), ("rs2", 23)]),
        op("LW", &[("rd", 19), ("rs1", 7)]),
        op("ADD", &[("rd", 26), ("rs1", 19), ("rs2", 26)]),
    ]);
    words.extend(all(sums(10)));
    words.push(op("ADDI", &[("rd", RANDOM), ("rs1", RANDOM), ("imm", 3)]));
    words.push(op("SUB", &[("rd", 10), ("rs1", 10), ("rs2", 5)]));
    words.push(op("BLT", &[("rs1", 0), ("rs2", 10), ("imm", -4 * words.len() as i64)]));
    words.push(op("ADDI", &[("rd", 14), ("rs1", 14), ("imm", -1)]));
    words.push(op("ADDI", &[("rd", 10), ("rs1", 14), ("imm", 0)]));
    words.push(op("BLT", &[("rs1", 0), ("rs2", 14), ("imm", -4 * words.len() as i64)]));
    words.push(op("JAL", &[]));
    for (elements, paged) in [(23, false), (3, false), (23, true), (41, true)] {
        let mut x: Vec<u64> = (0..32).map(|register| register * 0x1_2345_6789).collect();
        (x[10], x[14], x[21], x[23]) = (elements, elements, 0x80, DATA + 0x800);
        x[RANDOM as usize] = DATA + 0x100;
        let setup = Setup { x, paged, ..Setup::new(&program, words.clone()) };
        setup.assert_equal_tiers(53, 30, 1);
        setup.assert_equal_tiers(3000, 1, 2);
    }
}
