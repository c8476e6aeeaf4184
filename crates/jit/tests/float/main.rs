//! The interpreter's `float` tests, with everything compiled that can be.

#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../tier/compiler.rs"]
mod tier;

#[path = "../../../engine/tests/float/instructions.rs"]
mod instructions;
#[path = "../../../engine/tests/float/load_store.rs"]
mod load_store;
#[path = "../../../engine/tests/float/rules.rs"]
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
