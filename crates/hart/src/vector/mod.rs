//! The vector unit: RVV 1.0 without floating point, and vector cryptography, at any VLEN and LMUL
//! (RISC-V Unprivileged ISA, chapters "V" and "Vector Cryptography").
//!
//! Sections named in this module's comments are those of chapter "V".

mod arithmetic;
mod check;
pub mod compiled;
mod config;
mod crypto;
pub(crate) mod csr;
mod element;
mod element_wise;
mod fields;
mod group;
mod kernel;
mod load_store;
mod mask;
mod permutation;
mod policy;
mod reduction;
mod signal_frame;
mod state;
mod trace;
mod transfer;

pub(crate) use signal_frame::most_frame_bytes;
pub use state::{AgnosticFill, VectorUnit, Vtype};
pub(crate) use trace::Before;
pub use trace::VectorEffects;

use crate::unit::Body;

/// The body of a vector instruction, by its name in the description.
pub fn body(name: &str) -> Option<Body> {
    let modules = [
        config::body,
        load_store::body,
        arithmetic::body,
        reduction::body,
        mask::body,
        permutation::body,
        crypto::body,
    ];
    modules.iter().find_map(|body| body(name))
}
