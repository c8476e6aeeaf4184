//! The interpreter's `vector_memory` tests, with everything compiled that can be.

#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../tier/compiler.rs"]
mod tier;

#[path = "../../../engine/tests/vector_memory/configuration.rs"]
mod configuration;
#[path = "../../../engine/tests/vector_memory/csrs.rs"]
mod csrs;
#[path = "../../../engine/tests/vector_memory/faults.rs"]
mod faults;
#[path = "../../../engine/tests/vector_memory/first.rs"]
mod first;
#[path = "../../../engine/tests/vector_memory/hart.rs"]
mod hart;
#[path = "../../../engine/tests/vector_memory/indexed.rs"]
mod indexed;
#[path = "../../../engine/tests/vector_memory/policies.rs"]
mod policies;
#[path = "../../../engine/tests/vector_memory/rules.rs"]
mod rules;
#[path = "../../../engine/tests/vector_memory/segment.rs"]
mod segment;
#[path = "../../../engine/tests/vector_memory/strided.rs"]
mod strided;
#[path = "../../../engine/tests/vector_memory/unit_stride.rs"]
mod unit_stride;
#[path = "../../../engine/tests/vector_memory/whole.rs"]
mod whole;

/// Both widths with all vector instructions.
const WIDTHS: [&str; 2] = ["rv32gcv", "rv64gcv"];
/// Vector register lengths to try.
const LENGTHS: [u32; 3] = [128, 1024, 65_536];
