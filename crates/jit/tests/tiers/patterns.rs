//! What compiled code makes of several instructions together: rotations and extensions of shifts, tables with small
//! indices, calls of two instructions. What they leave behind on the way is read as well.

use engine::{Machine, Program, Stop};
use jit::Jit;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::assert_equal;
use crate::guest::{BASE, Code, DATA, SIZE, program};

/// Registers of the programs, and that of the loop's counter.
const FIRST: i64 = 10;
const REGISTERS: i64 = 5;
const COUNTER: i64 = 20;
/// Registers with an address, and with the address of a table.
const ADDRESS: i64 = 21;
const TABLE: i64 = 22;

/// Compares the tiers from the first instruction to the last, paused after every `steps`.
fn compare<'p>(machine: impl Fn() -> Machine<'p>, steps: u64, most: u64) -> Stop {
    let (mut interpreted, mut compiled) = (machine(), machine());
    compiled.set_compiler(Box::new(Jit::new().after(1)));
    let mut stop = Stop::InstructionLimit;
    for limit in (steps..most).step_by(steps as usize) {
        stop = assert_equal(&mut interpreted, &mut compiled, limit);
        if stop != Stop::InstructionLimit {
            break;
        }
    }
    stop
}

fn config(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(0x5417), failure_persistence: None, ..Config::default() }
}

/// One instruction: which, three registers, an amount.
type Draw = (usize, i64, i64, i64, i64);

fn draw(kinds: usize) -> impl Strategy<Value = Draw> {
    let register = || FIRST..FIRST + REGISTERS;
    let amount = prop_oneof![3 => proptest::sample::select(&[0, 1, 7, 8, 16, 24, 31][..]), 1 => 0..32i64];
    (0..kinds, register(), register(), register(), amount)
}

/// Adds what is drawn: pairs of shifts that are parts of one rotation, or nearly, and what lies between.
fn add<'p>(code: Code<'p>, (kind, a, b, c, amount): Draw) -> Code<'p> {
    let shift = |code: Code<'p>, name: &str, rd: i64, rs1: i64, amount: i64| {
        code.op(name, &[("rd", rd), ("rs1", rs1), ("shamt", amount)])
    };
    let three = |code: Code<'p>, name: &str, rd: i64, rs1: i64, rs2: i64| {
        code.op(name, &[("rd", rd), ("rs1", rs1), ("rs2", rs2)])
    };
    let spare = FIRST + REGISTERS + 1;
    let (word, whole) = ((32 - amount) & 31, (64 - amount) & 63);
    let join = ["OR", "XOR", "ADD", "ADDW"][(a + b) as usize % 4];
    match kind {
        // As compilers rotate words: both halves of 32 bits; the left one of 64; and doublewords.
        0 => {
            let code = shift(shift(code, "SLLIW", spare, b, amount), "SRLIW", c, b, word);
            three(code, join, a, spare, c)
        }
        1 => {
            let code = shift(shift(code, "SRLIW", spare, b, word), "SLLI", c, b, amount);
            three(code, join, a, c, spare)
        }
        2 => {
            let code = shift(shift(code, "SLLI", spare, b, amount), "SRLI", c, b, whole);
            three(code, join, a, c, spare)
        }
        // Extensions, there and back.
        3 => shift(shift(code, "SLLI", a, b, 32), "SRLI", a, a, 32),
        4 => shift(shift(code, "SLLI", c, b, 48), "SRAI", a, c, 48),
        5 => shift(shift(code, "SLLI", c, b, 56), "SRLI", a, c, 56),
        6 => shift(shift(code, "SLLI", c, b, 32), "SRAI", a, c, 32 + amount),
        7 => shift(shift(code, "SLLI", c, b, whole), "SRLI", a, c, whole),
        // One shift, which may be half of what another begins.
        8 => shift(code, ["SLLI", "SRLI", "SRAI"][c as usize % 3], a, b, amount + 32 * (c & 1)),
        9 => shift(code, ["SLLIW", "SRLIW", "SRAIW"][c as usize % 3], a, b, amount),
        10 => three(code, ["OR", "XOR", "AND", "ADD", "SUB"][amount as usize % 5], a, b, c),
        11 => three(code, ["ADDW", "SUBW", "SLLW", "SRLW"][amount as usize % 4], a, b, c),
        12 => code.op("ANDI", &[("rd", a), ("rs1", b), ("imm", [0xff, 0x7ff, -1, -256, 1][c as usize % 5])]),
        13 => {
            let name = ["LB", "LBU", "LH", "LHU", "LW", "LWU", "LD"][amount as usize % 7];
            code.op(name, &[("rd", a), ("rs1", ADDRESS), ("imm", 8 * c)])
        }
        14 => {
            code.op(["SB", "SH", "SW", "SD"][c as usize % 4], &[("rs2", a), ("rs1", ADDRESS), ("imm", 8 * b)])
        }
        // A byte of a table: the index is small, or not.
        15 => {
            let code = code.op(["LBU", "LB"][c as usize % 2], &[("rd", a), ("rs1", ADDRESS), ("imm", b)]);
            let code = three(code, "XOR", a, a, if amount % 3 == 0 { b } else { a });
            three(code, "ADD", spare, TABLE, a).op("LBU", &[("rd", b), ("rs1", spare), ("imm", 0)])
        }
        _ => code.addi(a, b, amount - 16),
    }
}

fn started<'p>(mut machine: Machine<'p>, x: &[u64], address: u64, table: u64) -> Machine<'p> {
    for (register, value) in (FIRST as u16..).zip(x) {
        machine.hart.set_x(register, *value);
    }
    machine.hart.set_x(COUNTER as u16, 6);
    machine.hart.set_x(ADDRESS as u16, address);
    machine.hart.set_x(TABLE as u16, table);
    let data = machine.memory.slice_mut(hart::Address(DATA), 0x800).expect("the data fits");
    for (index, byte) in data.iter_mut().enumerate() {
        *byte = (index * 73 + index / 3) as u8;
    }
    machine
}

#[test]
fn shifts_and_what_is_between_them() {
    let program = program("rv64imac");
    let end = BASE + SIZE as u64;
    let places = proptest::sample::select(vec![DATA, DATA + 3, DATA + 0x700, end - 0x80, end - 0x28]);
    let tables = proptest::sample::select(vec![DATA, DATA + 0x123, end - 0x100, end - 0x80]);
    let case = (
        proptest::collection::vec(draw(17), 2..16),
        proptest::collection::vec(any::<u64>(), REGISTERS as usize),
        places,
        tables,
        (1..40u64, any::<bool>()),
    );
    let outcome = TestRunner::new(config(600)).run(&case, |(draws, x, address, table, (steps, moves))| {
        // A second block in the loop: what the first leaves is used there.
        let half = draws.len() / 2;
        let code = || {
            let mut code = Code::new(&program);
            for (index, &draw) in draws.iter().enumerate() {
                if index == half {
                    code = code.op("BLT", &[("rs1", FIRST), ("rs2", FIRST + 1), ("imm", 4)]);
                }
                code = add(code, draw);
            }
            let code = code.addi(ADDRESS, ADDRESS, if moves { 8 } else { 0 }).addi(COUNTER, COUNTER, -1);
            let back = BASE.wrapping_sub(code.here()) as i64;
            code.op("BNE", &[("rs1", COUNTER), ("rs2", 0), ("imm", back)]).op("JAL", &[("imm", 0)])
        };
        compare(|| started(code().machine(), &x, address, table), steps, 400 + 10 * steps);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// Bytes that one block loads are indices in the next; the table ends with memory, or past it.
#[test]
fn indices_of_another_block() {
    let program = program("rv64i");
    let end = BASE + SIZE as u64;
    for (table, faults) in [(DATA, false), (end - 256, false), (end - 200, true), (end, true)] {
        let code = || {
            Code::new(&program)
                .op("LBU", &[("rd", 10), ("rs1", ADDRESS), ("imm", 0)])
                .op("LBU", &[("rd", 11), ("rs1", ADDRESS), ("imm", 1)])
                .op("XOR", &[("rd", 12), ("rs1", 10), ("rs2", 11)])
                .op("BEQ", &[("rs1", 10), ("rs2", 11), ("imm", 4)])
                .op("ADD", &[("rd", 13), ("rs1", TABLE), ("rs2", 12)])
                .op("LBU", &[("rd", 14), ("rs1", 13), ("imm", 0)])
                .op("ADD", &[("rd", 13), ("rs1", 10), ("rs2", TABLE)])
                .op("LBU", &[("rd", 15), ("rs1", 13), ("imm", 0)])
                .op("SB", &[("rs2", 14), ("rs1", ADDRESS), ("imm", 0)])
                .addi(ADDRESS, ADDRESS, 1)
                .addi(COUNTER, COUNTER, -1)
                .op("BNE", &[("rs1", COUNTER), ("rs2", 0), ("imm", -44)])
                .op("JAL", &[("imm", 0)])
        };
        for steps in [1, 5, 12, 13, 64, 400] {
            let machine = || {
                let mut machine = started(code().machine(), &[], DATA, table);
                machine.hart.set_x(COUNTER as u16, 200);
                machine
            };
            let stop = compare(machine, steps, 2000 + 2 * steps);
            assert_eq!(stop != Stop::InstructionLimit, faults, "a table at {table:#x}: {stop:?}");
        }
    }
}

/// A block that compiled code reaches with small indices is entered with others, too.
#[test]
fn indices_from_elsewhere_are_not_small() {
    let program = program("rv64i");
    let code = || {
        Code::new(&program)
            .op("JALR", &[("rd", 0), ("rs1", 23)])
            .op("LBU", &[("rd", 10), ("rs1", ADDRESS), ("imm", 0)])
            .op("BNE", &[("rs1", 0), ("rs2", 0), ("imm", 4)])
            .op("ADD", &[("rd", 13), ("rs1", TABLE), ("rs2", 10)])
            .op("LBU", &[("rd", 14), ("rs1", 13), ("imm", 0)])
            .op("ADD", &[("rd", 15), ("rs1", 15), ("rs2", 14)])
            .addi(COUNTER, COUNTER, -1)
            .op("XORI", &[("rd", 24), ("rs1", 24), ("imm", 1)])
            .op("BNE", &[("rs1", 24), ("rs2", 0), ("imm", -28)])
            .op("ADD", &[("rd", 10), ("rs1", 25), ("rs2", 0)])
            .op("BNE", &[("rs1", COUNTER), ("rs2", 0), ("imm", -40)])
            .op("JAL", &[("imm", 0)])
    };
    // Far past the table, within memory and not.
    for (index, faults) in [(0x1000, false), (1 << 40, true)] {
        for steps in [1, 7, 300] {
            let machine = || {
                let mut machine = started(code().machine(), &[], DATA, DATA);
                for (register, value) in [(23, BASE + 12), (24, 0), (25, index), (COUNTER as u16, 60)] {
                    machine.hart.set_x(register, value);
                }
                machine
            };
            let stop = compare(machine, steps, 1200 + 2 * steps);
            assert_eq!(stop != Stop::InstructionLimit, faults, "an index of {index:#x}: {stop:?}");
        }
    }
}

fn calling(program: &Program, link: i64, offset: i64) -> Code<'_> {
    Code::new(program)
        .addi(COUNTER, COUNTER, -1)
        .op("AUIPC", &[("rd", link), ("imm", 0)])
        .op("JALR", &[("rd", link), ("rs1", link), ("imm", offset)])
        .op("ADD", &[("rd", 11), ("rs1", 11), ("rs2", link)])
        .op("BNE", &[("rs1", COUNTER), ("rs2", 0), ("imm", -16)])
        .op("JAL", &[("imm", 0)])
        .op("XOR", &[("rd", 12), ("rs1", 12), ("rs2", link)])
        .op("JALR", &[("rd", 0), ("rs1", link)])
}

/// `auipc` and `jalr`: link and target are theirs, whether or not there are compressed instructions, and a target that
/// is none raises its exception.
#[test]
fn calls_of_two_instructions() {
    for isa in ["rv64i", "rv64ic", "rv32i", "rv32ic"] {
        let program = program(isa);
        for link in [1, 5, 9] {
            // The function; the same by an odd address; in the middle of an instruction.
            for offset in [20, 21, 22] {
                for steps in [1, 3, 8, 100] {
                    let machine = || started(calling(&program, link, offset).machine(), &[], DATA, DATA);
                    compare(machine, steps, 200 + 2 * steps);
                }
            }
        }
    }
}
