//! Interval timers (`setitimer`).

use crate::signal::Signal;

/// A timer.
#[derive(Clone, Copy, Default, Debug)]
pub struct Timer {
    /// When it expires, on the monotonic clock, in nanoseconds.
    pub deadline: Option<u64>,
    /// Period, 0 for once.
    pub interval: u64,
}

impl Timer {
    /// Signals of `ITIMER_REAL`, `ITIMER_VIRTUAL` and `ITIMER_PROF`.
    pub const SIGNALS: [Signal; 3] = [Signal::SIGALRM, Signal::SIGVTALRM, Signal::SIGPROF];

    /// True if it has expired; a periodic one starts again.
    pub fn expire(&mut self, now: u64) -> bool {
        let Some(deadline) = self.deadline.filter(|&deadline| deadline <= now) else { return false };
        self.deadline = (self.interval > 0).then(|| {
            let periods = (now - deadline) / self.interval + 1;
            deadline.saturating_add(periods.saturating_mul(self.interval))
        });
        true
    }
}
