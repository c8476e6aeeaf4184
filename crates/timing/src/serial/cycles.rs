//! What an instruction takes.

use crate::core::{Cause, Spent};

/// Cycles of an instruction: to fetch it, for its data, and of those that the core does not have; or by how many they
/// are more, or fewer, than usual.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Cycles {
    pub fetch: i64,
    pub data: i64,
    pub unmodelled: i64,
}

impl Cycles {
    pub const fn sum(self) -> i64 {
        self.fetch + self.data + self.unmodelled
    }

    /// With others.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            fetch: self.fetch + other.fetch,
            data: self.data + other.data,
            unmodelled: self.unmodelled + other.unmodelled,
        }
    }

    /// This often.
    #[must_use]
    pub const fn times(self, times: u64) -> Self {
        let times = times as i64;
        Self { fetch: self.fetch * times, data: self.data * times, unmodelled: self.unmodelled * times }
    }

    /// What is spent on each. An execution that is under way may have taken less than usual so far.
    pub fn spent(self) -> Spent {
        let mut spent = Spent::default();
        let causes =
            [(Cause::Fetch, self.fetch), (Cause::Data, self.data), (Cause::Unmodelled, self.unmodelled)];
        for (cause, cycles) in causes {
            spent.spend_many(cause, u64::try_from(cycles).unwrap_or(0));
        }
        spent
    }
}
