//! Where secret data reach what an attacker can time: branches, addresses, and instructions whose time depends on their
//! operands.
//!
//! A shadow of every bit of the guest follows a run, micro-operation by micro-operation ([`engine::follow`]): each row of
//! the engine's table has a rule ([`pure`]), so that a user's own instruction is followed from its description alone.
//! Instructions of the vector unit have rules of their own, those of floating point the table of operands.
//!
//! One path is followed, the one that was executed; where a secret decides a branch, that is found, and what would have
//! been executed otherwise is not.

mod alike;
pub mod bits;
mod calls;
mod finding;
mod interval;
mod markers;
mod memory;
pub mod pure;
mod scalar;
mod shadow;
mod threads;
mod trace;
mod trail;
mod vector;
mod whole;

pub use calls::{Argument, Call, Calls, Check};
pub use finding::{Finding, Kind};
pub use markers::{Marker, markers};
pub use shadow::{Options, Shadow};
pub use trace::{Difference, Trace};
pub use trail::{Origin, Way};
