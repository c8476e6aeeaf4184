//! A process: its threads taking turns on one hart, and what they share.

mod run;

use std::collections::BTreeSet;
use std::ops::Range;

use engine::Stop;
use engine::observer::Moved;
use hart::elf::Executable;
use hart::pages::Pages;
use hart::{Fault, Memory};
use isa::{Isa, Vlen, Xlen};

use crate::clock::{Clock, TimeSource};
use crate::delivery::most_frame_bytes;
use crate::files::Files;
use crate::harts::Harts;
use crate::image::{self, Entry, ImageError, Start};
use crate::random::Random;
use crate::signal::{Action, Pending, Signal};
use crate::space::AddressSpace;
use crate::stack::Startup;
use crate::thread::{Thread, ThreadId};
use crate::threads::Threads;
use crate::timer::Timer;

/// Identifier of the process, and of its first thread.
pub const PROCESS_ID: u32 = 100;
/// Most threads at a time.
pub const MOST_THREADS: usize = 4096;
/// Most paths that are remembered for not having been there.
const MOST_UNOPENED: usize = 64;
/// System calls and faults between two calls of [`hart::Host::keep_going`].
const TICK: u32 = 64;

/// How a process runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Program name and arguments.
    pub arguments: Vec<Vec<u8>>,
    /// Environment, as `NAME=value`.
    pub environment: Vec<Vec<u8>>,
    /// Most bytes of memory.
    pub memory_bytes: u64,
    /// Bytes of the first thread's stack.
    pub stack_bytes: u64,
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

/// A process.
pub struct Process {
    pub(crate) xlen: Xlen,
    pub(crate) isa: Isa,
    pub(crate) space: AddressSpace,
    pub(crate) threads: Threads,
    /// Index of the running thread.
    pub(crate) current: usize,
    pub(crate) harts: Harts,
    pub(crate) next_thread: u32,
    pub(crate) actions: [Action; 64],
    /// Signals sent to the process that every thread blocks.
    pub(crate) pending: Pending,
    pub(crate) signal_return: u64,
    pub(crate) clock: Clock,
    pub(crate) timers: [Timer; 3],
    pub(crate) random: Random,
    pub(crate) files: Files,
    pub(crate) options: Options,
    /// What the user was told and need not be told again.
    pub(crate) told: BTreeSet<&'static str>,
    /// Paths that could not be opened for want of a root directory.
    unopened: BTreeSet<Vec<u8>>,
    /// System calls reported as unknown.
    pub(crate) unknown: BTreeSet<u64>,
    /// The running thread gives way to the next.
    pub(crate) yielded: bool,
    /// Translated code may be stale.
    pub(crate) code_changed: bool,
    /// What became of registers since the hart ran last.
    pub(crate) moved: Vec<Moved>,
    pub(crate) ended: Option<Ending>,
    entry: Entry,
    /// System calls and faults until the host is asked again.
    ticks: u32,
    /// Those in a row that retired nothing, and how many instructions had retired by then.
    barren: (u64, u64),
}

impl Process {
    /// A process about to execute a program's first instruction, and its memory.
    ///
    /// # Errors
    /// [`ImageError`] if the program does not fit.
    pub fn new(
        program: &Executable<'_>,
        isa: &Isa,
        options: Options,
        files: Files,
    ) -> Result<(Self, Memory), ImageError> {
        let mut space = AddressSpace::new(isa.xlen(), options.memory_bytes);
        let size = space.size();
        let host = |source| ImageError::HostMemory { size, source };
        let mut pages = Pages::new(size).map_err(host)?;
        let mut random = Random::new(options.seed);
        let start = Start {
            arguments: &options.arguments,
            environment: &options.environment,
            random: random.bytes(),
            stack_bytes: options.stack_bytes,
            signal_frame_bytes: most_frame_bytes(isa.xlen(), options.vlen.map_or(0, Vlen::bytes)),
            startup: options.startup,
        };
        let entry = image::load(program, isa, &mut space, &mut pages, &start)?;
        let memory = Memory::paged(pages).map_err(host)?;
        let process = Self {
            xlen: isa.xlen(),
            isa: isa.clone(),
            space,
            threads: Threads::default(),
            current: 0,
            harts: Harts::default(),
            next_thread: PROCESS_ID + 1,
            actions: [Action::default(); 64],
            pending: Pending::default(),
            signal_return: entry.signal_return,
            clock: Clock::new(options.time),
            timers: Default::default(),
            random,
            files,
            options,
            told: BTreeSet::new(),
            unopened: BTreeSet::new(),
            unknown: BTreeSet::new(),
            yielded: false,
            code_changed: false,
            moved: Vec::new(),
            ended: None,
            entry,
            ticks: TICK,
            barren: (0, 0),
        };
        Ok((process, memory))
    }

    /// First instruction.
    pub const fn entry(&self) -> u64 {
        self.entry.pc
    }

    /// Where the first thread's stack has contents.
    pub const fn stack(&self) -> Range<u64> {
        self.entry.sp..self.entry.stack_top
    }

    /// What the program's own addresses are moved by.
    pub const fn base(&self) -> u64 {
        self.entry.base
    }

    /// Paths that could not be opened because the process was given no root directory: some, in order.
    pub fn unopened(&self) -> impl Iterator<Item = &[u8]> {
        self.unopened.iter().map(Vec::as_slice)
    }

    pub(crate) fn remember_unopened(&mut self, path: Vec<u8>) {
        if self.unopened.len() < MOST_UNOPENED {
            self.unopened.insert(path);
        }
    }

    /// The running thread.
    pub(crate) fn thread(&mut self) -> &mut Thread {
        &mut self.threads[self.current]
    }
}
