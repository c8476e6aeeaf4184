//! The hart's architectural state, guest memory beside it, and the units that carry out what the semantic IR does not
//! express. How instructions are found and executed is the business of `engine`.
//!
//! A guest is untrusted. Whatever it does ends as a value ([`Fault`]); it reaches no memory but its own, and no file.

mod attributes;
pub mod cache_block;
pub mod csr;
pub mod effects;
pub mod elf;
pub mod fault;
pub mod float;
pub mod hart;
pub mod host;
pub mod htif;
pub mod idioms;
pub mod memory;
pub mod pages;
pub mod port;
mod reservation;
pub mod system;
pub mod unit;
pub mod vector;

pub use crate::hart::Hart;
pub use fault::{Exception, Fault};
pub use host::Host;
pub use htif::Htif;
pub use memory::{Address, Memory};
pub use system::System;
pub use vector::AgnosticFill;
