//! A decoded instruction.

use isa::InstructionId;

/// One decoded instruction of a block.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    /// Guest address.
    pub pc: u64,
    /// Instruction word; the upper half of a compressed one is zero.
    pub word: u32,
    /// Which instruction it is.
    pub id: InstructionId,
    /// Index after its last micro-operation.
    pub end: u32,
    /// True if it stores to memory, so that its load faults count as store/AMO faults.
    pub stores: bool,
    /// Words that a timed run notes when it begins: none, an address, or two operands.
    pub noted: u8,
}

impl Decoded {
    /// Length in bytes.
    pub const fn length(&self) -> u64 {
        if isa::is_wide(self.word) { 4 } else { 2 }
    }
}
