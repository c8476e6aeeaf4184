//! The floating-point unit: F, D, Zfh and Zfa (RISC-V Unprivileged ISA).
//!
//! Arithmetic is done on integers, the same code for every format and rounding mode: results are exact
//! before one rounding, so that value and flags follow from one place ([`environment`]), whatever the host.

pub mod arithmetic;
pub mod compare;
mod constants;
mod conversions;
pub mod convert;
pub mod csr;
pub mod environment;
pub mod format;
mod load_store;
mod operations;
mod state;
mod unit;

pub use state::{FloatEffect, FloatUnit};

use crate::unit::Body;

/// The body of a floating-point instruction, by its name in the description.
pub fn body(name: &str) -> Option<Body> {
    let modules = [operations::body, conversions::body, load_store::body];
    modules.iter().find_map(|body| body(name))
}
