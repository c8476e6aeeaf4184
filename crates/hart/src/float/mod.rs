//! The floating-point unit: F, D, Zfh and Zfa (RISC-V Unprivileged ISA). Its arithmetic is [`softfloat`]'s.

mod conversions;
pub mod csr;
mod load_store;
mod operations;
mod state;
mod unit;

pub use state::{FloatEffect, FloatUnit};

use isa::operands::Effects;

use crate::unit::AnyBody;

/// The body of a floating-point instruction with that name and those effects in its description.
pub fn body(name: &str, effects: &Effects) -> Option<AnyBody> {
    let state = operations::body(name).or_else(|| conversions::body(name));
    state.map(AnyBody::State).or_else(|| load_store::memory_body(effects).map(AnyBody::Memory))
}
