//! Turns of harts that share a memory: one executes on its own until it comes to what others may have to be waited for,
//! and no longer than some instructions, so that others see what it stores.

use super::Machine;
use crate::block::Block;

/// Instructions of a turn. What a hart stores may be seen by others that much too early, unless they are kept apart by
/// an atomic, a fence or a system call.
const TURN: u64 = 1 << 10;
/// Instructions for which a turn goes on to let a sequence of a reserved load and a conditional store end.
const SEQUENCE: u64 = 1 << 6;

/// A turn, by the count of instructions.
pub(super) struct Turn {
    began: u64,
    ends: u64,
}

impl Turn {
    /// The count up to which instructions may be executed, among them those of the block that ends there.
    pub(super) fn to_the_end_of(&self, block: u64) -> u64 {
        self.ends.max(block)
    }
}

impl Machine<'_> {
    /// A turn begins, if there are others.
    pub(super) fn begin_turn(&self) -> Turn {
        let began = self.system.hart.retired;
        Turn { began, ends: if self.cuts.turns() { began.saturating_add(TURN) } else { u64::MAX } }
    }

    /// True if a block comes in another turn.
    #[inline(always)]
    pub(super) fn is_over(&self, turn: &Turn, block: &Block) -> bool {
        let retired = self.system.hart.retired;
        if !self.cuts.turns() || retired == turn.began {
            return false;
        }
        // Whoever stores in between would break the reservation.
        let is_in_sequence = self.system.memory.is_reserved() && retired - turn.began < SEQUENCE;
        (block.meets || retired >= turn.ends) && !is_in_sequence
    }
}
