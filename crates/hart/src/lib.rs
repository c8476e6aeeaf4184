//! The hart: architectural state, guest memory, and execution of the instructions that `isa` describes.
//!
//! A guest is untrusted. Whatever it does ends as a value ([`Stop`], [`Fault`]); it reaches no memory but
//! its own, no file, and no more time than its limits grant.

mod attributes;
pub mod block;
pub mod compare;
pub mod core;
pub mod csr;
pub mod elf;
mod evaluate;
mod exec;
pub mod fault;
pub mod htif;
mod idioms;
pub mod lower;
pub mod machine;
pub mod memory;
mod native;
pub mod observer;
pub mod program;
pub mod uop;

pub use crate::core::Core;
pub use fault::{Exception, Fault};
pub use htif::Htif;
pub use machine::{Host, Limits, Machine, Stop};
pub use memory::{Address, Memory};
pub use observer::{Blind, Observer};
pub use program::Program;
