//! What the model of Rocket keeps of an instruction.

use isa::operands::Class;

use crate::condition::Condition;
use crate::core::Cause;
use crate::instruction::{Flow, Instruction};
use crate::parts::rocket_branch::{Kind, Transfer};

/// What it keeps of an instruction.
pub struct Op {
    /// Registers read or written.
    pub registers: [u8; 3],
    pub writes: u8,
    pub work: Work,
    /// An atomic operation that others wait for (`aq`), and that waits for others (`rl`).
    pub orders: (bool, bool),
    /// Words of instructions that are new if it follows the one before it in memory, or a jump.
    pub words: (u8, u8),
    /// Number of its last word, as far as it fits.
    pub last: u32,
    /// It begins in the upper half of a word.
    pub is_upper: bool,
    /// Registers that are taken to be read or written if only its lower half is there.
    pub alone: [u8; 3],
    /// It is the lower half of a word, of which no more is wanted if it is a transfer that is taken.
    pub leaves_half: bool,
    /// Address, if a line of instructions may begin here.
    pub line: Option<u64>,
    pub transfer: Option<(Transfer, Condition)>,
    /// What follows it in memory.
    pub following: [Option<Following>; 2],
}

/// An instruction that follows another one in memory.
#[derive(Clone, Copy)]
pub struct Following {
    /// Registers read or written.
    pub registers: [u8; 3],
    pub writes: u8,
    /// It accesses memory.
    pub accesses: bool,
    /// It reads memory.
    pub reads: bool,
    /// Its result is not there for the next instruction.
    pub is_slow: bool,
}

impl Following {
    /// The first of some instructions, unless execution goes elsewhere before.
    pub fn of(instructions: &[Instruction]) -> [Option<Self>; 2] {
        let goes_on = |each: &&Instruction| each.flow == Flow::Next;
        let mut found = instructions.iter().take_while(goes_on).map(|each| Self {
            registers: registers(each),
            writes: each.writes.unwrap_or(0),
            accesses: each.loads > 0 || each.stores > 0,
            reads: each.loads > 0,
            is_slow: each.loads > 0
                || matches!(each.class, Class::Mul | Class::Div | Class::Csr | Class::Custom),
        });
        [found.next(), found.next()]
    }
}

/// Registers that an instruction reads or writes.
pub fn registers(instruction: &Instruction) -> [u8; 3] {
    let mut registers = [0; 3];
    let named = instruction.reads.iter().chain(&instruction.writes);
    registers.iter_mut().zip(named).for_each(|(slot, &register)| *slot = register);
    registers
}

impl Op {
    /// Cycles that it takes to fetch it after its first word.
    pub fn second(&self) -> i16 {
        i16::from(self.words.1) - 1
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Its result is there for the next instruction, or so many cycles later.
    Plain(i16, Cause),
    Multiply {
        high: bool,
        word: bool,
    },
    Divide {
        signed: bool,
        remainder: bool,
        word: bool,
    },
    /// An atomic operation stores, too.
    Load {
        bytes: u8,
        slow: bool,
        stores: bool,
    },
    Store {
        bytes: u8,
    },
    Transfer,
    /// What accesses memory after it waits for what did before it.
    Fence,
    /// Everything after it is fetched again; after `fence.i` from memory.
    Flush,
    FlushLines,
    Accelerator,
}

/// What an instruction is to the predictor.
pub fn transfer(instruction: &Instruction) -> Option<Transfer> {
    let (kind, target) = match instruction.flow {
        Flow::Branch(target) => (Kind::Branch, target),
        Flow::Jump(target) => (Kind::Jump, target),
        Flow::Indirect if instruction.is_return() => (Kind::Return, 0),
        Flow::Indirect => (Kind::Indirect, 0),
        Flow::Next | Flow::Trap => return None,
    };
    Some(Transfer {
        kind,
        end: instruction.fall_through().wrapping_sub(2),
        fall_through: instruction.fall_through(),
        target,
        calls: instruction.link.is_some_and(|link| link & 1 == 1),
    })
}

/// Registers that an instruction seems to read and write while only its lower half is there, which stands for the upper
/// one as well (`icData` of `IBuf.scala`).
pub fn half(instruction: &Instruction) -> [u8; 3] {
    if instruction.pc & 2 == 0 || instruction.length == 2 {
        return [0; 3];
    }
    let word = instruction.word << 16 >> 16;
    let word = word << 16 | word;
    let register = |bit: u32| (word >> bit & 31) as u8;
    let (rd, rs1, rs2) = (register(7), register(15), register(20));
    match word & 0x7f {
        // By opcodes: with an immediate, with two sources, with no destination, with no source.
        0x03 | 0x13 | 0x1b | 0x67 => [rd, rs1, 0],
        0x33 | 0x3b | 0x2f => [rd, rs1, rs2],
        0x23 | 0x63 => [0, rs1, rs2],
        0x17 | 0x37 | 0x6f => [rd, 0, 0],
        _ => [0; 3],
    }
}
