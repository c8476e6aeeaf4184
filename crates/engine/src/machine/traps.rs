//! What a run remembers of the traps that the guest's own handlers took.

use std::collections::BTreeMap;

use hart::fault::{Exception, Fault};

/// Traps that handlers took.
#[derive(Default)]
pub struct Traps {
    counts: BTreeMap<u64, u64>,
    last: Option<Fault>,
}

impl Traps {
    /// Notes one.
    pub(super) fn note(&mut self, fault: Fault) {
        *self.counts.entry(fault.exception.cause).or_default() += 1;
        self.last = Some(fault);
    }

    /// How many there were, by what their cause is called.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.counts.iter().map(|(&cause, &count)| (Exception { cause, value: 0 }.name(), count))
    }

    /// The last one.
    pub const fn last(&self) -> Option<Fault> {
        self.last
    }
}
