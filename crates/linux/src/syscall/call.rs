//! A system call being carried out, and what it leads to.

use hart::{Hart, Memory};
use isa::Xlen;

use crate::errno::Errno;
use crate::process::Process;
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
}

/// A system call being carried out.
pub struct Call<'a> {
    /// The process.
    pub process: &'a mut Process,
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
    pub fn tell_once(&mut self, text: &'static str) {
        if self.process.told.insert(text) {
            self.host.message(text);
        }
    }

    /// Nanoseconds since the process started.
    pub fn now(&self) -> u64 {
        self.process.clock.monotonic(self.hart.retired())
    }
}

/// Carries out a system call.
pub type Handler = fn(&mut Call<'_>) -> Result<Reply, Errno>;
