//! What can be seen of a run: executed-opcode histograms of a region, traces. Observers read; they never
//! change what a guest does, nor how many instructions it takes.

mod histogram;
mod trace;

pub use histogram::{Counting, OpcodeCounts, Region};
pub use trace::CommitLog;
