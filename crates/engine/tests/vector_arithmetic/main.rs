//! Vector arithmetic, reductions, masks and permutations against a model written from the specification's
//! words: one element at a time, in 128-bit integers, from a copy of the registers as they were before.

#[path = "../guest/mod.rs"]
mod guest;
mod model;
mod run;
#[path = "../tier/interpreter.rs"]
mod tier;

mod carries;
mod compress;
mod division;
mod floats;
mod longest;
mod random;
mod rules;
mod saturation;
mod tails;

/// ISAs and the vector register lengths they are tried with.
const HARTS: [(&str, &[usize]); 4] = [
    ("rv64gcv", &[128, 256, 512]),
    ("rv32gcv", &[128, 256]),
    ("rv64imac_zve64x", &[64, 128]),
    ("rv32im_zve32x", &[32, 64, 256]),
];
/// How often each instruction is tried with each.
const CASES: u32 = 32;
