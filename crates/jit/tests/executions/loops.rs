//! Loops of one block, of any length, that end after as many trips as are asked for, whatever branch leads back.

use engine::Program;
use proptest::prelude::*;
use proptest::sample::select;

use crate::guest::program_of_ones_own;
use crate::{Instruction, QUIET, access, add, branch, immediate, jump, three};

/// Registers that move, registers of data, what branches compare, and the number of rounds.
pub const MOVING: [i64; 3] = [5, 6, 7];
pub const DATA: i64 = 10;
pub const COUNTER: i64 = 20;
const BOUND: i64 = 21;
const FLAG: i64 = 22;
pub const ROUNDS: i64 = 23;
/// What the counter and the moving registers begin a round with.
const SAVED: i64 = 24;

/// Branches back, those of one's own among them, which compare the low words of registers.
pub const BRANCHES: [&str; 8] = ["BEQ", "BNE", "BLT", "BGE", "BLTU", "BGEU", "BLTW", "BGEW"];

/// RV64 with branches of one's own.
pub fn with_word_branches() -> Program {
    let instruction = |name: &str, number: u32, op: &str| {
        format!(
            "{name} {{
                encoding: imm[12:12] :: imm[10:5] :: rs2[4:0] :: rs1[4:0] :: 3'd{number} :: imm[4:1] :: imm[11:11]
                    :: 7'b0001011;
                assembly: \"{{name(rs1)}}, {{name(rs2)}}, {{PC + (signed)imm:#x}}\";
                behavior: if ((signed<32>)X[rs1][31:0] {op} (signed<32>)X[rs2][31:0]) {{
                    PC = (unsigned<XLEN>)(PC + (signed)imm);
                }}
            }}"
        )
    };
    let description = format!(
        "import \"RISCVBase.core_desc\"
        InstructionSet XOwn extends RISCVBase {{ instructions {{ {} {} }} }}",
        instruction("BLTW", 0, "<"),
        instruction("BGEW", 1, ">=")
    );
    program_of_ones_own("rv64i_zicsr_xown", &description)
}

/// A part of a trip: what, which register that moves, which one of data, and a number.
type Draw = (usize, usize, i64, i64);

/// A loop of one block through arrays.
#[derive(Clone, Debug)]
pub struct Loop {
    pub length: usize,
    pub branch: &'static str,
    pub draws: Vec<Draw>,
    /// What the moving registers move by.
    pub strides: [i64; 3],
    /// Where in a trip its first access is.
    pub first: usize,
    pub store: bool,
    /// Whether the first moving register is what the branch compares.
    pub joined: bool,
    /// What the counter comes past, and its upper half if only words are compared.
    pub around: usize,
    /// Whether there is a loop around it.
    pub rounds: bool,
}

/// Distances of trips.
const STRIDES: [i64; 16] = [0, 1, 2, 3, 4, 8, 8, 16, 24, 56, -1, -4, -8, -8, -16, -24];

/// Loops of so many instructions with a branch.
pub fn of(length: usize, branch: &'static str) -> impl Strategy<Value = Loop> {
    let draw = (0..12usize, 0..3usize, 0..4i64, -16..=16i64);
    let strides = [select(&STRIDES[..]), select(&STRIDES[..]), select(&STRIDES[..])];
    (
        proptest::collection::vec(draw, length),
        strides,
        (0..length, any::<bool>(), any::<bool>(), 0..6usize, any::<bool>()),
    )
        .prop_map(move |(draws, strides, (first, store, joined, around, rounds))| {
            Loop { length, branch, draws, strides, first, store, joined, around, rounds }.suited()
        })
}

impl Loop {
    /// A counter that is an address has to move as the branch wants it to.
    fn suited(mut self) -> Self {
        self.joined &= !matches!(self.branch, "BEQ" | "BLTW" | "BGEW");
        let by = self.strides[0].abs().max(1);
        if self.joined {
            self.strides[0] = match self.branch {
                "BLT" | "BLTU" => by,
                "BGE" | "BGEU" => -by,
                _ if self.strides[0] == 0 => 8,
                _ => self.strides[0],
            };
        }
        self
    }

    /// What the counter changes by.
    fn step(&self) -> i64 {
        match self.branch {
            _ if self.joined => self.strides[0],
            "BLT" | "BLTU" | "BLTW" => 1,
            _ => -1,
        }
    }

    /// The loop's instructions.
    fn trip(&self) -> Vec<Instruction> {
        let counter = if self.joined { MOVING[0] } else { COUNTER };
        let mut end = vec![add(counter, counter, self.step())];
        end.extend((self.branch == "BEQ").then(|| immediate("SLTIU", FLAG, COUNTER, 1)));
        let room = self.length - 1 - end.len();
        let name = |index: i64, store: bool| {
            let names = if store { ["SB", "SH", "SW", "SD"] } else { ["LB", "LHU", "LW", "LD"] };
            names[index as usize]
        };
        let part = |&(what, register, data, number): &Draw| match what {
            0..4 => access(name(data, what == 3), DATA + data, MOVING[register], number),
            4..6 => three("ADD", DATA + data, DATA + data, DATA + (number & 3)),
            _ => three("XOR", DATA + data, DATA + data, DATA + (number & 3)),
        };
        let mut all: Vec<Instruction> = self.draws.iter().take(room).map(part).collect();
        // Those that move, as many as there is room for, and at least one access.
        let moves = MOVING.iter().zip(self.strides).skip(usize::from(self.joined));
        for (at, (&register, by)) in moves.filter(|(_, by)| *by != 0).take(room - 1).enumerate() {
            all[room - 1 - at] = add(register, register, by);
        }
        let free = room.saturating_sub(3).max(1);
        let (_, _, data, number) = self.draws[0];
        all[self.first % free] = access(name(data, self.store), DATA + data, MOVING[0], number);
        let (a, b) = if self.branch == "BEQ" { (FLAG, 0) } else { (counter, BOUND) };
        let back = branch(self.branch, a, b, 1 - self.length as i64);
        let all: Vec<Instruction> = all.into_iter().chain(end).chain([back]).collect();
        assert_eq!(all.len(), self.length, "{self:?}");
        all
    }

    /// Instructions before the first trip.
    pub fn before(&self) -> u64 {
        if self.rounds { 4 } else { 0 }
    }

    /// The program: the loop, and in a loop around it what its registers are put back by. In the end it goes nowhere.
    pub fn code(&self) -> Vec<Instruction> {
        let mut all = Vec::new();
        if self.rounds {
            all.push(add(COUNTER, SAVED, 0));
            all.extend(MOVING.iter().zip(SAVED + 1..).map(|(&register, saved)| add(register, saved, 0)));
        }
        all.extend(self.trip());
        all.push(add(ROUNDS, ROUNDS, -1));
        if self.rounds {
            all.push(branch("BNE", ROUNDS, 0, -(all.len() as i64)));
        }
        all.push(jump(0));
        all
    }

    /// Instructions that a run of so many trips takes to its end.
    pub fn whole(&self, trips: u64, rounds: u64) -> u64 {
        let trips = trips * self.length as u64;
        if self.rounds { rounds * (self.before() + trips + 2) } else { trips + 1 }
    }

    /// How far the first moving register comes in a trip.
    pub fn stride(&self) -> i64 {
        let is_moved = self.trip().iter().any(|(name, fields)| *name == "ADDI" && fields[0].1 == MOVING[0]);
        if is_moved { self.strides[0] } else { 0 }
    }

    /// The first access through the first moving register: its offset and how many bytes it has.
    pub fn reach(&self) -> (i64, i64) {
        let (_, _, data, number) = self.draws[0];
        (number, 1 << data)
    }

    /// Registers of a run of so many trips, whose first moving register begins where it is told to.
    pub fn registers(&self, start: u64, trips: u64, rounds: u64) -> Vec<(i64, u64)> {
        let by = self.step();
        let distance = (by * trips as i64) as u64;
        let around = match self.branch {
            "BLT" | "BGE" => [0, 1 << 31, 1 << 32, -1_i64 as u64, -(1_i64 << 31) as u64, 77][self.around],
            "BLTU" | "BGEU" => [1 << 63, 1 << 31, 1 << 32, 1000, 1 << 40, 0x7fff_f000][self.around],
            "BLTW" | "BGEW" => [0, 1 << 32, 5 << 40, u64::MAX << 34, 3, 0xffff_0000_0000_0000][self.around],
            _ => [0, 1 << 31, 1 << 32, 1 << 63, 7, u64::MAX][self.around],
        };
        let first = match self.branch {
            _ if self.joined => start,
            "BEQ" => trips,
            _ => around.wrapping_sub((distance as i64 / 2) as u64),
        };
        let bound = match self.branch {
            // The last trip is the first that comes below it.
            "BGE" | "BGEU" | "BGEW" => first.wrapping_add(distance).wrapping_sub(by as u64),
            _ => first.wrapping_add(distance),
        };
        // The other half of what is compared says nothing.
        let bound = if self.branch.ends_with('W') { bound ^ 0x1357_9bdf << 32 } else { bound };
        let moving = [start, QUIET + 0x80, QUIET + 0x100];
        let mut all: Vec<(i64, u64)> = MOVING.into_iter().zip(moving).collect();
        all.extend((SAVED + 1..).zip(moving));
        all.extend([(COUNTER, first), (SAVED, first), (BOUND, bound), (ROUNDS, rounds)]);
        all.extend((DATA..DATA + 4).map(|register| (register, 0x1234_5678_9abc << register)));
        all
    }
}
