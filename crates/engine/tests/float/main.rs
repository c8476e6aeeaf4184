//! The floating-point unit's instructions against the manual.

#[path = "../guest/mod.rs"]
mod guest;
#[path = "../tier/interpreter.rs"]
mod tier;

mod instructions;
mod load_store;
mod rules;

use std::sync::LazyLock;

use engine::Program;

/// Programs with everything that is floating-point, one of each width.
static WIDTHS: [LazyLock<Program>; 2] = [
    LazyLock::new(|| guest::program("rv32ifdc_zfh_zfa")),
    LazyLock::new(|| guest::program("rv64ifdc_zfh_zfa")),
];

/// RV32.
fn narrow() -> &'static Program {
    &WIDTHS[0]
}

/// RV64.
fn wide() -> &'static Program {
    &WIDTHS[1]
}
