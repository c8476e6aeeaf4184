//! What a controller counts.

/// What was done, by gem5's names.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// `readReqs`.
    pub reads: u64,
    /// `writeReqs`.
    pub writes: u64,
    /// `servicedByWrQ`.
    pub of_queue: u64,
    /// `mergedWrBursts`.
    pub merged: u64,
    /// `readRowHits`.
    pub read_hits: u64,
    /// `writeRowHits`.
    pub write_hits: u64,
    /// `readBursts`, done in DRAM.
    pub read_bursts: u64,
    /// `writeBursts`, done in DRAM.
    pub write_bursts: u64,
}

impl Counts {
    /// By gem5's names.
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("readReqs", self.reads),
            ("writeReqs", self.writes),
            ("servicedByWrQ", self.of_queue),
            ("mergedWrBursts", self.merged),
            ("readBursts", self.read_bursts),
            ("writeBursts", self.write_bursts),
            ("readRowHits", self.read_hits),
            ("writeRowHits", self.write_hits),
        ]
    }
}
