//! Failures on the host's side.

use std::io;

use hart::elf::ElfError;
use isa::{InstructionsError, VlenError};
use linux::ImageError;
use thiserror::Error;
use timing::MachineError;

/// Why there is no run, or no result of one.
#[derive(Debug, Error)]
pub enum Failure {
    /// A description, or the ISA.
    #[error(transparent)]
    Instructions(#[from] InstructionsError),
    /// The file is not a program that can be loaded.
    #[error(transparent)]
    Elf(#[from] ElfError),
    /// It does not fit into a process.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The hart cannot have vector registers of this length.
    #[error(transparent)]
    Vlen(#[from] VlenError),
    /// The machine has no model.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A file of the host cannot be written.
    #[error("{path}: {error}")]
    Unwritable {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// Anything else, worded for the user.
    #[error("{0}")]
    Other(String),
}
