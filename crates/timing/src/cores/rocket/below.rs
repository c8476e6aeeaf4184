//! Rocket's requests to the memory below its caches.

use super::{CACHED, DIRTIES, DIRTY, LINE_MISSING, MISS, Op, Rocket, State, Work};
use crate::core::{Core, Outcome, Spent, USUAL};
use crate::parts::rocket_cache::Touch;

impl Rocket {
    /// Looks up a line of data.
    pub(super) fn touch(&mut self, address: u64, stores: bool) -> Outcome {
        if address < CACHED {
            return USUAL;
        }
        match self.data.touch(address, stores) {
            Touch::Hit => USUAL,
            Touch::Dirties => DIRTIES,
            Touch::Miss { writes_back } => {
                self.below.misses(address, writes_back.then(|| self.data.replaced()));
                if writes_back { MISS | DIRTY } else { MISS }
            }
        }
    }

    /// Cycles until an instruction that lacks nothing would leave decode.
    fn leaves(&self, state: &State, op: &Op, outcome: Outcome) -> u64 {
        let mut spent = Spent::default();
        self.issue(&mut state.clone(), op, outcome, &mut spent);
        spent.cycles()
    }

    /// Sends what an instruction lacks to the memory, at the cycle in which it would leave decode if it lacked nothing.
    pub(super) fn request(&mut self, state: &State, op: &Op, outcome: Outcome, cycle: u64) {
        let accesses = matches!(op.work, Work::Load { .. } | Work::Store { .. });
        let lacks = if accesses { outcome & (MISS | DIRTY) } else { 0 };
        if outcome & LINE_MISSING != 0 {
            self.below.ask_fetch(cycle + self.leaves(state, op, outcome & !LINE_MISSING & !lacks));
        }
        if lacks == 0 {
            return;
        }
        let mut at = cycle + self.leaves(state, op, outcome & !lacks);
        if lacks & DIRTY != 0 {
            self.below.write_back(at);
            at += self.released(0) as u64;
        }
        self.below.ask(at);
    }

    /// Predicts the latency of the line of an instruction that reads a counter.
    pub(super) fn foresee_request(&self, state: &State, op: &Op, cycle: u64) {
        if let Some(line) = op.line.filter(|&line| !self.instructions.holds(line)) {
            self.below.foresee_fetch(cycle + self.leaves(state, op, USUAL), line);
        }
    }
}
