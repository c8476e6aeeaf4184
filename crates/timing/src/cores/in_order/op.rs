//! What an in-order core keeps of an instruction.

use crate::condition::Condition;
use crate::core::Cause;
use crate::instruction::Flow;

/// What it keeps of an instruction.
pub struct Op {
    /// Registers read or written; 0 is none.
    pub registers: [u8; 4],
    pub writes: u8,
    pub work: Work,
    /// Of pushes and pops, their accesses but the first: all that one word can tell is in that one's line.
    pub further: u16,
    /// The bits of a shift's amount that count.
    pub most_shift: u64,
    /// Address of its last byte, if it may be in another line than what was fetched before; always without a cache.
    pub fetch: Option<u64>,
    pub transfer: Option<Transfer>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Its result can be used this many cycles later.
    Compute(u16, Cause),
    /// The same, and the unit is busy until then.
    Divide(u16),
    /// Nothing else is issued for so many further cycles; `None` if a register says how far it shifts.
    Shift(Option<u16>),
    Load(u16),
    Store,
    /// An atomic operation.
    Both(u16),
    /// Nothing is issued for this many cycles.
    Alone(u16),
    /// The same, and the instruction cache is emptied.
    Flush(u16),
}

pub struct Transfer {
    pub pc: u64,
    pub fall_through: u64,
    pub flow: Flow,
    pub condition: Condition,
    pub is_return: bool,
    pub calls: bool,
}
