//! What the counters count.

/// Counts as an instruction finds them. What a guest has added to its counters by writing them is not in here.
#[derive(Clone, Copy, Default, Debug)]
pub struct Clock {
    /// Instructions retired before it.
    pub instret: u64,
    /// Cycles passed before it.
    pub cycle: u64,
}

impl Clock {
    /// The clock of a hart without a timing model: an instruction takes a cycle.
    pub const fn of_instructions(instret: u64) -> Self {
        Self { instret, cycle: instret }
    }

    /// As the instruction before found it, if that took a cycle.
    #[must_use]
    pub const fn before(self) -> Self {
        Self { instret: self.instret.wrapping_sub(1), cycle: self.cycle.wrapping_sub(1) }
    }

    /// As the next instruction finds it.
    pub const fn next(self) -> Self {
        Self { instret: self.instret.wrapping_add(1), cycle: self.cycle.wrapping_add(1) }
    }
}
