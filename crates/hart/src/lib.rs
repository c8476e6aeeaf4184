//! The hart's architectural state, guest memory beside it, and execution of the instructions that `isa` describes.
//!
//! A guest is untrusted. Whatever it does ends as a value ([`Stop`], [`Fault`]); it reaches no memory but
//! its own, no file, and no more time than its limits grant.

mod attributes;
pub mod block;
pub mod csr;
pub mod decoded;
pub mod effects;
pub mod elf;
mod evaluate;
mod exec;
pub mod fault;
pub mod float;
pub mod hart;
mod heat;
pub mod host;
pub mod htif;
mod idioms;
pub mod lower;
pub mod machine;
pub mod memory;
pub mod native;
pub mod observer;
pub mod pages;
pub mod port;
pub mod program;
pub mod system;
pub mod tier;
pub mod unit;
pub mod uop;
pub mod vector;

pub use crate::hart::Hart;
pub use fault::{Exception, Fault};
pub use host::Host;
pub use htif::Htif;
pub use machine::{Limits, Machine, Stop};
pub use memory::{Address, Memory};
pub use observer::{Blind, Observer};
pub use program::Program;
pub use system::System;
pub use vector::AgnosticFill;
