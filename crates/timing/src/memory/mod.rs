//! Memory systems: parts, each with another one below it, from caches down to DRAM.

/// What a part saw: by name, counts by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The part's.
    pub part: String,
    /// Its kind: `cache`, `msi` or `dram`.
    pub kind: &'static str,
    /// In gem5's words: `overallMisses`, `readReqs`.
    pub counts: Vec<(&'static str, u64)>,
}

pub mod description;
pub mod dram;
pub mod lines;
pub mod msi;
pub mod pages;
pub mod period;
pub mod tree;
