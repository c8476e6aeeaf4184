//! Instructions carried out by a unit of their own, vector or floating-point: what the semantic IR
//! cannot express, behind one narrow call. Unlike the natives of [`crate::native`] they fall through to
//! the next instruction, so that they stand in the middle of a block.

use crate::fault::Exception;
use crate::hart::Hart;

/// Executes the instruction with this word.
///
/// # Errors
/// What keeps it from retiring. Guest state is then as the specification has it at the trap.
pub type Body = fn(&mut Hart, u32) -> Result<(), Trap>;

/// Why an instruction of a unit does not retire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    /// A reserved encoding or a state it may not execute in: an illegal instruction, by this rule of
    /// the specification.
    Illegal(&'static str),
    /// Another exception.
    Raised(Exception),
}

impl From<Exception> for Trap {
    fn from(exception: Exception) -> Self {
        Self::Raised(exception)
    }
}
