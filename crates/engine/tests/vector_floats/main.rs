//! Vectors of floating-point numbers: whatever a hart does with many at once, each element is what it is alone.

mod compared;
mod flags;
#[path = "../guest/mod.rs"]
mod guest;
mod law;
mod machine;
mod masks;
mod numbers;
#[path = "../tier/interpreter.rs"]
mod tier;

/// How often each instruction is tried.
const CASES: u32 = 400;
