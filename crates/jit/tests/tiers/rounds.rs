//! Loops like ciphers' rounds, drawn at random: each of a few columns has the same done to it.

use engine::{Machine, Program};
use isa::Xlen;
use proptest::prelude::*;
use proptest::sample::select;

use crate::guest::{BASE, Code};

/// First register of the first column; each has as many.
pub const STATE: i64 = 8;
const OF_COLUMN: i64 = 4;
/// What columns compute on the way: each has its own, or all use the first.
const SCRATCHES: [i64; 4] = [5, 6, 7, 31];
pub const COUNTER: i64 = 24;
const BOUND: i64 = 25;
/// What all columns read and write, two that they only write, and one that they only read.
const SHARED: i64 = 26;
const LAST: [i64; 2] = [27, 28];
const NUMBER: i64 = 29;
const OUTER: i64 = 30;

/// Which step, registers of the column, and an amount.
type Draw = (usize, i64, i64, i64, i64);
type Instruction = (&'static str, Vec<(&'static str, i64)>);

/// A loop, and how it is run.
#[derive(Clone, Debug)]
pub struct Case {
    steps: Vec<Draw>,
    columns: i64,
    /// Column by column, step by step, or instruction by instruction.
    order: usize,
    /// Whether the second half takes its registers from all columns.
    diagonal: bool,
    own_scratches: bool,
    entry: usize,
    exit: usize,
    trips: i64,
    x: Vec<u64>,
    pub threshold: u32,
    pub pause: usize,
}

fn value() -> impl Strategy<Value = u64> {
    let corners =
        [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32, 1 << 63, u64::MAX, !0 << 31, !0 >> 1];
    prop_oneof![1 => select(corners.to_vec()), 2 => any::<u64>()]
}

fn draw() -> impl Strategy<Value = Draw> {
    let amount = prop_oneof![1 => select(&[0, 8, 16, 24, 32][..]), 2 => 0..64i64];
    // Few of what keeps columns apart.
    let kind = prop_oneof![14 => 0..10usize, 1 => 10..16usize];
    (kind, 0..OF_COLUMN, 0..OF_COLUMN, 0..OF_COLUMN, amount)
}

pub fn case() -> impl Strategy<Value = Case> {
    let steps = proptest::collection::vec(draw(), 6..16);
    let order = (select(&[2i64, 4, 4][..]), 0..3usize, any::<bool>(), any::<bool>());
    let trips = (0..3usize, 0..7usize, select(&[1i64, 2, 3, 40][..]));
    let x = proptest::collection::vec(value(), 27);
    let run = (x, select(&[0u32, 1, 1, 3, 20][..]), 0..8usize);
    (steps, order, trips, run).prop_map(|(steps, order, (entry, exit, trips), (x, threshold, pause))| {
        let (columns, order, diagonal, own) = order;
        let own_scratches = own || order == 2;
        Case { steps, columns, order, diagonal, own_scratches, entry, exit, trips, x, threshold, pause }
    })
}

/// What an instruction set has.
struct Has {
    rv64: bool,
    zbb: bool,
    compressed: bool,
}

fn three(name: &'static str, rd: i64, rs1: i64, rs2: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("rs2", rs2)])
}

fn shift(name: &'static str, rd: i64, rs1: i64, amount: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("shamt", amount)])
}

fn immediate(name: &'static str, rd: i64, rs1: i64, imm: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("imm", imm)])
}

impl Has {
    fn of(program: &Program) -> Self {
        let has = |name| program.module().instructions.iter().any(|instruction| instruction.name == name);
        let rv64 = program.isa().xlen() == Xlen::Rv64;
        Self { rv64, zbb: has("RORI"), compressed: has("C__XOR") }
    }

    /// A rotation to the left of three instructions, or of one.
    fn rotation(&self, scratch: i64, rd: i64, rs1: i64, amount: i64, variant: i64) -> Vec<Instruction> {
        let words = self.rv64 && variant % 3 > 0;
        let bits = if self.rv64 && !words { 64 } else { 32 };
        let (left, right) = (amount % bits, (bits - amount % bits) % bits);
        if self.zbb && amount % 2 == 0 {
            return vec![shift(if words { "RORIW" } else { "RORI" }, rd, rs1, right)];
        }
        let join = ["OR", "XOR", "ADD"][variant as usize % 3];
        let up = if words && variant == 1 { "SLLIW" } else { "SLLI" };
        let down = if words { "SRLIW" } else { "SRLI" };
        vec![
            shift(down, scratch, rs1, right),
            shift(up, rd, rs1, left),
            three(if words && variant == 2 { "ADDW" } else { join }, rd, rd, scratch),
        ]
    }

    /// What a step does to a column, whose registers are `of`; `other` is one of the next column. Operands may be
    /// exchanged.
    fn step(
        &self,
        draw: Draw,
        exchange: bool,
        of: impl Fn(i64) -> i64,
        other: i64,
        scratch: i64,
    ) -> Vec<Instruction> {
        let (kind, a, b, c, amount) = draw;
        let (variant, bits) = (a + b + c, amount % if self.rv64 { 64 } else { 32 });
        let (a, b, c) = (of(a), of(b), of(c));
        let which = |names: &[&'static str]| names[amount as usize % names.len()];
        let word = |yes: &'static str, no: &'static str| if self.rv64 { yes } else { no };
        let sources = |b: i64, c: i64| if exchange { (c, b) } else { (b, c) };
        match kind {
            0 | 1 => {
                let (b, c) = sources(a, c);
                vec![three(which(&["ADD", "XOR", "SUB", "OR", "AND"]), a, b, c)]
            }
            2 => vec![three(which(&["ADD", "XOR", "SUB", "OR", "AND"]), a, b, c)],
            3 => {
                let (b, c) = sources(b, c);
                vec![three(which(&[word("ADDW", "ADD"), word("SUBW", "SUB")]), a, b, c)]
            }
            4 => vec![shift(["SLLI", "SRLI", "SRAI"][variant as usize % 3], a, b, bits)],
            5 => {
                let names = [word("SLLIW", "SLLI"), word("SRLIW", "SRLI"), word("SRAIW", "SRAI")];
                vec![shift(names[variant as usize % 3], a, b, amount % 32)]
            }
            6 | 7 => self.rotation(scratch, a, b, amount, variant),
            8 => {
                let name = which(&["XORI", "ANDI", "ORI", "ADDI", word("ADDIW", "ADDI")]);
                vec![immediate(name, a, b, [1, -1, 0xff, -256, 0x7ff, -2048, 0][variant as usize % 7])]
            }
            9 => match variant % 3 {
                0 => vec![immediate(word("ADDIW", "ADDI"), a, b, 0)],
                1 if self.zbb => vec![("ZEXT__H", vec![("rd", a), ("rs1", b)])],
                1 => vec![shift("SLLI", a, b, bits), shift("SRLI", a, a, bits)],
                _ => {
                    let number = (0x9_e377 ^ amount << 11) << 12;
                    let number = if self.rv64 { number << 32 >> 32 } else { number };
                    vec![("LUI", vec![("rd", scratch), ("imm", number)]), three("XOR", a, b, scratch)]
                }
            },
            // What cannot be done for two columns at once, or must not.
            10 => vec![three(which(&["SLTU", "SLT", "SLL", "SRL", "SRA"]), a, b, c)],
            11 => vec![three(which(&["ADD", "XOR", "SUB"]), a, b, other)],
            12 => vec![three(which(&["ADD", "XOR", "SUB"]), SHARED, SHARED, a), three("ADD", b, b, SHARED)],
            13 => {
                let zero = [three("ADD", 0, a, b), three("SUB", a, 0, b), three("XOR", a, b, 0)];
                vec![zero[variant as usize % 3].clone()]
            }
            14 => {
                vec![immediate("ADDI", LAST[0], LAST[1], 0), immediate("ADDI", LAST[1], a, 0)]
            }
            _ => vec![three(which(&["ADD", "SUB", "XOR", "AND"]), a, a, [a, NUMBER][variant as usize % 2])],
        }
    }

    /// The same in two bytes, where that is possible.
    fn add<'p>(&self, code: Code<'p>, (name, fields): &Instruction) -> Code<'p> {
        let short = match *name {
            "XOR" => "C__XOR",
            "OR" => "C__OR",
            "AND" => "C__AND",
            "SUB" => "C__SUB",
            "ADDW" => "C__ADDW",
            "SUBW" => "C__SUBW",
            _ => "",
        };
        match fields[..] {
            [(_, rd @ 8..16), (_, rs1), ("rs2", rs2 @ 8..16)]
                if self.compressed && rd == rs1 && !short.is_empty() =>
            {
                code.op(short, &[("rd", rd - 8), ("rs2", rs2 - 8)])
            }
            _ => code.op(name, fields),
        }
    }
}

impl Case {
    /// What a trip does but count.
    fn body(&self, has: &Has) -> Vec<Instruction> {
        let half = if self.diagonal { self.steps.len() / 2 } else { self.steps.len() };
        let step = |index: usize, column: i64| {
            let register = |column: i64, register: i64| {
                let across = if index < half { 0 } else { register };
                STATE + OF_COLUMN * ((column + across) % self.columns) + register
            };
            let scratch = SCRATCHES[if self.own_scratches { column as usize } else { 0 }];
            let draw = self.steps[index];
            let exchange = column % 2 == 1 && draw.4 % 4 == 3;
            has.step(draw, exchange, |of| register(column, of), register(column + 1, draw.3), scratch)
        };
        let steps = 0..self.steps.len();
        let columns = 0..self.columns;
        match self.order {
            0 => {
                columns.flat_map(|column| steps.clone().flat_map(move |index| step(index, column))).collect()
            }
            1 => {
                steps.flat_map(|index| columns.clone().flat_map(move |column| step(index, column))).collect()
            }
            _ => {
                let all = |column| steps.clone().flat_map(|index| step(index, column)).collect();
                let all: Vec<Vec<Instruction>> = columns.map(all).collect();
                (0..all[0].len()).flat_map(|at| all.iter().map(move |column| column[at].clone())).collect()
            }
        }
    }

    /// The program, where its loop begins, and where that ends.
    fn code<'p>(&self, program: &'p Program) -> (Code<'p>, u64, u64) {
        let has = Has::of(program);
        let body = self.body(&has);
        let up = self.exit > 1;
        let code = Code::new(program).addi(OUTER, 0, 3);
        let outer = code.here();
        let code = code.addi(COUNTER, 0, if up { 0 } else { self.trips });
        let code = code.addi(BOUND, 0, if up { self.trips } else { 0 });
        // The loop goes on from what comes before it, more or less of it; or is jumped to.
        let before = [2, 9, 1][self.entry].min(body.len());
        let code = body[..before].iter().fold(code, |code, instruction| has.add(code, instruction));
        let code = if self.entry == 2 { code.op("JAL", &[("imm", 8)]).addi(STATE, STATE, 1) } else { code };
        let top = code.here();
        let code = body.iter().fold(code, |code, instruction| has.add(code, instruction));
        let count = if has.rv64 && self.exit % 2 == 1 { "ADDIW" } else { "ADDI" };
        let step = if up { 1 } else { -1 };
        let code = code.op(count, &[("rd", COUNTER), ("rs1", COUNTER), ("imm", step)]);
        let back = top.wrapping_sub(code.here()) as i64;
        let branch = |code: Code<'p>, name: &str, rs1: i64, rs2: i64, imm: i64| {
            code.op(name, &[("rs1", rs1), ("rs2", rs2), ("imm", imm)])
        };
        let code = match self.exit {
            0 | 1 => branch(code, "BNE", COUNTER, BOUND, back),
            2 => branch(code, "BLTU", COUNTER, BOUND, back),
            3 => branch(code, "BLT", COUNTER, BOUND, back),
            // What a column holds decides, too.
            4 => branch(code, "BLTU", COUNTER, STATE + 1, back),
            5 => branch(code, "BNE", STATE, STATE + OF_COLUMN, back),
            _ => branch(code, "BGE", COUNTER, BOUND, 8).op("JAL", &[("imm", back - 4)]),
        };
        let end = code.here();
        let code = code.addi(NUMBER, NUMBER, 77).addi(OUTER, OUTER, -1);
        let back = outer.wrapping_sub(code.here()) as i64;
        (branch(code, "BNE", OUTER, 0, back).op("JAL", &[("imm", 0)]), top, end)
    }

    /// Instructions before the loop's second trip at least, and those of a trip.
    pub fn first_trip(&self, program: &Program) -> (u64, u64) {
        let body = self.body(&Has::of(program)).len() as u64;
        let before = [2, 9, 1][self.entry].min(body) + 3;
        (before + body, body + if self.exit == 6 { 3 } else { 2 })
    }

    /// A machine that has not begun.
    pub fn machine<'p>(&self, program: &'p Program) -> Machine<'p> {
        let (code, top, end) = self.code(program);
        assert!(top > BASE && end - top < 0x1000, "out of a branch's reach");
        let mut machine = code.machine();
        for (register, &value) in (5..32).zip(&self.x) {
            machine.hart.set_x(register, value & program.isa().xlen().mask());
        }
        machine
    }
}
