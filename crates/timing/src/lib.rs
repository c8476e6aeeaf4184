//! Cycle models of cores and memory systems: the engine executes a guest and reports, in program order, what it
//! executed; a model computes the time.
//!
//! A pipelined core ([`Core`]) has two parts. Its caches and predictors are stateful: they see every event in order and
//! return outcomes. Its pipeline is a pure function of a small state, an instruction and its outcome, so that
//! [`Timing`] computes each (instructions, state, outcomes) once and memoises the result.
//!
//! What an instruction computes does not belong here.

mod condition;
mod core;
mod cores;
mod dump;
mod instruction;
mod machine;
mod memory;
mod models;
mod observer;
mod parts;
mod schedule;
mod serial;
mod steps;
mod timer;

pub use crate::condition::Condition;
pub use crate::core::{Cause, Core, Event, Outcome, Relied, Spent, UNTOLD, USUAL};
pub use crate::dump::{Dump, Moment, Work};
pub use crate::instruction::{Flow, Instruction};
pub use crate::machine::{Machine, MachineError, Parameter};
pub use crate::memory::Seen;
pub use crate::memory::description::{Described, DescribedPart};
pub use crate::models::plain;
pub use crate::observer::Timer;
pub use crate::steps::{Kept, Steps};
pub use crate::timer::{Account, Options, Timing};
