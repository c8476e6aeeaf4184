//! The floating-point unit: F, D, Zfh, Zfa and Zfinx (RISC-V Unprivileged ISA). Its arithmetic is [`softfloat`]'s.

pub mod compiled;
mod conversions;
pub mod csr;
mod load_store;
mod operations;
mod registers;
mod state;
mod unit;

pub use state::{FloatEffect, FloatUnit};

use isa::operands::Effects;
use registers::{Float, Integer};

use crate::unit::AnyBody;

/// The body of a floating-point instruction with that name and those effects in its description.
pub fn body(name: &str, effects: &Effects) -> Option<AnyBody> {
    let state = if registers::are_integer(effects) {
        operations::body::<Integer>(name).or_else(|| conversions::body::<Integer>(name))
    } else {
        let moved = || conversions::moving(name);
        operations::body::<Float>(name).or_else(|| conversions::body::<Float>(name)).or_else(moved)
    };
    state.map(AnyBody::State).or_else(|| load_store::memory_body(effects).map(AnyBody::Memory))
}
