//! Vector cryptography (chapter "Vector Cryptography").

mod aes;
mod aes_rounds;
mod bit_manipulation;
mod carryless;
mod element_group;
mod ghash;
mod sha2;
mod sm3;
mod sm4;

pub use aes_rounds::{Round, rounds};
pub(super) use bit_manipulation::kernel;

use crate::unit::Body;

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    let modules =
        [bit_manipulation::body, carryless::body, aes::body, ghash::body, sha2::body, sm3::body, sm4::body];
    modules.iter().find_map(|body| body(name))
}
