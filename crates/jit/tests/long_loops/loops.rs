//! Long loops: words and doublewords that are computed with and moved, and every way back to a loop's beginning.

use proptest::prelude::*;
use proptest::sample::select;

use crate::{Instruction, QUIET};

/// Pointers: for loads, for stores, and for both, which stays.
pub const SOURCE: i64 = 5;
pub const TARGET: i64 = 7;
pub const FIXED: i64 = 2;
/// What branches compare, and what a loop around it begins with.
pub const COUNTER: i64 = 20;
const BOUND: i64 = 21;
const MADE: i64 = 22;
const STEP: i64 = 23;
const ROUNDS: i64 = 4;
const SAVED: i64 = 25;
/// Registers of data, and those that parts of rotations are in.
pub const DATA: [i64; 14] = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31];
const PARTS: [i64; 2] = [18, 19];

pub fn three(name: &'static str, rd: i64, rs1: i64, rs2: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("rs2", rs2)])
}

pub fn immediate(name: &'static str, rd: i64, rs1: i64, imm: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("imm", imm)])
}

pub fn add(rd: i64, rs1: i64, imm: i64) -> Instruction {
    immediate("ADDI", rd, rs1, imm)
}

pub fn shift(name: &'static str, rd: i64, rs1: i64, shamt: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("shamt", shamt)])
}

/// A load or store of a register.
pub fn access(name: &'static str, data: i64, base: i64, offset: i64) -> Instruction {
    let moved = if name.starts_with('S') { "rs2" } else { "rd" };
    (name, vec![(moved, data), ("rs1", base), ("imm", offset)])
}

/// A branch over so many instructions, backwards if it is negative.
pub fn branch(name: &'static str, rs1: i64, rs2: i64, over: i64) -> Instruction {
    (name, vec![("rs1", rs1), ("rs2", rs2), ("imm", 4 * over)])
}

pub fn jump(over: i64) -> Instruction {
    ("JAL", vec![("imm", 4 * over)])
}

/// A rotation of a word by shifts.
pub fn rotation(rd: i64, rs1: i64, by: i64) -> [Instruction; 3] {
    let [left, right] = PARTS;
    [shift("SLLIW", left, rs1, by), shift("SRLIW", right, rs1, 32 - by), three("OR", rd, left, right)]
}

/// Something that a trip does.
fn step() -> impl Strategy<Value = Vec<Instruction>> {
    const WORDS: [&str; 8] = ["ADDW", "ADDW", "SUBW", "MULW", "SLLW", "SRLW", "SRAW", "ROLW"];
    const WHOLE: [&str; 10] = ["ADD", "ADD", "SUB", "XOR", "XOR", "AND", "OR", "MUL", "SLTU", "SRL"];
    const LOADS: [&str; 7] = ["LB", "LBU", "LH", "LHU", "LW", "LWU", "LD"];
    const STORES: [&str; 4] = ["SB", "SH", "SW", "SD"];
    let data = || select(&DATA[..]);
    prop_oneof![
        6 => (select(&WORDS[..]), data(), data(), data()).prop_map(|(name, d, a, b)| vec![three(name, d, a, b)]),
        5 => (select(&WHOLE[..]), data(), data(), data()).prop_map(|(name, d, a, b)| vec![three(name, d, a, b)]),
        4 => (data(), data(), -2048..2048i64).prop_map(|(d, a, imm)| vec![immediate("ADDIW", d, a, imm)]),
        2 => (select(&["ADDI", "XORI", "ANDI", "ORI", "SLTIU"][..]), data(), data(), -2048..2048i64)
            .prop_map(|(name, d, a, imm)| vec![immediate(name, d, a, imm)]),
        4 => (data(), data(), 1..32i64).prop_map(|(d, a, by)| rotation(d, a, by).to_vec()),
        3 => (select(&["RORIW", "SLLIW", "SRLIW", "SRAIW"][..]), data(), data(), 0..32i64)
            .prop_map(|(name, d, a, by)| vec![shift(name, d, a, by)]),
        2 => (select(&["SLLI", "SRLI", "SRAI"][..]), data(), data(), 0..64i64)
            .prop_map(|(name, d, a, by)| vec![shift(name, d, a, by)]),
        1 => (data(), data())
            .prop_map(|(d, a)| vec![shift("SLLI", d, a, 32), shift("SRLI", d, d, 32)]),
        4 => (select(&LOADS[..]), data(), select(&[SOURCE, TARGET, FIXED][..]), -64..64i64)
            .prop_map(|(name, d, base, offset)| vec![access(name, d, base, offset)]),
        2 => (select(&LOADS[..]), data(), data()).prop_map(|(name, d, index)| vec![
            immediate("ANDI", PARTS[0], index, 0x38),
            three("ADD", PARTS[0], FIXED, PARTS[0]),
            access(name, d, PARTS[0], -8),
        ]),
        3 => (select(&STORES[..]), data(), select(&[TARGET, FIXED][..]), -64..64i64)
            .prop_map(|(name, d, base, offset)| vec![access(name, d, base, offset)]),
    ]
}

/// How a loop goes back, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Back {
    /// A branch by this name, after a counter has moved by so much.
    By(&'static str, i64),
    /// A counter moves twice in a trip.
    Twice,
    /// What is compared is a sum of two registers, and the next trip's counter.
    Sum,
    /// A pointer is compared.
    Pointer,
    /// Two counters come to meet each other.
    Both,
    /// As long as two are equal, which is the case once.
    Equal,
    /// Always.
    Always,
    /// The counter is a word: nothing is known of its sum.
    Word,
    /// What it is compared with is made anew in each trip.
    Constant,
    /// The counter comes to zero, from below or above.
    Negative,
    NotAbove,
    /// A copy of it is compared.
    Copied,
}

impl Back {
    pub const ALL: [Self; 17] = [
        Self::By("BNE", 1),
        Self::By("BNE", -7),
        Self::By("BLT", 3),
        Self::By("BGE", -3),
        Self::By("BLTU", 1),
        Self::By("BGEU", -2),
        Self::Twice,
        Self::Sum,
        Self::Pointer,
        Self::Both,
        Self::Equal,
        Self::Always,
        Self::Word,
        Self::Constant,
        Self::Negative,
        Self::NotAbove,
        Self::Copied,
    ];

    /// True if it is known when a trip begins whether another follows.
    pub fn is_foreseen(self) -> bool {
        self != Self::Word
    }

    /// What changes in the middle of a trip, what at its end, and the branch with its operands.
    fn code(self) -> (Vec<Instruction>, Vec<Instruction>, (&'static str, i64, i64)) {
        let (none, down) = (Vec::new, || vec![add(COUNTER, COUNTER, -1)]);
        let up = || vec![add(COUNTER, COUNTER, 1)];
        match self {
            Self::By(name, by) => (none(), vec![add(COUNTER, COUNTER, by)], (name, COUNTER, BOUND)),
            Self::Twice => {
                (vec![add(COUNTER, COUNTER, 9)], vec![add(COUNTER, COUNTER, -10)], ("BNE", COUNTER, BOUND))
            }
            Self::Sum => {
                let end = vec![three("ADD", MADE, COUNTER, STEP), add(COUNTER, MADE, 0)];
                (none(), end, ("BNE", MADE, BOUND))
            }
            Self::Pointer => (none(), none(), ("BNE", BOUND, SOURCE)),
            Self::Both => (vec![add(MADE, MADE, -1)], up(), ("BNE", COUNTER, MADE)),
            Self::Equal => (none(), up(), ("BEQ", COUNTER, BOUND)),
            Self::Always => (none(), up(), ("BGEU", COUNTER, COUNTER)),
            Self::Word => (none(), vec![immediate("ADDIW", COUNTER, COUNTER, -1)], ("BNE", COUNTER, 0)),
            Self::Constant => (vec![add(MADE, 0, 77)], down(), ("BNE", COUNTER, MADE)),
            Self::Negative => (none(), up(), ("BLT", COUNTER, 0)),
            Self::NotAbove => (none(), up(), ("BGE", 0, COUNTER)),
            Self::Copied => {
                (none(), [down(), vec![immediate("ANDI", MADE, COUNTER, -1)]].concat(), ("BNE", MADE, 0))
            }
        }
    }

    /// What registers begin with for so many trips, of which a counter comes past a number in the middle.
    fn registers(self, source: u64, stride: i64, trips: u64, around: u64) -> [(i64, u64); 4] {
        let of = |counter: u64, bound: u64| [(COUNTER, counter), (BOUND, bound), (MADE, 0x55), (STEP, 5)];
        let from = |by: i64| around.wrapping_add_signed(-by * (trips as i64 / 2));
        let after = |first: u64, by: i64| first.wrapping_add_signed(by * trips as i64);
        match self {
            Self::By(name, by) => {
                let end = after(from(by), by);
                of(from(by), if name.starts_with("BGE") { end.wrapping_add(1) } else { end })
            }
            Self::Twice => of(from(-1), after(from(-1), -1)),
            Self::Sum => of(from(5), after(from(5), 5)),
            Self::Pointer => of(0, after(source, stride)),
            Self::Both => {
                let mut all = of(from(1), 0);
                all[2].1 = after(from(1), 2);
                all
            }
            Self::Equal => of(around, around.wrapping_add(1)),
            Self::Always => of(around, 0),
            Self::Word | Self::Copied => of(trips, 0),
            Self::Constant => of(77 + trips, 0),
            Self::Negative => of(trips.wrapping_neg(), 0),
            Self::NotAbove => of(1_u64.wrapping_sub(trips), 0),
        }
    }
}

/// A long loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub body: Vec<Instruction>,
    pub back: Back,
    /// What the first two pointers move by.
    pub strides: [i64; 2],
    /// What the counter comes past.
    pub around: u64,
    /// Whether there is a loop around it.
    pub rounds: bool,
}

/// Loops of so many instructions.
pub fn of(length: usize, back: Back) -> impl Strategy<Value = Loop> {
    const STRIDES: [i64; 8] = [8, 64, 4, 1, -8, -64, -3, 24];
    const AROUND: [u64; 6] = [0, 1 << 31, 1 << 32, 1 << 63, u64::MAX, 7];
    let body = proptest::collection::vec(step(), length).prop_map(|all| all.concat());
    (body, [select(&STRIDES[..]), select(&STRIDES[..])], select(&AROUND[..]), any::<bool>()).prop_map(
        move |(body, strides, around, rounds)| Loop { body, back, strides, around, rounds }.cut(length),
    )
}

impl Loop {
    /// The same with so many instructions in a trip.
    pub fn cut(mut self, length: usize) -> Self {
        self.body.truncate(self.body.len() - (self.trip().len() - length));
        assert_eq!(self.trip().len(), length);
        self
    }

    /// Instructions of a trip.
    pub fn trip(&self) -> Vec<Instruction> {
        let (middle, end, (name, a, b)) = self.back.code();
        let (first, second) = self.body.split_at(self.body.len() / 3);
        let mut all = [first, &middle, second].concat();
        let moves = [SOURCE, TARGET].into_iter().zip(self.strides).filter(|&(_, by)| by != 0);
        all.extend(moves.map(|(register, by)| add(register, register, by)));
        all.extend(end);
        all.push(branch(name, a, b, -(all.len() as i64)));
        all
    }

    /// Instructions before the first trip.
    pub fn before(&self) -> u64 {
        if self.rounds { 3 } else { 0 }
    }

    /// The program: the loop, and in a loop around it what its registers are put back by. In the end it goes nowhere.
    pub fn code(&self) -> Vec<Instruction> {
        let mut all = Vec::new();
        if self.rounds {
            all.extend(
                (SAVED..).zip([COUNTER, SOURCE, TARGET]).map(|(saved, register)| add(register, saved, 0)),
            );
        }
        all.extend(self.trip());
        if self.rounds {
            all.push(add(ROUNDS, ROUNDS, -1));
            all.push(branch("BNE", ROUNDS, 0, -(all.len() as i64)));
        }
        all.push(jump(0));
        all
    }

    /// Instructions that a run of so many trips takes, about.
    pub fn whole(&self, trips: u64, rounds: u64) -> u64 {
        let rounds = if self.rounds { rounds } else { 1 };
        rounds * (self.before() + trips * self.trip().len() as u64 + 2) + 1
    }

    /// Registers of a run, of which pointers begin here and near.
    pub fn registers(&self, start: u64, trips: u64, rounds: u64) -> Vec<(i64, u64)> {
        let counters = self.back.registers(start, self.strides[0], trips, self.around);
        let target = QUIET + 0x40;
        let mut all = vec![(SOURCE, start), (TARGET, target), (FIXED, QUIET + 0x20), (ROUNDS, rounds)];
        all.extend(counters);
        all.extend((SAVED..).zip([counters[0].1, start, target]));
        all.extend(
            DATA.iter().map(|&register| (register, 0x9e37_79b9_7f4a_7c15_u64.rotate_left(register as u32))),
        );
        all
    }
}

/// A loop as of an unrolled cipher: state in words that is loaded, mixed and stored through pointers that move.
pub fn cipher(length: usize) -> Loop {
    let [a, b, c, d, e, f] = [8, 9, 10, 11, 12, 13];
    let mut body = vec![access("LW", a, SOURCE, 0), access("LW", b, SOURCE, 4), access("LWU", c, SOURCE, -8)];
    while body.len() < length {
        body.extend([three("ADDW", a, a, b), three("XOR", d, d, a)]);
        body.extend(rotation(d, d, 16));
        body.extend([three("ADD", c, c, d), three("XOR", b, b, c), shift("RORIW", b, b, 20)]);
        body.extend([three("ADD", e, a, c), three("ADD", e, e, b), three("ADDW", f, e, f)]);
        body.extend([access("SW", e, FIXED, 8), access("LWU", 14, FIXED, 8), three("XOR", f, f, 14)]);
    }
    body.truncate(length - 20);
    body.extend([access("SW", a, TARGET, 0), access("SH", e, TARGET, 4), access("SB", c, TARGET, 6)]);
    let filled = std::iter::repeat_n(three("ADDW", 15, 15, a), length);
    body.extend(filled);
    Loop { body, back: Back::By("BNE", -1), strides: [16, 8], around: 0, rounds: false }.cut(length)
}
