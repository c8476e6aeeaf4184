//! The clock of a memory system.

use super::dram::Tick;

/// A cycle's length, with what makes dividing by it cheap: a memory system does so twice for each access.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    ps: Tick,
    /// 2^64 divided by it, rounded up.
    reciprocal: u64,
    /// Times before this one are divided right by that: its error, which is less than a period, does not add up to 2^64.
    bound: Tick,
}

impl Period {
    /// A cycle of 2 ps or more.
    pub const fn new(ps: Tick) -> Self {
        Self { ps, reciprocal: u64::MAX / ps + 1, bound: u64::MAX / ps }
    }

    /// Its picoseconds.
    pub const fn ps(self) -> Tick {
        self.ps
    }

    /// Cycles until a time, rounded up.
    #[inline]
    pub fn cycles(self, at: Tick) -> u64 {
        if at >= self.bound {
            return at.div_ceil(self.ps);
        }
        let whole = ((u128::from(at) * u128::from(self.reciprocal)) >> 64) as u64;
        whole + u64::from(whole * self.ps != at)
    }

    /// The first edge of the clock at or after a time.
    #[inline]
    pub fn edge(self, at: Tick) -> Tick {
        self.cycles(at) * self.ps
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Period;

    proptest! {
        #[test]
        fn it_divides_as_division_does(ps in 2..2_000_000_000_u64, at: u64, near in 0..5_u64, times in 0..1_u64 << 33) {
            let period = Period::new(ps);
            let at = at >> 1;
            prop_assert_eq!(period.cycles(at), at.div_ceil(ps));
            let close = (times.saturating_mul(ps)).saturating_add(near).saturating_sub(2).min(u64::MAX >> 1);
            prop_assert_eq!(period.cycles(close), close.div_ceil(ps));
            prop_assert_eq!(period.edge(close), close.div_ceil(ps) * ps);
        }
    }
}
