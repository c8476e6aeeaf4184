//! The interpreter's `vector_floats` tests, with everything compiled that can be.

#[path = "../../../engine/tests/vector_floats/compared.rs"]
mod compared;
#[path = "../../../engine/tests/vector_floats/flags.rs"]
mod flags;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../../../engine/tests/vector_floats/law.rs"]
mod law;
#[path = "../../../engine/tests/vector_floats/machine.rs"]
mod machine;
#[path = "../../../engine/tests/vector_floats/masks.rs"]
mod masks;
#[path = "../../../engine/tests/vector_floats/numbers.rs"]
mod numbers;
#[path = "../tier/at_once.rs"]
mod tier;

/// How often each instruction is tried.
const CASES: u32 = 48;
