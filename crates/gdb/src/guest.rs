//! The guest that is debugged: a bare machine, or a process on one.

use std::num::NonZeroUsize;

use gdbstub::common::Tid;
use hart::{Blind, Hart, Host, Limits, Machine, Observer, Stop};
use isa::{Isa, Xlen};
use linux::{Ending, Process, ThreadId};

/// gdb's number for the only thread of a bare machine.
const HART: Tid = Tid::MIN;

fn tid(thread: ThreadId) -> Option<Tid> {
    NonZeroUsize::new(thread.0 as usize)
}

fn thread(tid: Tid) -> Option<ThreadId> {
    u32::try_from(tid.get()).ok().map(ThreadId)
}

/// A guest.
pub struct Guest<'a, 'p> {
    /// The machine it runs on.
    pub machine: &'a mut Machine<'p>,
    /// The process, if it is one.
    pub process: Option<&'a mut Process>,
    /// Its instructions and registers.
    pub isa: &'a Isa,
}

/// Why a guest has halted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// A bare machine.
    Bare(Stop),
    /// A process.
    Process(Ending),
}

impl Guest<'_, '_> {
    /// Brings it where its first instruction is next, with the registers that one sees.
    pub(crate) fn prepare(&mut self, host: &mut dyn Host) {
        if let Some(process) = &mut self.process {
            process.run(self.machine, Limits { instructions: Some(0) }, &mut Blind, host);
        }
    }

    /// Runs it until something stops it.
    pub(crate) fn run<O: Observer>(&mut self, limits: Limits, observer: &mut O, host: &mut dyn Host) -> Halt {
        match &mut self.process {
            Some(process) => Halt::Process(process.run(self.machine, limits, observer, host)),
            None => Halt::Bare(self.machine.run(limits, observer, host)),
        }
    }

    /// How it has halted if the host wants the run to end.
    pub(crate) const fn interrupted(&self) -> Halt {
        match self.process {
            Some(_) => Halt::Process(Ending::Interrupted),
            None => Halt::Bare(Stop::Interrupted),
        }
    }

    /// The hart.
    pub(crate) const fn hart(&self) -> &Hart {
        &self.machine.hart
    }

    /// Its threads; of a bare machine one, the hart.
    pub(crate) fn threads(&self) -> Vec<Tid> {
        match &self.process {
            Some(process) => process.threads().filter_map(tid).collect(),
            None => vec![HART],
        }
    }

    /// The thread that runs.
    pub(crate) fn running(&self) -> Tid {
        self.process.as_ref().and_then(|process| process.running()).and_then(tid).unwrap_or(HART)
    }

    /// What a thread does, for people.
    pub(crate) fn describe_thread(&self, tid: Tid) -> Option<String> {
        self.process.as_ref()?.describe_thread(thread(tid)?)
    }

    /// Where a thread goes on.
    pub(crate) fn thread_pc(&self, tid: Tid) -> Option<u64> {
        match &self.process {
            Some(process) => process.thread_pc(&self.machine.hart, thread(tid)?),
            None => Some(self.hart().pc().0),
        }
    }

    /// Lets `look` have the hart with the registers of a thread.
    pub(crate) fn with_thread<T>(&mut self, tid: Tid, look: impl FnOnce(&mut Hart) -> T) -> Option<T> {
        let hart = &mut self.machine.hart;
        match &mut self.process {
            Some(process) => process.with_thread(hart, thread(tid)?, look),
            None => Some(look(hart)),
        }
    }

    /// What the program's own addresses are moved by.
    pub(crate) fn base(&self) -> u64 {
        self.process.as_ref().map_or(0, |process| process.base())
    }

    /// An address as the hart sees it.
    pub(crate) const fn address(&self, address: u64) -> u64 {
        match self.isa.xlen() {
            Xlen::Rv32 => address & 0xffff_ffff,
            Xlen::Rv64 => address,
        }
    }
}
