//! The interpreter's `semantics` tests, with everything compiled that can be.

#[path = "../../../hart/tests/guest/mod.rs"]
mod guest;
#[path = "../../../hart/tests/oracle/mod.rs"]
mod oracle;
#[path = "../tier/compiler.rs"]
mod tier;

#[path = "../../../hart/tests/semantics/compressed.rs"]
mod compressed;
#[path = "../../../hart/tests/semantics/computational.rs"]
mod computational;
#[path = "../../../hart/tests/semantics/custom.rs"]
mod custom;
#[path = "../../../hart/tests/semantics/evaluated.rs"]
mod evaluated;
#[path = "../../../hart/tests/semantics/idioms.rs"]
mod idioms;
#[path = "../../../hart/tests/semantics/operands.rs"]
mod operands;
#[path = "../../../hart/tests/semantics/programs.rs"]
mod programs;
#[path = "../../../hart/tests/semantics/reference.rs"]
mod reference;
#[path = "../../../hart/tests/semantics/single.rs"]
mod single;

use hart::Program;
use isa::{Instructions, Xlen};

/// Both widths.
const WIDTHS: [Xlen; 2] = [Xlen::Rv32, Xlen::Rv64];

/// A program that may use every built instruction.
fn everything(xlen: Xlen) -> Program {
    let all = Instructions::all(xlen).expect("the built-in descriptions are sound");
    guest::program(&all.isa().to_string())
}
