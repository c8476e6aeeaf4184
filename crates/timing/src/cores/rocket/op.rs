//! What the model of Rocket keeps of an instruction.

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
    pub words: (i16, i16),
    /// It is the second half of a word.
    pub ends_word: bool,
    /// Address, if a line of instructions may begin here.
    pub line: Option<u64>,
    pub transfer: Option<(Transfer, Condition)>,
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
        end: instruction.behind().wrapping_sub(2),
        behind: instruction.behind(),
        target,
        calls: instruction.link.is_some_and(|link| link & 1 == 1),
    })
}
