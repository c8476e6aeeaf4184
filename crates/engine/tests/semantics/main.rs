//! What instructions do: the interpreter against the plain evaluator of the same descriptions, and
//! both against an oracle that shares nothing with them.

#[path = "../guest/mod.rs"]
mod guest;
#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../tier/interpreter.rs"]
mod tier;

mod compare_and_swap;
mod compressed;
mod computational;
mod custom;
mod evaluated;
mod fallback;
mod idioms;
mod operands;
mod programs;
mod reference;
mod single;

use engine::Program;
use isa::{Instructions, Xlen};

/// Both widths.
const WIDTHS: [Xlen; 2] = [Xlen::Rv32, Xlen::Rv64];

/// A program that may use every built instruction.
fn everything(xlen: Xlen) -> Program {
    let all = Instructions::all(xlen).expect("the built-in descriptions are sound");
    guest::program(&all.isa().to_string())
}
