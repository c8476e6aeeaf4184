//! The interpreter's `vector_arithmetic` tests, with everything compiled that can be.

#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../tier/at_once.rs"]
mod tier;

#[path = "../../../engine/tests/vector_arithmetic/carries.rs"]
mod carries;
#[path = "../../../engine/tests/vector_arithmetic/compress.rs"]
mod compress;
#[path = "../../../engine/tests/vector_arithmetic/division.rs"]
mod division;
#[path = "../../../engine/tests/vector_arithmetic/floats.rs"]
mod floats;
#[path = "../../../engine/tests/vector_arithmetic/longest.rs"]
mod longest;
#[path = "../../../engine/tests/vector_arithmetic/model/mod.rs"]
mod model;
#[path = "../../../engine/tests/vector_arithmetic/random.rs"]
mod random;
#[path = "../../../engine/tests/vector_arithmetic/rules.rs"]
mod rules;
#[path = "../../../engine/tests/vector_arithmetic/run.rs"]
mod run;
#[path = "../../../engine/tests/vector_arithmetic/saturation.rs"]
mod saturation;
#[path = "../../../engine/tests/vector_arithmetic/tails.rs"]
mod tails;

/// ISAs and the vector register lengths they are tried with.
const HARTS: [(&str, &[usize]); 2] = [("rv64gcv", &[128, 256, 512]), ("rv32gcv", &[128, 256])];
/// How often each instruction is tried with each.
const CASES: u32 = 8;
