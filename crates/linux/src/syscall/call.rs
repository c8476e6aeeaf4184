//! A system call being carried out, and what it leads to.

use hart::{Hart, Memory};
use isa::Xlen;

use crate::clock::TimeSource;
use crate::errno::Errno;
use crate::process::Process;
use crate::relation::ProcessId;
use crate::shared::Shared;
use crate::streams::Streams;
use crate::thread::Wait;

/// What a system call leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// It returns this.
    Return(u64),
    /// The thread waits; it then returns 0, or what ends the wait says. Until a moment of the monotonic
    /// clock at the latest.
    Suspend(Wait, Option<u64>),
    /// The thread waits, and makes the call again; until a moment of the monotonic clock at the latest.
    Retry(Wait, Option<u64>),
    /// Registers are as they should be.
    Resume,
    /// The thread exits.
    ExitThread(u8),
    /// The process exits.
    ExitProcess(u8),
    /// It returns the number of a new process.
    Fork {
        /// Which.
        child: ProcessId,
        /// It has this one's memory until it executes a program or ends (`vfork`).
        lends: bool,
    },
    /// The process executes the program that it has made ready.
    Exec,
}

/// A system call being carried out.
pub struct Call<'a> {
    /// The process.
    pub process: &'a mut Process,
    /// What it shares with others, and these.
    pub shared: &'a mut Shared,
    /// The hart, with the calling thread's registers.
    pub hart: &'a mut Hart,
    /// Its memory.
    pub memory: &'a mut Memory,
    /// The host.
    pub host: &'a mut dyn Streams,
    /// Arguments, as the registers hold them.
    pub arguments: [u64; 6],
}

impl Call<'_> {
    /// An argument that is a C `int`.
    pub const fn int(&self, index: usize) -> i32 {
        self.arguments[index] as i32
    }

    /// A 64-bit argument that a 32-bit process passes in two registers, low half first.
    pub const fn wide(&self, index: usize) -> u64 {
        match self.process.xlen {
            Xlen::Rv32 => self.arguments[index] & 0xffff_ffff | self.arguments[index + 1] << 32,
            Xlen::Rv64 => self.arguments[index],
        }
    }

    /// Tells the user something, but not twice.
    pub fn tell_once(&mut self, text: &str) {
        self.shared.tell_once(self.host, text);
    }

    /// Lets everyone who waits for a file try again.
    pub fn files_changed(&mut self) {
        self.process.threads.wake_watching();
        self.shared.kin.files_changed = true;
    }

    /// A living process.
    pub fn process_mut(&mut self, id: ProcessId) -> Option<&mut Process> {
        if self.process.id == id {
            return Some(self.process);
        }
        self.shared.kin.parked.get_mut(&id).map(|parked| &mut parked.process)
    }

    /// True if a process has ended and its parent does not know yet.
    pub fn is_zombie(&self, id: ProcessId) -> bool {
        let parked = self.shared.kin.parked.values().map(|parked| &parked.process);
        let mut zombies = parked.chain([&*self.process]).flat_map(|process| &process.zombies);
        zombies.any(|zombie| zombie.id == id)
    }

    /// Nanoseconds that the process has used: one an instruction, or all that have passed if the host tells the time.
    pub fn used(&self) -> u64 {
        match self.shared.options.time {
            TimeSource::Instructions => {
                self.process.instructions + (self.hart.retired() - self.shared.kin.since)
            }
            TimeSource::Host => self.now(),
        }
    }

    /// Nanoseconds since the process started.
    pub fn now(&self) -> u64 {
        self.shared.clock.monotonic(self.hart.retired())
    }
}

/// Carries out a system call.
pub type Handler = fn(&mut Call<'_>) -> Result<Reply, Errno>;
