//! What a guest is given.

use std::path::PathBuf;

use engine::Program;
use hart::AgnosticFill;
use hart::elf::Executable;
use isa::{Descriptions, Instructions, InstructionsError, Isa, IsaError};
use linux::{Startup, TimeSource};

use crate::failure::Failure;

/// What a guest is given.
#[derive(Clone)]
pub struct Environment {
    /// Its instructions; `None` for those that the file names.
    pub isa: Option<String>,
    /// Bits of a vector register; `None` for what the ISA says.
    pub vlen: Option<u32>,
    /// What agnostic vector elements become.
    pub fill: AgnosticFill,
    /// Files with instructions of the user's own.
    pub extensions: Vec<String>,
    /// Most bytes of memory; `None` for what suits the kind of guest.
    pub memory_bytes: Option<u64>,
    /// Of a bare machine: the address of the device that benches of RTL have for the console and the status of the end
    /// (`bench.h`), beside the host-target interface.
    pub mailbox: Option<u64>,
    /// Whether it is a process; `None` to tell from the file.
    pub linux: Option<bool>,
    /// A process's name and arguments.
    pub arguments: Vec<Vec<u8>>,
    /// Its environment, as `NAME=value`.
    pub variables: Vec<Vec<u8>>,
    /// The folder it sees as `/`; without one it has no files.
    pub root: Option<PathBuf>,
    /// Whether it may write there.
    pub writable: bool,
    /// Where time comes from.
    pub time: TimeSource,
    /// Start of the sequence that stands for randomness; `None` for the host's.
    pub seed: Option<u64>,
    /// Most processes at a time.
    pub most_processes: usize,
    /// Report each system call.
    pub strace: bool,
    /// Whether hot code is compiled.
    pub jit: bool,
    /// Whose conventions a process starts by.
    pub startup: Startup,
}

impl Environment {
    /// The program's instructions: the ISA asked for, else the one the ELF file names, else GC. What an ELF file names
    /// never refuses it.
    ///
    /// # Errors
    /// [`Failure`] if a description or the ISA is wrong, or is not for this file.
    pub fn program(&self, executable: &Executable<'_>) -> Result<Program, Failure> {
        let descriptions = Descriptions::read(&self.extensions).map_err(InstructionsError::from)?;
        let isa = match &self.isa {
            Some(text) => Isa::parse(text, descriptions.extensions()),
            None => {
                let recorded = Isa::recorded(&executable.isa(), descriptions.extensions());
                let usable = recorded.ok().filter(|isa| isa.xlen() == executable.xlen);
                usable.map_or_else(|| Isa::parse(&executable.general_isa(), &[]), Ok)
            }
        };
        let isa = isa.map_err(InstructionsError::from)?;
        let bits = executable.xlen.bits();
        if isa.xlen() != executable.xlen {
            return Err(Failure::Other(format!(
                "the ELF file is for RV{bits}, but the ISA string is {isa}; name an rv{bits} ISA with --isa"
            )));
        }
        Ok(Program::of(Instructions::of(isa, &descriptions)?))
    }

    /// What the user should know of the program's ISA: names that are passed over, in a line each.
    pub fn remarks(&self, program: &Program) -> Vec<String> {
        let isa = program.isa();
        let mut lines = Vec::new();
        let named: Vec<_> = isa.missing().iter().filter_map(IsaError::extension).collect();
        if !named.is_empty() {
            lines.push(format!(
                "note: the file's attributes name {}, which sim does not have; such an instruction is a fault",
                named.join(", ")
            ));
        }
        let idle: Vec<_> = isa.without_effect().collect();
        if self.isa.is_some() && !idle.is_empty() {
            lines.push(format!("note: without effect in sim: {}", idle.join(", ")));
        }
        lines
    }
}
