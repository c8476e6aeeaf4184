//! Loops of one block that compute the same of two columns, which compiled code computes together.

use engine::Program;
use isa::Xlen;

use crate::guest::program;
use crate::limits::{AFTER, sweep};
use crate::loops::{COUNTER, ROUNDS};
use crate::{CODE, Instruction, add, begin, branch, counted, immediate, jump, pair, three};

/// First register of the first of two columns of four.
pub const STATE: i64 = 8;
const BOUND: i64 = 21;
const FLAG: i64 = 22;
const SAVED: i64 = 24;
/// Registers that no column has.
const OTHER: i64 = 26;

/// Rounds of twelve instructions, six of each column.
pub fn rounds(rv64: bool, times: usize) -> Vec<Instruction> {
    let shift = |name, rd, rs1, shamt| (name, vec![("rd", rd), ("rs1", rs1), ("shamt", shamt)]);
    let right = if rv64 { 51 } else { 19 };
    let column = |a: i64| {
        [
            three("ADD", a, a, a + 1),
            three("XOR", a + 2, a + 2, a),
            shift("SLLI", 5, a + 2, 13),
            shift("SRLI", a + 2, a + 2, right),
            three("OR", a + 2, a + 2, 5),
            three("SUB", a + 1, a + 1, a + 2),
        ]
    };
    (0..times).flat_map(|_| [STATE, STATE + 4].into_iter().flat_map(column)).collect()
}

/// A loop of pairs: its branch back, instructions that it has besides, and whether a block falls into it again and again.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    pub rv64: bool,
    pub branch: &'static str,
    pub more: usize,
    pub rounds: bool,
}

impl Loop {
    fn trip(self) -> Vec<Instruction> {
        let mut all = rounds(self.rv64, 4);
        all.extend((0..self.more as i64).map(|index| add(OTHER + index % 4, OTHER + index % 4, 1)));
        all.push(add(COUNTER, COUNTER, self.step()));
        let back = |all: &[Instruction]| -(all.len() as i64);
        if self.branch == "BEQ" {
            all.push(immediate("SLTIU", FLAG, COUNTER, 1));
            all.push(branch("BEQ", FLAG, 0, back(&all)));
        } else {
            all.push(branch(self.branch, COUNTER, BOUND, back(&all)));
        }
        all
    }

    fn step(self) -> i64 {
        if matches!(self.branch, "BLT" | "BLTU") { 1 } else { -1 }
    }

    pub fn code(self) -> Vec<Instruction> {
        let mut all = Vec::new();
        if self.rounds {
            all.extend([add(COUNTER, SAVED, 0), three("XOR", STATE, STATE, ROUNDS)]);
        }
        all.extend(self.trip());
        all.push(add(ROUNDS, ROUNDS, -1));
        if self.rounds {
            all.push(branch("BNE", ROUNDS, 0, -(all.len() as i64)));
        }
        all.push(jump(0));
        all
    }

    /// Instructions of a whole run.
    pub fn whole(self, trips: u64, rounds: u64) -> u64 {
        let trips = trips * self.trip().len() as u64;
        if self.rounds { rounds * (trips + 4) } else { trips + 1 }
    }

    pub fn registers(self, trips: u64, rounds: u64) -> Vec<(i64, u64)> {
        // Where comparisons of signed numbers and of others differ, and those of words.
        let around: u64 = match (self.branch, self.rv64) {
            ("BLT" | "BGE", false) => 0,
            ("BLT" | "BGE", true) => 1 << 31,
            (_, false) => 1 << 31,
            (_, true) => 1 << 63,
        };
        let (by, half) = (self.step(), self.step() * (trips as i64 / 2));
        let first = if self.branch == "BEQ" { trips } else { around.wrapping_sub(half as u64) };
        let bound = first.wrapping_add((by * trips as i64) as u64);
        // The last trip is the first that comes below it.
        let bound = if matches!(self.branch, "BGE" | "BGEU") { bound.wrapping_add(1) } else { bound };
        let state =
            (STATE..STATE + 8).map(|register| (register, 0x9e37_79b9_7f4a_7c15 << (register - STATE)));
        let counts = [(COUNTER, first), (SAVED, first), (BOUND, bound), (ROUNDS, rounds)];
        state.chain((OTHER..OTHER + 4).map(|register| (register, 3))).chain(counts).collect()
    }
}

fn check(program: &Program, of: Loop) {
    let mut pair = pair(program, &of.code(), AFTER);
    for trips in [1, 40, 40] {
        begin(&mut pair, 0, &of.registers(trips, 40));
        let context = || format!("{trips} trips, {of:?}");
        counted(&mut pair, of.whole(trips, 40), context);
        assert_eq!(pair.compiled.hart.pc().0, CODE + 4 * (of.code().len() as u64 - 1), "{}", context());
    }
    for (trips, rounds) in if of.rounds { [(1, 2), (2, 2)] } else { [(1, 1), (4, 1)] } {
        let context = || format!("{trips} trips, {of:?}");
        let first = of.trip().len() as u64 + if of.rounds { 2 } else { 0 };
        sweep(&mut pair, &of.registers(trips, rounds), (first, of.whole(trips, rounds)), context);
    }
}

/// A trip is counted before what is spent is known, or after: the first one and the last would be missed or be counted
/// twice, as would one whose length is divided by wrongly; and a branch turned round wrongly ends the loop elsewhere.
fn check_all(isa: &str) {
    let program = program(isa);
    let rv64 = program.isa().xlen() == Xlen::Rv64;
    // From 51 to 65 instructions.
    let mores = [1, 6, 14, 0, 5, 13];
    for (index, branch) in ["BEQ", "BNE", "BLT", "BGE", "BLTU", "BGEU"].into_iter().enumerate() {
        for rounds in [false, true] {
            check(
                &program,
                Loop { rv64, branch, more: mores[(index + 2 * usize::from(rounds)) % 6], rounds },
            );
        }
    }
}

#[test]
fn any_limit_in_loops_of_pairs() {
    check_all("rv64i_zicsr");
}

#[test]
fn any_limit_in_loops_of_pairs_of_rv32() {
    check_all("rv32i_zicsr");
}
