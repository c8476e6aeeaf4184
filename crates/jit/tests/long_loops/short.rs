//! Short loops, several of whose trips become one while others follow.

use engine::Program;

use crate::guest::program;
use crate::pair::Pair;
use crate::{AFTER, ISA, Instruction, QUIET, begin, counted, pair};

const FROM: i64 = 5;
const TO: i64 = 6;
const COUNTER: i64 = 8;
const BOUND: i64 = 9;
const SUM: i64 = 12;

/// A loop that adds bytes up and stores them, and what its counter grows by.
#[derive(Clone, Copy, Debug)]
struct Short {
    step: i64,
    /// The counter is the second operand of the branch.
    is_second: bool,
    /// Bytes from a load to the store of the same trip.
    apart: u64,
    /// What the counter is at the end.
    bound: u64,
}

impl Short {
    const LENGTH: u64 = 9;

    fn code(self) -> Vec<Instruction> {
        let add = |rd, rs1, imm| ("ADDI", vec![("rd", rd), ("rs1", rs1), ("imm", imm)]);
        let three = |name, rd, rs1, rs2| (name, vec![("rd", rd), ("rs1", rs1), ("rs2", rs2)]);
        let [first, second] = if self.is_second { [BOUND, COUNTER] } else { [COUNTER, BOUND] };
        vec![
            ("LBU", vec![("rd", 10), ("rs1", FROM), ("imm", 0)]),
            ("SLLI", vec![("rd", 11), ("rs1", COUNTER), ("shamt", 3)]),
            three("SRLW", 11, SUM, 11),
            three("XOR", 10, 10, 11),
            ("SB", vec![("rs2", 10), ("rs1", TO), ("imm", 1)]),
            three("ADD", SUM, SUM, 10),
            add(FROM, FROM, 1),
            add(COUNTER, COUNTER, self.step),
            ("BNE", vec![("rs1", first), ("rs2", second), ("imm", -32)]),
            ("JAL", vec![]),
        ]
    }

    fn registers(self, trips: u64) -> Vec<(i64, u64)> {
        let begin = self.bound.wrapping_sub(trips.wrapping_mul(self.step as u64));
        let to = QUIET + self.apart;
        vec![(FROM, QUIET), (TO, to), (COUNTER, begin), (BOUND, self.bound), (SUM, 0x1234_5678_9abc_def0)]
    }
}

/// Both tiers with a loop that is hot.
fn hot(program: &Program, of: Short) -> Pair<'_> {
    let mut pair = pair(program, &of.code(), AFTER);
    for _ in 0..3 {
        begin(&mut pair, 0, &of.registers(40));
        counted(&mut pair, 40 * Short::LENGTH + 2, || format!("{of:?}"));
    }
    pair
}

#[test]
fn any_limit_and_any_number_of_trips() {
    let program = program(ISA);
    let loops = [
        (1, false, 0, 40),
        (1, true, 64, 3),
        (8, false, 0, 1 << 32),
        (24, true, 0, 5),
        (3, false, 2, 1 << 63),
    ];
    for (step, is_second, apart, bound) in loops {
        let of = Short { step, is_second, apart, bound };
        let mut pair = hot(&program, of);
        let entered = pair.seen.entered.get();
        for trips in 1..=14 {
            let whole = trips * Short::LENGTH;
            // Past the end, too: trips that were one too many could be paid for.
            let all = whole + 6 * Short::LENGTH;
            for limit in (0..=whole + 1).chain([all]) {
                let context = || format!("{of:?}, {trips} trips, limit {limit}");
                begin(&mut pair, 0, &of.registers(trips));
                counted(&mut pair, limit, context);
                counted(&mut pair, all - limit, context);
            }
        }
        pair.assert_same_memory(String::new);
        assert!(pair.seen.entered.get() > entered + 14 * 14);
        assert_eq!(pair.seen.refused.get(), 0);
    }
}

/// The counter passes by what it is compared with, or is there at the beginning: trips end with the budget, or where memory does.
#[test]
fn a_counter_that_never_meets_its_bound() {
    let program = program(ISA);
    for (step, distance) in [(2, 7_u64), (8, 36), (1, 0), (3, u64::MAX - 4)] {
        let of = Short { step, is_second: false, apart: 0, bound: 1000 };
        let mut pair = hot(&program, of);
        for limit in [1, 35, 36, 37, 80, 81, 400, 60_000] {
            let mut registers = of.registers(1);
            registers.push((COUNTER, of.bound.wrapping_sub(distance)));
            let context = || format!("{of:?}, {distance} before the bound, limit {limit}");
            begin(&mut pair, 0, &registers);
            counted(&mut pair, limit, context);
            counted(&mut pair, 50, context);
        }
        pair.assert_same_memory(String::new);
    }
}

/// A register that both grow by, and one that a trip sets otherwise, count no trips.
#[test]
fn other_ends_are_compared_in_each_trip() {
    let program = program(ISA);
    for (register, imm) in [(BOUND, 1), (BOUND, -2), (COUNTER, -1)] {
        let of = Short { step: 1, is_second: false, apart: 0, bound: 500 };
        let mut code = of.code();
        code[2] = ("ADDI", vec![("rd", register), ("rs1", register), ("imm", imm)]);
        let mut pair = pair(&program, &code, AFTER);
        for distance in [40, 40, 40, 1, 2, 3, 9, 12, 30] {
            let mut registers = of.registers(1);
            registers.push((COUNTER, of.bound - distance));
            for limit in [500, 37, 81] {
                let context = || format!("{register} {imm}, {distance}, limit {limit}");
                begin(&mut pair, 0, &registers);
                counted(&mut pair, limit, context);
            }
        }
        pair.assert_same_memory(String::new);
    }
}
