//! CoreDSL 2 front end: source text in, typed semantic IR out, with diagnostics that point at the
//! fault. Nothing here knows RISC-V beyond what a description says, and nothing here executes
//! instructions except [`eval`], the plain evaluator that every faster engine is tested against.
//!
//! [`Program::load`] reads a description and what it imports from some [`Sources`]; [`elaborate`] turns
//! sets of it, for one XLEN, into an [`ir::Module`]; [`check_overlaps`] tells which instructions of it
//! cannot be told apart.

mod ast;
mod diagnostic;
mod elaborate;
pub mod eval;
mod fold;
pub mod ir;
mod lexer;
mod literal;
mod overlap;
mod parser;
pub mod print;
mod program;
mod source;
mod value;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use elaborate::elaborate;
pub use overlap::{Overlap, check_overlaps};
pub use program::{Program, SetInfo};
pub use source::{FileSources, MemorySources, SourceText, Sources, Span};
