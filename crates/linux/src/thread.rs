//! Threads of a process: deterministic, one at a time.

use hart::Hart;

use crate::files::{Object, PipeFile};
use crate::signal::{Pending, Signal};

/// Identifies a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadId(pub u32);

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// A wake-up of a futex, by one that has a bit in common.
    Futex {
        /// Its address.
        address: u64,
        /// Bits.
        bits: u32,
    },
    /// A file to be read or written: it tries again when one has changed.
    File,
    /// Something to happen to any of several files: likewise, but a handler that runs meanwhile ends it.
    Poll,
    /// A child to end: likewise.
    Child,
    /// One of these signals, which it then takes itself: likewise.
    Signal(u64),
    /// Time or a signal only.
    Time,
}

impl Wait {
    /// True if the thread makes its system call again once the wait is over.
    pub const fn tries_again(self) -> bool {
        matches!(self, Self::File | Self::Poll | Self::Child | Self::Signal(_))
    }
}

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It can go on.
    Runnable,
    /// It waits, until a moment of the monotonic clock at the latest.
    Waiting {
        /// For what.
        wait: Wait,
        /// Nanoseconds.
        deadline: Option<u64>,
    },
}

/// A thread.
pub struct Thread {
    /// Its identifier.
    pub id: ThreadId,
    /// Its registers; of the running thread, whatever the hart had before it.
    pub context: Box<Hart>,
    /// What it does; [`Threads`](crate::threads::Threads) sets it.
    pub(crate) state: State,
    /// Word to clear, and futex to wake, when it exits (`set_tid_address`).
    pub clear_on_exit: u64,
    /// Signals it blocks, bit `n - 1` for signal `n`.
    pub blocked: u64,
    /// Mask to restore once a handler has run (`rt_sigsuspend`, `ppoll`).
    pub saved_mask: Option<u64>,
    /// Signals sent to it and not yet delivered.
    pub pending: Pending,
    /// What it waited for may have come: its system call is made before a signal's handler runs.
    pub completes: bool,
    /// The wait that a signal has interrupted.
    pub interrupted: Option<Wait>,
    /// Alternate signal stack: base and size; size 0 for none.
    pub alternate_stack: (u64, u64),
    /// Bytes that a write to a pipe has written, before it waits to write the rest.
    pub written: u64,
    /// The end of a named pipe that it opens, while it waits for the other.
    pub opening: Option<(PipeFile, Object)>,
    /// Deadline of a system call that is tried again.
    pub retry_deadline: Option<u64>,
    /// Its restartable-sequence area (`rseq`), 0 for none.
    pub restartable: u64,
    /// Name, as `prctl` sets it.
    pub name: [u8; 16],
    /// The hart it is on.
    pub hart: usize,
}

impl Thread {
    /// What it does.
    pub const fn state(&self) -> State {
        self.state
    }

    /// True if a signal ends its wait: one that it does not block, or waits for.
    pub const fn accepts(&self, signal: Signal) -> bool {
        let waits =
            matches!(self.state, State::Waiting { wait: Wait::Signal(set), .. } if set & signal.bit() != 0);
        waits || self.blocked & signal.bit() == 0
    }

    /// A thread that can go on.
    pub fn new(id: ThreadId, context: Hart) -> Self {
        Self {
            id,
            context: Box::new(context),
            state: State::Runnable,
            clear_on_exit: 0,
            blocked: 0,
            saved_mask: None,
            pending: Pending::EMPTY,
            completes: false,
            interrupted: None,
            alternate_stack: (0, 0),
            written: 0,
            opening: None,
            retry_deadline: None,
            restartable: 0,
            name: [0; 16],
            hart: 0,
        }
    }
}
