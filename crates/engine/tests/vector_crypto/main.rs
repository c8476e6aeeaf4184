//! Vector cryptography: published examples and random operands through executed instructions, and every
//! reserved use.

#[path = "../guest/mod.rs"]
mod guest;
#[allow(unused_imports, reason = "only computational instructions serve as a model here")]
#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../tier/interpreter.rs"]
mod tier;

mod aes;
mod element_wise;
mod ghash;
mod model;
mod properties;
mod reserved;
mod sha2;
mod shangmi;
mod unit;

/// All of vector cryptography.
const ISA: &str = "rv64gcv_zvkn_zvks_zvkg_zvbb_zvbc";
