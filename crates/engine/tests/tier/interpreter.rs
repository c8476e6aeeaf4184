//! The tier these tests run in; `crates/jit` has another, and runs them again.

use engine::Machine;

/// The machine as it is: interpreting.
pub fn prepare(machine: Machine<'_>) -> Machine<'_> {
    machine
}
