//! CoreDSL 2 front end: source text in, typed semantic IR out, with diagnostics that point at the
//! fault. Nothing here knows RISC-V beyond what a description says, and nothing here executes
//! instructions except [`eval`], the plain evaluator that every faster engine is tested against.
//!
//! [`Program::load`] reads a description and what it imports from some [`Sources`]; [`elaborate`] turns
//! sets of it, for one XLEN, into an [`ir::Module`]; [`check_overlaps`] tells which instructions of it
//! cannot be told apart.
//!
//! ```
//! use coredsl::{MemorySources, Program, elaborate};
//!
//! let sources = MemorySources::new().with(
//!     "rotate.core_desc",
//!     "InstructionSet XRotate {
//!        architectural_state {
//!          unsigned int XLEN;
//!          register unsigned<XLEN> X[32] [[is_main_reg]];
//!        }
//!        instructions {
//!          ROTATE {
//!            encoding: 7'd0 :: n[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
//!            assembly: \"{name(rd)}, {name(rs1)}, {n}\";
//!            behavior: X[rd] = X[rs1] << n | X[rs1] >> (XLEN - n);
//!          }
//!        }
//!      }",
//! );
//! let program = Program::load("rotate.core_desc", &sources)?;
//! let module = elaborate(&program, &["XRotate"], 64)?;
//! assert_eq!(module.instructions[0].mnemonic, "rotate");
//! # Ok::<(), coredsl::Diagnostics>(())
//! ```

mod ast;
mod diagnostic;
mod elaborate;
pub mod eval;
mod file;
pub mod fold;
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
pub use source::{BUILT_IN, BuiltIn, FileSources, Found, MemorySources, Refused, SourceText, Sources, Span};
