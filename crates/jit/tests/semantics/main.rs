//! The interpreter's `semantics` tests, with everything compiled that can be.

#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../../../engine/tests/oracle/mod.rs"]
mod oracle;
#[path = "../tier/compiler.rs"]
mod tier;

#[path = "../../../engine/tests/semantics/compressed.rs"]
mod compressed;
#[path = "../../../engine/tests/semantics/computational.rs"]
mod computational;
#[path = "../../../engine/tests/semantics/custom.rs"]
mod custom;
#[path = "../../../engine/tests/semantics/evaluated.rs"]
mod evaluated;
#[path = "../../../engine/tests/semantics/idioms.rs"]
mod idioms;
#[path = "../../../engine/tests/semantics/operands.rs"]
mod operands;
#[path = "../../../engine/tests/semantics/programs.rs"]
mod programs;
#[path = "../../../engine/tests/semantics/reference.rs"]
mod reference;
#[path = "../../../engine/tests/semantics/single.rs"]
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
