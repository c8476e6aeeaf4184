//! Vector arithmetic, reductions, masks and permutations against a model written from the specification's
//! words: one element at a time, in 128-bit integers, from a copy of the registers as they were before.

#[path = "../guest/mod.rs"]
mod guest;
mod model;
mod run;
#[path = "../tier/interpreter.rs"]
mod tier;

mod floats;
mod longest;
mod random;
mod rules;
