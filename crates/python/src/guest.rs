//! A guest ready to run: a bare-metal program, or a process.

use std::path::PathBuf;

use gdb::{Halt, Outcome, Server};
use hart::elf::Executable;
use hart::{Address, AgnosticFill, Blind, Fault, Htif, Limits, Machine, Observer, Program, Stop};
use isa::{Descriptions, Isa};
use linux::{Ending, Files, Process, Signal, TimeSource};

use crate::failure::Failure;
use crate::session::Session;

/// Addresses from which on a program without HTIF is taken for one of a bare machine: RISC-V boards have
/// their memory there, and no linker puts a process there.
const BARE_METAL: u64 = 0x8000_0000;
/// Bytes of the first thread's stack.
const STACK: u64 = 8 << 20;

/// What a guest is given.
#[derive(Clone)]
pub struct Environment {
    pub isa: Option<String>,
    pub vlen: Option<u32>,
    pub fill: AgnosticFill,
    pub extensions: Vec<String>,
    /// Most bytes of memory; `None` for what suits the kind of guest.
    pub memory_bytes: Option<u64>,
    /// Whether it is a process; `None` to tell from the file.
    pub linux: Option<bool>,
    pub arguments: Vec<Vec<u8>>,
    pub variables: Vec<Vec<u8>>,
    pub root: Option<PathBuf>,
    pub writable: bool,
    pub time: TimeSource,
    pub seed: Option<u64>,
    pub strace: bool,
    /// Whether hot code is compiled.
    pub jit: bool,
}

/// Guest memory unless told otherwise, in bytes: of a bare machine, and of a process, which gets as much
/// as it asks for up to this bound.
const BARE_MEMORY: u64 = 128 << 20;
const PROCESS_MEMORY: u64 = 4 << 30;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    Exit(u64),
    Fault(Fault),
    /// Number and name of the signal.
    Signal(u8, Option<&'static str>),
    /// Each thread: identifier, program counter, futex.
    Deadlock(Vec<(u32, u64, Option<u64>)>),
    InstructionLimit,
    Interrupted,
    /// An observer has seen what it waited for.
    Observed,
}

/// A guest.
pub struct Guest<'p> {
    /// The machine it runs on.
    pub machine: Machine<'p>,
    process: Option<Process>,
}

/// The program's instructions: the ISA asked for, else the one the ELF file names, else GC.
pub fn program(executable: &Executable<'_>, environment: &Environment) -> Result<Program, Failure> {
    let isa = environment.isa.clone().unwrap_or_else(|| executable.isa());
    let descriptions =
        Descriptions::read(&environment.extensions).map_err(|faults| Failure(faults.render(false)))?;
    let program = Program::new(&isa, &descriptions)?;
    if program.isa().xlen() != executable.xlen {
        return Err(Failure(format!(
            "the ELF file is for RV{}, but the ISA string is {isa}; name an rv{} ISA with --isa",
            executable.xlen.bits(),
            executable.xlen.bits(),
        )));
    }
    Ok(program)
}

impl<'p> Guest<'p> {
    /// Loads a program.
    pub fn new(
        executable: &Executable<'_>,
        program: &'p Program,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let lowest = executable.segments.iter().map(|segment| segment.address).min().unwrap_or(0);
        let bare = executable.symbol("tohost").is_some() || lowest >= BARE_METAL;
        let mut guest = if environment.linux.unwrap_or(!bare) {
            Self::process(executable, program, environment)?
        } else {
            Self::bare(executable, program, environment)?
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

    fn bare(
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
        let htif = Htif::new(tohost, word("fromhost"));
        let machine = Machine::new(program, memory, Address(executable.entry), htif);
        Ok(Self { machine, process: None })
    }

    fn process(
        executable: &Executable<'_>,
        program: &'p Program,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let root = environment.root.as_deref();
        let files = Files::new(root, environment.writable).map_err(|error| {
            let root = root.map_or_else(String::new, |root| root.display().to_string());
            Failure(format!("the root directory {root}: {error}"))
        })?;
        let options = linux::Options {
            arguments: environment.arguments.clone(),
            environment: environment.variables.clone(),
            memory_bytes: environment.memory_bytes.unwrap_or(PROCESS_MEMORY),
            stack_bytes: STACK,
            vlen: program.isa().vlen_of_hart(environment.vlen)?,
            time: environment.time,
            seed: environment.seed,
            strace: environment.strace,
        };
        let (process, memory) = Process::new(executable, program.isa(), options, files)?;
        let machine = Machine::new(program, memory, Address(process.entry()), Htif::default());
        Ok(Self { machine, process: Some(process) })
    }

    /// What the program's own addresses are moved by in memory.
    pub fn base(&self) -> u64 {
        self.process.as_ref().map_or(0, Process::base)
    }

    /// Paths that the program could not open because it has no root directory.
    pub fn unopened(&self) -> Vec<String> {
        let paths = self.process.iter().flat_map(Process::unopened);
        paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect()
    }

    /// Runs until something stops it.
    pub fn run<O: Observer>(&mut self, limits: Limits, observer: &mut O, session: &mut Session) -> Ended {
        match &mut self.process {
            Some(process) => process.run(&mut self.machine, limits, observer, session).into(),
            None => self.machine.run(limits, observer, session).into(),
        }
    }

    /// Runs under gdb; what gdb leaves to itself runs on.
    pub fn debug(
        &mut self,
        server: Server,
        isa: &Isa,
        limits: Limits,
        session: &mut Session,
    ) -> Result<Ended, Failure> {
        let guest = gdb::Guest { machine: &mut self.machine, process: self.process.as_mut(), isa };
        Ok(match server.debug(guest, limits, session)? {
            Outcome::Ended(Halt::Bare(stop)) => stop.into(),
            Outcome::Ended(Halt::Process(ending)) => ending.into(),
            Outcome::Killed => Ending::Killed(Signal::SIGKILL).into(),
            Outcome::Detached => self.run(limits, &mut Blind, session),
        })
    }
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Exit(status) => Self::Exit(status),
            Stop::Fault(fault) => Self::Fault(fault),
            Stop::InstructionLimit => Self::InstructionLimit,
            Stop::Interrupted => Self::Interrupted,
            Stop::Observed => Self::Observed,
        }
    }
}

impl From<Ending> for Ended {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Exit(status) => Self::Exit(status.into()),
            Ending::Killed(signal) => Self::Signal(signal.0, signal.name()),
            Ending::Fault(fault) => Self::Fault(fault),
            Ending::Deadlock(threads) => {
                Self::Deadlock(threads.into_iter().map(|(thread, pc, futex)| (thread.0, pc, futex)).collect())
            }
            Ending::InstructionLimit => Self::InstructionLimit,
            Ending::Interrupted => Self::Interrupted,
            Ending::Observed => Self::Observed,
        }
    }
}
