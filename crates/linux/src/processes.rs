//! The processes of a run. One has the machine's memory and registers; the others are parked, with their own memory and
//! translated code, until it is their turn.

mod change;
mod run;
mod turns;

use std::ops::Range;
use std::rc::Rc;

use hart::elf::Executable;
use hart::{Hart, Memory};
use isa::Isa;

use crate::exec;
use crate::executable::ExecutableFile;
use crate::files::Files;
use crate::image::{Entry, Image, ImageError};
use crate::kin::Account;
use crate::options::{Ending, Options};
use crate::process::Process;
use crate::random::Random;
use crate::relation::ProcessId;
use crate::shared::Shared;
use crate::space::{AddressSpace, Budget};

/// A process, and those that it starts.
pub struct Processes {
    /// The one that runs.
    pub(crate) current: Process,
    pub(crate) shared: Shared,
    /// Of the program that the first process began with.
    entry: Entry,
    /// Its name.
    first_program: Vec<u8>,
    /// How the run ended, if it has.
    ended: Option<Ending>,
    /// What a hart is like before a program's first instruction.
    blank: Option<Box<Hart>>,
}

impl Processes {
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
        let budget = Rc::new(Budget::new(options.memory_bytes));
        let space = AddressSpace::new(isa.xlen(), &budget);
        let mut random = Random::new(options.seed);
        let name = options.arguments.first().cloned().unwrap_or_default();
        let given = (options.arguments.as_slice(), options.environment.as_slice());
        let image = exec::map(program, isa, space, &options, given, random.bytes())?;
        let Image { space, memory, entry, .. } = image;
        let file = ExecutableFile::of_host(&files, &name, program.file);
        let mut current = Process::new(isa, space, entry.signal_return, files, &name);
        current.executable = file;
        let shared = Shared::new(options, random, ProcessId::FIRST.0 + 1);
        Ok((Self { current, shared, entry, first_program: name, ended: None, blank: None }, memory))
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

    /// True if the first process executes another program than it began with.
    pub fn runs_another(&self) -> bool {
        self.first_program != self.current.program
    }

    /// Paths that could not be opened because the process was given no root directory: some, in order.
    pub fn unopened(&self) -> impl Iterator<Item = &[u8]> {
        self.shared.unopened.iter().map(Vec::as_slice)
    }

    /// From now on the process may start no others; `follower`, which the user is told of then, follows one only.
    pub const fn stay_alone(&mut self, follower: &'static str) {
        self.shared.kin.alone = Some(follower);
    }

    /// What each process did, in the order of their numbers, once there was more than one.
    pub fn accounts(&self) -> Vec<Account> {
        let kin = &self.shared.kin;
        if kin.accounts.is_empty() && kin.parked.is_empty() {
            return Vec::new();
        }
        let parked = kin.parked.values().map(|parked| &parked.process);
        let living = parked.chain([&self.current]).map(|process| {
            let ending = self.ended.clone().filter(|_| process.id == ProcessId::FIRST);
            Account::of(process, ending)
        });
        let mut all: Vec<Account> = kin.accounts.iter().cloned().chain(living).collect();
        all.sort_by_key(|account| account.id);
        all
    }
}
