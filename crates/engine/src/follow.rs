//! Who follows a run micro-operation by micro-operation, with the values that each works on.
use hart::Hart;
use hart::effects::Effects;
use hart::memory::Memory;

use crate::block::Block;
use crate::decoded::Decoded;
use crate::program::Program;
use crate::uop::Uop;

/// A micro-operation that is about to take effect; a store has just done so. Its operands are in the hart's slots.
pub struct Step<'a> {
    /// The hart.
    pub hart: &'a Hart,
    /// Guest memory.
    pub memory: &'a Memory,
    /// The guest's instructions.
    pub program: &'a Program,
    /// The block that is executed.
    pub block: &'a Block,
    /// Number of the micro-operation in it.
    pub uop: usize,
}

impl Step<'_> {
    /// The micro-operation.
    #[inline(always)]
    pub fn op(&self) -> &Uop {
        &self.block.uops[self.uop]
    }

    /// The value of a slot.
    #[inline(always)]
    pub fn slot(&self, slot: u16) -> u64 {
        self.hart.slots[usize::from(slot) & (crate::uop::SLOTS - 1)]
    }

    /// The instruction it belongs to.
    pub fn decoded(&self) -> &Decoded {
        &self.block.decoded[self.block.instruction_of(self.uop)]
    }
}

/// Follows a run. Unlike an observer it is told of everything before it happens; a run with one is interpreted.
pub trait Follower {
    /// A micro-operation takes effect.
    fn step(&mut self, step: &Step<'_>);

    /// The instruction of a unit, of which [`Follower::step`] was told last, has retired, or has trapped.
    fn settled(&mut self, retired: bool);

    /// An instruction was executed as a whole by the plain evaluator, with these accesses.
    fn evaluated(&mut self, program: &Program, decoded: &Decoded, effects: &Effects);
}
