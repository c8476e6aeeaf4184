//! CVA6's fetching (c5947082, `frontend.sv`, `instr_queue.sv`, `cva6_icache.sv`): when the words of an instruction come.

use super::op::Op;
use super::state::{QUEUE, State, Wait};
use super::{ASKED, ASKED_SHIFT, Cva6, FETCH, FIRST_LINE_MISSING, NEEDED, REFILL, THEN_SHIFT, WORDS_SHIFT};
use crate::core::{Cause, Outcome};

/// From the request for a word, or a load's to the cache, until that for its line on the bus, which both share
/// (`wt_axi_adapter.sv`).
const TO_BUS: i16 = 2;
const LOAD_TO_BUS: i16 = 1;
/// Cycles in which a line comes.
const BEATS: i16 = 2;

impl Cva6 {
    /// Its bytes: a word a cycle, while the queue has room.
    pub(super) fn fetch(&self, state: &mut State, op: &Op, missing: Outcome, wait: &mut Wait) {
        let after_transfer = std::mem::take(&mut state.redirected);
        // A transfer's target is asked for at `fetched` itself.
        let words = if after_transfer { op.words.1 - 1 } else { op.words.0 };
        // The word after one of a missing line is asked for when the line is there, as a transfer's target is.
        state.fetched += words + i16::from(state.refilled && !after_transfer && words > 0);
        if missing & FIRST_LINE_MISSING != 0 {
            state.fetched += self.refill(state) + 1;
        }
        let missing = missing != 0;
        if missing && state.filled == 0 {
            state.fetched += self.refill(state);
        }
        state.filled -= u8::from(missing && state.filled > 0);
        let mut replayed = false;
        let popped = state.times[QUEUE];
        if state.fetched + 1 < popped {
            // It did not fit, though another one of its word may have, and is asked for again; its line has come
            // meanwhile.
            (state.fetched, replayed) = (popped + 2, true);
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

    /// Cycles until a line is there that is missing at the word asked for last.
    fn refill(&self, state: &State) -> i16 {
        let at = state.fetched + TO_BUS;
        // A load that asks in the same cycle comes first.
        let read = at - (state.read + LOAD_TO_BUS);
        let waits = if (0..BEATS).contains(&read) { BEATS - read } else { 0 };
        self.latency + REFILL - 1 + waits.max(state.stores.occupy(at, self.latency))
    }

    /// When a load asks for its line, at `asks` or later: if the next line of instructions is missing, and was asked for a
    /// cycle before, its beats come first.
    pub(super) fn after_next_line(state: &State, op: &Op, asks: i16) -> i16 {
        let last = op.fall_through.wrapping_sub(1);
        let words = (op.next_line() >> 2).wrapping_sub(last >> 2) as i16;
        let line = state.fetched + words + i16::from(state.refilled) + TO_BUS;
        asks + i16::from(asks + LOAD_TO_BUS == line + 1)
    }

    /// What is fetched is dropped after an instruction that issued, and fetching goes on elsewhere in the next cycle; but a line that was asked for must
    /// come first.
    pub(super) fn redirect(&self, state: &mut State, outcome: Outcome, issued: i16, dropped: i16) {
        let refill = self.latency + REFILL;
        let asked = state.fetched + i16::from(state.refilled);
        state.dropped = dropped - asked;
        let there = std::mem::take(&mut state.filled);
        (state.fetched, state.redirected) = (dropped + 1, true);
        let mut refills = 0;
        for (line, shift) in [(0, ASKED_SHIFT), (1, THEN_SHIFT)] {
            let after = (outcome >> shift & ASKED) as i16;
            let words = (outcome >> shift >> WORDS_SHIFT & ASKED) as usize;
            let asked = state.when_room(asked + after + refills * refill, words, issued);
            if after == 0 || asked + 1 >= dropped {
                break;
            }
            if line >= there {
                if asked + refill >= dropped {
                    state.fetched = state.fetched.max(asked + refill + 1);
                    break;
                }
                refills += 1;
            }
            state.came += 1;
        }
        if outcome & NEEDED != 0 {
            // What comes next in the block was looked at before they came.
            (state.filled, state.came) = (state.came.max(there), 0);
        }
    }
}
