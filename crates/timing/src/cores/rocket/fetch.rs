//! How an instruction of Rocket comes to decode (`Frontend.scala`, `IBuf.scala`).

use super::{FROM_WRITEBACK, LINE_MISSING, Op, Rocket, State};
use crate::core::{Cause, Outcome, Spent};
use crate::parts::rocket_cache::Touch;

impl Rocket {
    /// Touches the line of instructions that may begin with it; true if it is missing.
    pub(super) fn misses_line(&mut self, op: &Op) -> bool {
        op.line.is_some_and(|address| self.instructions.touch(address, false) != Touch::Hit)
    }

    /// Cycles until it can leave decode for all that its bytes are concerned.
    pub(super) fn fetch(&self, state: &mut State, op: &Op, outcome: Outcome, spent: &mut Spent) -> i16 {
        let mut at = 1;
        let mut wait_until = |until: i16, cause: Cause| {
            spent.spend(cause, (until - at).max(0) as u32);
            at = at.max(until);
            at
        };
        let after_jump = std::mem::take(&mut state.redirected);
        let is_buffered = std::mem::take(&mut state.buffered);
        let words = if after_jump { op.words.1 } else { op.words.0 };
        let certain = (0..words).fold(None, |_, _| state.word());
        if outcome & LINE_MISSING != 0 {
            if let Some(looked_up) = certain {
                let arrived = wait_until(looked_up + self.refill, Cause::Fetch);
                state.arrives(arrived);
            } else {
                // A line is not asked for on the chance that it is needed (`s2_kill`): the word is marked, and its
                // instruction fetched again when it comes to write-back.
                let again = state.fetched.max(1) + FROM_WRITEBACK + op.words.1 - 1;
                let arrived = wait_until(again + self.refill, Cause::Fetch);
                state.fetch_again(arrived, op.words.1);
            }
        }
        let cause = if after_jump { Cause::Branch } else { Cause::Fetch };
        if after_jump && op.words.1 > 1 && !is_buffered {
            // The half of it that comes alone is put aside first.
            wait_until(2, cause);
        }
        wait_until(state.fetched, cause)
    }
}

/// Words that come to the queue in so many cycles after a transfer that was foreseen wrongly. The longer it waited, the
/// more words wait before it: from three on the next but one is not asked for (`s0_fq_has_space`), and comes four cycles
/// late (`s2_replay` of `Frontend.scala`).
pub fn fetched_astray(cycles: i16) -> u8 {
    match cycles {
        ..5 => cycles.max(0) as u8,
        5 => 4,
        _ => 3,
    }
}
