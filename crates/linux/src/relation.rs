//! Processes by number, what they are to each other, and what their parents hear of their end.

use crate::signal::Signal;

/// Identifies a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProcessId(pub u32);

impl ProcessId {
    /// The process that a run begins with, and ends with.
    pub const FIRST: Self = Self(100);
    /// Whose child the first process is, and orphans become: it is not there, and its children leave no zombies.
    pub const NOBODY: Self = Self(1);
}

/// How a process that its parent waits for has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It exited with this status.
    Exited(u8),
    /// A signal killed it.
    Killed(Signal),
}

impl Status {
    /// As `wait4` tells it.
    pub fn word(self) -> u32 {
        match self {
            Self::Exited(status) => u32::from(status) << 8,
            Self::Killed(signal) => signal.0.into(),
        }
    }

    /// `si_code` of a child's end (`CLD_EXITED`, `CLD_KILLED`), and `si_status`.
    pub fn of_signal(self) -> (i32, u32) {
        match self {
            Self::Exited(status) => (1, status.into()),
            Self::Killed(signal) => (2, signal.0.into()),
        }
    }
}

/// A process that has ended, until its parent asks for it.
#[derive(Clone, Copy, Debug)]
pub struct Zombie {
    /// Which it was.
    pub id: ProcessId,
    /// Its process group.
    pub group: ProcessId,
    /// How it ended.
    pub status: Status,
    /// Instructions it executed.
    pub instructions: u64,
    /// Those of its descendants that were waited for.
    pub descendants: u64,
}

impl Zombie {
    /// Instructions of it and of its descendants.
    pub const fn all_instructions(&self) -> u64 {
        self.instructions + self.descendants
    }
}

/// What a process is to others.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// Its parent.
    pub parent: ProcessId,
    /// Its process group.
    pub group: ProcessId,
    /// Its session.
    pub session: ProcessId,
    /// What its parent is sent when it ends.
    pub exit_signal: Option<Signal>,
}
