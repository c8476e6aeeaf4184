//! What a guest is given.

use std::path::PathBuf;

use engine::Program;
use hart::AgnosticFill;
use hart::elf::Executable;
use isa::{Descriptions, InstructionsError};
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
    /// Report each system call.
    pub strace: bool,
    /// Whether hot code is compiled.
    pub jit: bool,
    /// Whose conventions a process starts by.
    pub startup: Startup,
}

impl Environment {
    /// The program's instructions: the ISA asked for, else the one the ELF file names, else GC.
    ///
    /// # Errors
    /// [`Failure`] if a description or the ISA is wrong, or is not for this file.
    pub fn program(&self, executable: &Executable<'_>) -> Result<Program, Failure> {
        let isa = self.isa.clone().unwrap_or_else(|| executable.isa());
        let descriptions = Descriptions::read(&self.extensions).map_err(InstructionsError::from)?;
        let program = Program::new(&isa, &descriptions)?;
        let bits = executable.xlen.bits();
        if program.isa().xlen() != executable.xlen {
            return Err(Failure::Other(format!(
                "the ELF file is for RV{bits}, but the ISA string is {isa}; name an rv{bits} ISA with --isa"
            )));
        }
        Ok(program)
    }
}
