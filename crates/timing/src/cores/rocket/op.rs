//! What the model of Rocket keeps of an instruction.

use crate::condition::Condition;
use crate::core::Cause;
use crate::parts::rocket_branch::Transfer;

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
