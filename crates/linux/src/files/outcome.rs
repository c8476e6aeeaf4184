//! What reading, writing and waiting lead to.

/// What a read or write leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// This many bytes.
    Done(usize),
    /// Nothing now; the caller waits or gives up.
    Blocks,
    /// The host ends the run before anything comes.
    Ended,
}

/// What may be done without waiting, as `poll` has it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Readiness(pub u32);

impl Readiness {
    /// `POLLIN`.
    pub const READ: u32 = 1;
    /// `POLLOUT`.
    pub const WRITE: u32 = 4;
    /// `POLLERR`.
    pub const ERROR: u32 = 8;
    /// `POLLHUP`.
    pub const HANG_UP: u32 = 16;
}
