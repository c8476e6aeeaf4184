//! What compiled code can reach: guest memory, as far as the guest may, and nothing else.

#[path = "../effort/mod.rs"]
mod effort;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;

mod addresses;
mod layouts;
mod own;
mod rights;
