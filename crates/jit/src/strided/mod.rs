//! Loops of one block whose accesses move by the same distance from trip to trip, as those through arrays do, or stay
//! where they are. How many trips stay within the ranges that were granted is computed before the first of them, which
//! then need no checks: where an access would leave its range, the loop is entered anew.
//!
//! `accesses.rs` finds such accesses; `emit.rs` has the code before the first trip and between trips.

mod accesses;
mod emit;

pub use self::accesses::Accesses;
pub use self::emit::Trips;
