//! Vector loads and stores, the instructions that set `vtype`, and the vector CSRs.

#[path = "../guest/mod.rs"]
mod guest;
#[path = "../tier/interpreter.rs"]
mod tier;

mod configuration;
mod csrs;
mod faults;
mod first;
mod hart;
mod indexed;
mod policies;
mod rules;
mod segment;
mod strided;
mod unit_stride;
mod whole;

/// Both widths with all vector instructions.
const WIDTHS: [&str; 2] = ["rv32gcv", "rv64gcv"];
/// Vector register lengths to try.
const LENGTHS: [u32; 3] = [128, 1024, 65_536];
