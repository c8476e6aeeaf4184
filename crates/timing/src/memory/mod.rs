//! Memory systems: parts, each with another one below it, from caches down to DRAM.

mod at_rest;
pub mod below;
pub mod description;
pub mod dram;
pub mod lines;
pub mod msi;
pub mod pages;
pub mod period;
mod seen;
mod snoop;
pub mod system;
pub mod tree;

pub use self::at_rest::Rest;
pub use self::seen::Seen;
