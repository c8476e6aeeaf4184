//! How processes run, and how that ends.

use engine::Stop;
use hart::Fault;
use isa::Vlen;

use crate::clock::TimeSource;
use crate::signal::Signal;
use crate::thread::ThreadId;

/// Whose conventions a process starts by.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Startup {
    /// The kernel's.
    #[default]
    Linux,
    /// Those of gem5's system-call emulation, which pass less.
    Gem5,
}

/// How processes run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Program name and arguments.
    pub arguments: Vec<Vec<u8>>,
    /// Environment, as `NAME=value`.
    pub environment: Vec<Vec<u8>>,
    /// Most bytes of memory, of all processes together.
    pub memory_bytes: u64,
    /// Bytes of the first thread's stack.
    pub stack_bytes: u64,
    /// Most processes at a time, those that nobody has waited for yet included.
    pub most_processes: usize,
    /// Vector register length; `None` without a vector unit.
    pub vlen: Option<Vlen>,
    /// Where time comes from.
    pub time: TimeSource,
    /// Start of the sequence that stands for randomness; `None` for the host's.
    pub seed: Option<u64>,
    /// Report each system call.
    pub strace: bool,
    /// Whose conventions it starts by.
    pub startup: Startup,
}

/// How a run of a process ended, or one of a bare machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It exited with this status, 0 to 255 if it is a process.
    Exit(u64),
    /// A signal killed it.
    Killed(Signal),
    /// An exception that it does not handle.
    Fault(Fault),
    /// Every thread waits for something that cannot happen: each thread, its program counter, and the
    /// futex it waits for.
    Deadlock(Vec<(ThreadId, u64, Option<u64>)>),
    /// The limit of instructions is reached.
    InstructionLimit,
    /// The host's callback asked for it.
    Interrupted,
    /// The observer asked for it; the run may be taken up again.
    Observed,
}

impl From<Stop> for Ending {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Exit(status) => Self::Exit(status),
            Stop::Fault(fault) | Stop::Semihosting(fault) => Self::Fault(fault),
            Stop::InstructionLimit => Self::InstructionLimit,
            Stop::Interrupted => Self::Interrupted,
            Stop::Observed | Stop::Turn => Self::Observed,
        }
    }
}
