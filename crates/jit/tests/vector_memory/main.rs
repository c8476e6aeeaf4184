//! The interpreter's `vector_memory` tests, with everything compiled that can be.

#[path = "../../../hart/tests/guest/mod.rs"]
mod guest;
#[path = "../tier/compiler.rs"]
mod tier;

#[path = "../../../hart/tests/vector_memory/configuration.rs"]
mod configuration;
#[path = "../../../hart/tests/vector_memory/csrs.rs"]
mod csrs;
#[path = "../../../hart/tests/vector_memory/faults.rs"]
mod faults;
#[path = "../../../hart/tests/vector_memory/first.rs"]
mod first;
#[path = "../../../hart/tests/vector_memory/hart.rs"]
mod hart;
#[path = "../../../hart/tests/vector_memory/indexed.rs"]
mod indexed;
#[path = "../../../hart/tests/vector_memory/policies.rs"]
mod policies;
#[path = "../../../hart/tests/vector_memory/rules.rs"]
mod rules;
#[path = "../../../hart/tests/vector_memory/segment.rs"]
mod segment;
#[path = "../../../hart/tests/vector_memory/strided.rs"]
mod strided;
#[path = "../../../hart/tests/vector_memory/unit_stride.rs"]
mod unit_stride;
#[path = "../../../hart/tests/vector_memory/whole.rs"]
mod whole;

/// Both widths with all vector instructions.
const WIDTHS: [&str; 2] = ["rv32gcv", "rv64gcv"];
/// Vector register lengths to try.
const LENGTHS: [u32; 3] = [128, 1024, 65_536];
