//! Statistics between two moments, as gem5's markers delimit them.

use crate::memory::Seen;

/// A hart's work.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Work {
    /// Instructions it retired.
    pub instructions: u64,
    /// Cycles in which it was busy; in others it was idle.
    pub cycles: u64,
}

/// All counters at one moment.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Instructions retired.
    pub instructions: u64,
    /// Cycles.
    pub cycles: u64,
    /// The work of each hart, on machines with several.
    pub harts: Vec<Work>,
    /// The counters of the memory's parts.
    pub memory: Vec<Seen>,
}

impl Moment {
    /// The difference from an earlier moment.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut more = self.clone();
        more.instructions -= earlier.instructions;
        more.cycles -= earlier.cycles;
        for (hart, before) in more.harts.iter_mut().zip(&earlier.harts) {
            hart.instructions -= before.instructions;
            hart.cycles -= before.cycles;
        }
        for (part, before) in more.memory.iter_mut().zip(&earlier.memory) {
            for ((_, count), (_, before)) in part.counts.iter_mut().zip(&before.counts) {
                *count -= before;
            }
        }
        more
    }
}

/// Statistics that were dumped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dump {
    /// Cycles since the start.
    pub at: u64,
    /// The counters since the last reset.
    pub since: Moment,
}
