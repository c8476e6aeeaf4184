//! The tier that the interpreter's own tests run in here.

use std::cell::Cell;

use engine::Machine;
use jit::Jit;

thread_local! {
    /// A block alone is compiled at its first execution; later, together with those it leads to.
    static THRESHOLD: Cell<u32> = const { Cell::new(0) };
}

/// The machine with everything compiled that can be, at once or after a few executions.
pub fn prepare(mut machine: Machine<'_>) -> Machine<'_> {
    let threshold = THRESHOLD.get();
    THRESHOLD.set((threshold + 1) % 3);
    machine.set_compiler(Box::new(Jit::new().after(threshold)));
    machine
}
