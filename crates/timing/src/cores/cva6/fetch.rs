//! CVA6's fetching (c5947082, `frontend.sv`, `instr_queue.sv`, `cva6_icache.sv`): when the words of an instruction come.

use super::op::Op;
use super::state::{QUEUE, State, Wait};
use super::{ASKED, ASKED_SHIFT, Cva6, FETCH, FIRST_LINE_MISSING, NEEDED, REFILL};
use crate::core::{Cause, Outcome};

impl Cva6 {
    /// Its bytes: a word a cycle, while the queue has room.
    pub(super) fn fetch(&self, state: &mut State, op: &Op, missing: Outcome, wait: &mut Wait) {
        let after_transfer = std::mem::take(&mut state.redirected);
        // A transfer's target is asked for at `fetched` itself.
        let words = if after_transfer { op.words.1 - 1 } else { op.words.0 };
        // The word after one of a missing line is asked for when the line is there, as a transfer's target is.
        state.fetched += words + i16::from(state.refilled && !after_transfer && words > 0);
        let refill = self.latency + REFILL - 1;
        if missing & FIRST_LINE_MISSING != 0 {
            state.fetched += refill + 1;
        }
        let missing = missing != 0;
        if missing && !std::mem::take(&mut state.filled) {
            state.fetched += refill;
        }
        let mut replayed = false;
        if words > 0 || after_transfer {
            let popped = state.times[QUEUE];
            if state.fetched + 1 < popped {
                // It did not fit, and is asked for again; its line has come meanwhile.
                (state.fetched, replayed) = (popped + 2, true);
            }
        }
        let cause = if missing {
            Cause::Fetch
        } else if after_transfer {
            Cause::Branch
        } else {
            Cause::Fetch
        };
        wait.wait(state.fetched + FETCH, cause);
        state.refilled = !replayed && (missing || state.refilled && words == 0 && !after_transfer);
    }

    /// What is fetched is dropped, and fetching goes on elsewhere in the next cycle; but a line that was asked for must
    /// come first.
    pub(super) fn redirect(&self, state: &mut State, outcome: Outcome, dropped: i16) {
        let after = (outcome >> ASKED_SHIFT & ASKED) as i16;
        let asked = state.fetched + after + i16::from(state.refilled);
        let comes = asked + self.latency + REFILL;
        (state.fetched, state.redirected, state.filled) = (dropped + 1, true, false);
        if after > 0 && asked + 1 < dropped {
            state.filled = comes < dropped && outcome & NEEDED != 0;
            state.came = comes < dropped;
            if comes >= dropped {
                state.fetched = state.fetched.max(comes + 1);
            }
        }
    }
}
