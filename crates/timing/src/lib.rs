//! Cycles of a guest on a core that is described, not built: the engine executes, and says in order what was
//! executed; a core says what time that took.
//!
//! A core is two plain pieces of code ([`Core`]). What it *remembers* (caches, predictors) sees every event in order and
//! gives outcomes. How its *pipeline* goes on is a function of a small state, an instruction and its outcome alone, so
//! that the [`Timing`] computes it once for each block, state and outcomes, and looks it up from then on.

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
pub use crate::core::{Cause, Core, Event, Outcome, Relied, Spent, USUAL};
pub use crate::dump::{Dump, Moment, Work};
pub use crate::instruction::{Flow, Instruction};
pub use crate::machine::{Machine, MachineError, Parameter};
pub use crate::memory::Seen;
pub use crate::memory::description::{Described, DescribedPart};
pub use crate::models::plain;
pub use crate::observer::Timer;
pub use crate::steps::{Kept, Steps};
pub use crate::timer::{Account, Options, Timing};
