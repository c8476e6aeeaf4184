//! What compiled code carries out itself although it used to leave for it: reservations, computed jumps to
//! addresses that share a place in the table, and accesses of one site to many areas; and how much is compiled for it.

#[path = "../effort/mod.rs"]
mod effort;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../reach/layouts.rs"]
mod layouts;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;
#[path = "../tiers/watched.rs"]
mod watched;

mod jumps;
mod once;
mod own_reservations;
mod pair;
mod reservations;
mod restless;
mod restless_rights;
