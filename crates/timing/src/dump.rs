//! Statistics between two moments, as gem5's markers delimit them.

use crate::memory::Seen;

/// What a hart did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Work {
    /// Instructions it retired.
    pub instructions: u64,
    /// Cycles that these took; it had nothing to do in others.
    pub cycles: u64,
}

/// All that was counted until a moment.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Instructions retired.
    pub instructions: u64,
    /// Cycles.
    pub cycles: u64,
    /// What each hart did, where several may be.
    pub harts: Vec<Work>,
    /// What the parts of the memory saw.
    pub memory: Vec<Seen>,
}

impl Moment {
    /// What was counted since an earlier one.
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
    /// What was counted since the last reset.
    pub since: Moment,
}
