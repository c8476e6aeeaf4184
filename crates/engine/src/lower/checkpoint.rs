//! Trying a lowering and taking it back.

use super::{Lowering, State};

/// Where a lowering was.
pub(super) struct Checkpoint<'a> {
    uops: usize,
    state: State<'a>,
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn checkpoint(&self) -> Checkpoint<'a> {
        Checkpoint { uops: self.uops.len(), state: self.state.clone() }
    }

    /// Forgets what was lowered since.
    pub(super) fn roll_back(&mut self, to: Checkpoint<'a>) {
        self.uops.truncate(to.uops);
        self.state = to.state;
    }

    /// What `lower` finds out, without a trace of it.
    pub(super) fn probe<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.checkpoint();
        let found = lower(self);
        self.roll_back(before);
        found
    }
}
