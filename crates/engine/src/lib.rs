//! Execution of the instructions that `isa` describes, on the state that `hart` holds: lowering to micro-operations,
//! blocks of them, the interpreter, the tiers above it, and the machine.
//!
//! A guest is untrusted. Whatever it does ends as a value ([`Stop`], [`hart::Fault`]), and no run takes more time than
//! its limits grant.

pub mod block;
mod counters;
pub mod decoded;
mod evaluate;
mod exec;
pub mod follow;
mod heat;
mod loops;
pub mod lower;
pub mod machine;
pub mod native;
pub mod observer;
pub mod program;
mod target;
pub mod tier;
pub mod timed;
pub mod uop;

pub use machine::{Limits, Machine, Stop, Translations};
pub use observer::{Blind, Observer};
pub use program::Program;
