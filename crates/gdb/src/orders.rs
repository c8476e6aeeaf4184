//! What gdb asks the guest to do next.

use gdbstub::common::{Signal, Tid};

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Plan {
    /// Until something stops it.
    #[default]
    Continue,
    /// One instruction.
    Step,
    /// One instruction, and on while it is among these.
    Range {
        /// First address.
        start: u64,
        /// Past the last one.
        end: u64,
    },
}

/// What gdb asks for.
#[derive(Clone, Copy, Default, Debug)]
pub struct Orders {
    /// How far.
    pub plan: Plan,
    /// The thread to step; others go on meanwhile.
    pub stepped: Option<Tid>,
    /// It has executed its instruction, and only others do until it has the hart again.
    pub moved: bool,
    /// To be given to the guest.
    pub signal: Option<Signal>,
}
