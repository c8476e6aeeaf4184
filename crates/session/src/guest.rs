//! A guest: a bare machine, or a process on one.

use std::ops::Range;
use std::path::Path;

use engine::{Limits, Machine, Observer, Program, Stop};
use hart::elf::Executable;
use hart::{Address, Hart, Htif};
use linux::{Account, Ending, Files, Processes, Semihosting, Streams, ThreadId};

use crate::environment::Environment;
use crate::failure::Failure;

/// Addresses from which on a program without HTIF is taken for one of a bare machine: RISC-V boards have
/// their memory there, and no linker puts a process there.
const BARE_METAL: u64 = 0x8000_0000;
/// Bytes of the first thread's stack.
const STACK: u64 = 8 << 20;
/// Guest memory unless told otherwise, in bytes: of a bare machine, and of a process, which gets as much
/// as it asks for up to this bound.
const BARE_MEMORY: u64 = 128 << 20;
const PROCESS_MEMORY: u64 = 4 << 30;
/// Calls of semihosting between two questions whether to go on.
const TICK: u64 = 256;
/// The only thread of a bare machine.
const HART: ThreadId = ThreadId(1);

/// A guest.
pub struct Guest<'p> {
    /// The machine it runs on.
    pub machine: Machine<'p>,
    process: Option<Processes>,
    /// What a bare machine's program can ask the host for.
    semihosting: Option<Box<Semihosting>>,
    program: &'p Program,
}

impl<'p> Guest<'p> {
    /// Loads a program.
    ///
    /// # Errors
    /// [`Failure`] if it does not fit, or its root directory cannot be had.
    pub fn new(
        executable: &Executable<'_>,
        program: &'p Program,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let lowest = executable.segments.iter().map(|segment| segment.address).min().unwrap_or(0);
        let bare = executable.symbol("tohost").is_some() || lowest >= BARE_METAL;
        let mut guest = if environment.linux.unwrap_or(!bare) {
            Self::load_process(executable, program, environment)?
        } else {
            Self::load_bare(executable, program, environment)?
        };
        if let Some(vlen) = program.isa().vlen_of_hart(environment.vlen)? {
            guest.machine.hart.vector.set_vlen(vlen);
        }
        guest.machine.hart.vector.set_fill(environment.fill);
        if environment.jit {
            guest.machine.set_compiler(Box::new(jit::Jit::new()));
        }
        Ok(guest)
    }

    /// A bare machine that is ready to run, without semihosting.
    pub const fn bare(program: &'p Program, machine: Machine<'p>) -> Self {
        Self { machine, process: None, semihosting: None, program }
    }

    fn load_bare(
        executable: &Executable<'_>,
        program: &'p Program,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let mut memory = executable.load(environment.memory_bytes.unwrap_or(BARE_MEMORY))?;
        let word = |name| executable.symbol(name).map(Address);
        let tohost = word("tohost");
        if let Some(tohost) = tohost {
            memory.set_tohost(tohost);
        }
        if let Some(mailbox) = environment.mailbox {
            memory.set_mailbox(Address(mailbox));
        }
        let htif = Htif::new(tohost, word("fromhost"));
        let machine = Machine::new(program, memory, Address(executable.entry), htif);
        let Environment { root, writable, arguments, time, seed, .. } = environment;
        let semihosting = Semihosting::new(root.as_deref(), *writable, arguments, *time, *seed);
        let semihosting = semihosting.map_err(|error| unusable(root.as_deref(), &error))?;
        Ok(Self { semihosting: Some(Box::new(semihosting)), ..Self::bare(program, machine) })
    }

    fn load_process(
        executable: &Executable<'_>,
        program: &'p Program,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let root = environment.root.as_deref();
        let files = Files::new(root, environment.writable).map_err(|error| unusable(root, &error))?;
        let options = linux::Options {
            arguments: environment.arguments.clone(),
            environment: environment.variables.clone(),
            memory_bytes: environment.memory_bytes.unwrap_or(PROCESS_MEMORY),
            stack_bytes: STACK,
            most_processes: environment.most_processes,
            vlen: program.isa().vlen_of_hart(environment.vlen)?,
            time: environment.time,
            seed: environment.seed,
            strace: environment.strace,
            startup: environment.startup,
        };
        let (process, memory) = Processes::new(executable, program.isa(), options, files)?;
        let machine = Machine::new(program, memory, Address(process.entry()), Htif::default());
        Ok(Self { machine, process: Some(process), semihosting: None, program })
    }

    /// Its instructions.
    pub const fn program(&self) -> &'p Program {
        self.program
    }

    /// True for a process, false for a bare machine.
    pub const fn is_process(&self) -> bool {
        self.process.is_some()
    }

    /// What the program's own addresses are moved by in memory.
    pub fn base(&self) -> u64 {
        self.process.as_ref().map_or(0, Processes::base)
    }

    /// What its memory has contents in before the first instruction, in the order in which that is put there.
    pub fn loaded<'a>(&'a self, executable: &'a Executable<'_>) -> impl Iterator<Item = Range<u64>> + 'a {
        let base = self.base();
        let at = move |address: u64| base.wrapping_add(address);
        let segments = executable.segments.iter();
        segments
            .map(move |segment| at(segment.address)..at(segment.address.wrapping_add(segment.size)))
            .chain(self.process.as_ref().map(Processes::stack))
    }

    /// Paths that the program could not open because it has no root directory.
    pub fn unopened(&self) -> Vec<String> {
        let of_process = self.process.iter().flat_map(Processes::unopened);
        let paths = of_process.chain(self.semihosting.iter().flat_map(|calls| calls.unopened()));
        paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect()
    }

    /// The address of a symbol in memory.
    ///
    /// # Errors
    /// [`Failure`] if there is none of this name.
    pub fn symbol(&self, executable: &Executable<'_>, name: &str) -> Result<Address, Failure> {
        let address = executable.symbol(name).map(|address| Address(address.wrapping_add(self.base())));
        address.ok_or_else(|| Failure::Other(format!("the ELF file has no symbol '{name}'")))
    }

    /// From now on a process may start no others: `follower` follows one only, as the user is told then.
    pub const fn stay_alone(&mut self, follower: &'static str) {
        if let Some(process) = &mut self.process {
            process.stay_alone(follower);
        }
    }

    /// True if it executes another program by now than it began with: symbols are not of what is in its memory.
    pub fn runs_another(&self) -> bool {
        self.process.as_ref().is_some_and(Processes::runs_another)
    }

    /// What each process did, if there was more than one.
    pub fn accounts(&self) -> Vec<Account> {
        self.process.as_ref().map_or_else(Vec::new, Processes::accounts)
    }

    /// Runs until something stops it.
    pub fn run<O: Observer>(&mut self, limits: Limits, observer: &mut O, host: &mut dyn Streams) -> Ending {
        match &mut self.process {
            Some(process) => process.run(&mut self.machine, limits, observer, host),
            None => self.run_bare(limits, observer, host),
        }
    }

    fn run_bare<O: Observer>(&mut self, limits: Limits, observer: &mut O, host: &mut dyn Streams) -> Ending {
        let mut calls: u64 = 0;
        loop {
            match (self.machine.run(limits, observer, host), &mut self.semihosting) {
                // Nobody else runs.
                (Stop::Turn, _) => {}
                (Stop::Semihosting(_), Some(semihosting)) => {
                    if let Some(status) = semihosting.call(&mut self.machine.system, host) {
                        return Ending::Exit(status);
                    }
                    calls += 1;
                    if calls.is_multiple_of(TICK) && !host.keep_going() {
                        return Ending::Interrupted;
                    }
                }
                (stop, _) => return stop.into(),
            }
        }
    }

    /// Its threads, of a process none before it first runs; of a bare machine one, the hart.
    pub fn threads(&self) -> Vec<ThreadId> {
        self.process.as_ref().map_or_else(|| vec![HART], |process| process.threads().collect())
    }

    /// The thread that runs.
    pub fn running(&self) -> ThreadId {
        self.process.as_ref().and_then(Processes::running).unwrap_or(HART)
    }

    /// What a thread does, for people.
    pub fn describe_thread(&self, thread: ThreadId) -> Option<String> {
        self.process.as_ref()?.describe_thread(thread)
    }

    /// Where a thread goes on.
    pub fn thread_pc(&self, thread: ThreadId) -> Option<u64> {
        match &self.process {
            Some(process) => process.thread_pc(&self.machine.hart, thread),
            None => Some(self.machine.hart.pc().0),
        }
    }

    /// Lets `look` have the hart with the registers of a thread.
    pub fn with_thread<T>(&mut self, thread: ThreadId, look: impl FnOnce(&mut Hart) -> T) -> Option<T> {
        match &mut self.process {
            Some(process) => process.with_thread(&mut self.machine.system, thread, look),
            None => Some(look(&mut self.machine.hart)),
        }
    }
}

fn unusable(root: Option<&Path>, error: &std::io::Error) -> Failure {
    let root = root.map_or_else(String::new, |root| root.display().to_string());
    Failure::Other(format!("the root directory {root}: {error}"))
}
