//! What can be seen of a run: executed-opcode histograms of a region, traces. Observers read; they never
//! change what a guest does, nor how many instructions it takes.

mod backtrace;
mod histogram;
mod supervision;
mod symbols;
mod trace;

pub use backtrace::backtrace;
pub use histogram::{Counting, OpcodeCounts, Region};
pub use supervision::{Breach, Calls};
pub use symbols::{Place, Symbols};
pub use trace::CommitLog;
