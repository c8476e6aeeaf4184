//! Clocks of a process. Unless asked otherwise they are a function of the instructions retired, so that
//! what a program does with time repeats from run to run.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Nanoseconds in a second.
pub const SECOND: u64 = 1_000_000_000;
/// Wall-clock time at which a deterministic process starts: 1 January 2025, 00:00 UTC, in seconds.
const START: u64 = 1_735_689_600;

/// Where time comes from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TimeSource {
    /// One nanosecond an instruction, and waiting costs nothing.
    #[default]
    Instructions,
    /// The host's clocks.
    Host,
}

/// Clocks.
pub struct Clock {
    source: TimeSource,
    started: Instant,
    /// Nanoseconds that every thread spent waiting, skipped.
    skipped: u64,
}

impl Clock {
    /// Clocks that start now.
    pub fn new(source: TimeSource) -> Self {
        Self { source, started: Instant::now(), skipped: 0 }
    }

    /// Nanoseconds since the process started.
    pub fn monotonic(&self, retired: u64) -> u64 {
        match self.source {
            TimeSource::Instructions => retired.saturating_add(self.skipped),
            TimeSource::Host => u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX),
        }
    }

    /// Nanoseconds since 1970.
    pub fn realtime(&self, retired: u64) -> u64 {
        match self.source {
            TimeSource::Instructions => (START * SECOND).saturating_add(self.monotonic(retired)),
            TimeSource::Host => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
        }
    }

    /// Instructions until a moment of the monotonic clock; `None` if they cannot tell.
    pub fn instructions_until(&self, deadline: u64, retired: u64) -> Option<u64> {
        match self.source {
            TimeSource::Instructions => Some(deadline.saturating_sub(self.monotonic(retired))),
            TimeSource::Host => None,
        }
    }

    /// Lets time pass until a moment of the monotonic clock, all threads waiting.
    pub fn wait_until(&mut self, deadline: u64, retired: u64) {
        let left = deadline.saturating_sub(self.monotonic(retired));
        match self.source {
            TimeSource::Instructions => self.skipped = self.skipped.saturating_add(left),
            TimeSource::Host => {
                // In slices, so that the caller can look after its host in between.
                std::thread::sleep(std::time::Duration::from_nanos(left.min(SECOND / 20)));
            }
        }
    }
}
