//! How an instruction of Rocket comes to decode (`Frontend.scala`, `IBuf.scala`).

use super::again::Noted;
use super::{FROM_MEMORY, FROM_WRITEBACK, LINE_MISSING, Op, REFILL, Rocket, State, TAKEN, UNTIL_MEMORY};
use crate::core::{Cause, Outcome, Spent};
use crate::parts::rocket_cache::Touch;
use crate::parts::rocket_front::Front;

impl Rocket {
    /// Touches the line of instructions that may begin with it; true if it is missing.
    pub(super) fn misses_line(&mut self, op: &Op) -> bool {
        let Some(address) = op.line else { return false };
        let misses = self.instructions.touch(address, false) != Touch::Hit;
        if misses {
            self.below.misses_fetch(address);
        }
        misses
    }

    /// Cycles from when a line of instructions is looked up and missing until its word is.
    fn refill(&self) -> i16 {
        (self.below.answers().instructions + REFILL).next_multiple_of(2) as i16
    }

    /// Cycles until it can leave decode for all that its bytes are concerned.
    pub(super) fn fetch(
        &self,
        state: &mut State,
        op: &Op,
        outcome: Outcome,
        spent: &mut Spent,
        noted: &mut Noted<'_>,
    ) -> i16 {
        let mut at = 1;
        let mut wait_until = |until: i16, cause: Cause| {
            spent.spend(cause, (until - at).max(0) as u32);
            at = at.max(until);
            at
        };
        if std::mem::take(&mut state.strays) {
            state.front = Front::running(FROM_MEMORY - 1);
        }
        let after_jump = std::mem::take(&mut state.redirected);
        let is_buffered = std::mem::take(&mut state.buffered);
        let cause = if after_jump { Cause::Branch } else { Cause::Fetch };
        let is_half = if after_jump {
            op.is_upper
        } else {
            op.transfer.is_some() && outcome & TAKEN != 0 && op.leaves_half
        };
        let words = if after_jump { op.words.1 } else { op.words.0 };
        state.buffered = words == 0;
        for word in 0..words {
            let is_certain = state.certain > 0;
            state.certain = state.certain.saturating_sub(1);
            let (arrives, stood) = state.front.next_or_stands();
            if stood {
                noted.stands(op, word + 1 == words, after_jump);
            }
            for ahead in &mut state.ahead {
                ahead.pass();
            }
            if word + 1 == words && outcome & LINE_MISSING != 0 {
                // What was fetched of it before had nothing in it.
                state.ahead = Default::default();
                if is_certain {
                    if arrives + self.refill() > UNTIL_MEMORY {
                        noted.leaves_alone();
                    }
                    state.front = Front::arrived(wait_until(arrives + self.refill(), Cause::Fetch));
                } else {
                    // A line is not asked for on the chance that it is needed (`s2_kill`): the word is marked, and its
                    // instruction fetched again when it comes to write-back.
                    // What is after it in its line had nothing in it.
                    noted.redirect();
                    let again = arrives.max(1) + FROM_WRITEBACK + op.second();
                    let arrived = wait_until(again + self.refill(), Cause::Fetch);
                    state.fetch_again(arrived - op.second(), op.words.1, arrived);
                }
            }
            let arrives = state.front.at();
            if is_half && is_buffered && word == 0 && arrives <= 0 {
                state.front.leave(0);
                state.buffered = words == 1;
            } else if word + 1 < words {
                // The half of it that comes alone is put aside first, if it were not to wait itself.
                let mut aside = arrives.max(1);
                for register in op.alone {
                    state.awaits(register, |until, _| aside = aside.max(until));
                }
                state.front.leave(aside);
                wait_until(aside + 1, cause);
            } else {
                wait_until(arrives, cause);
            }
        }
        at
    }
}
