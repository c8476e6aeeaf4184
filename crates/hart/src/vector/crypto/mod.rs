//! Vector cryptography (chapter "Vector Cryptography").

mod aes;
mod bit_manipulation;
mod carryless;
mod element_group;
mod ghash;
mod sha2;
mod sm3;
mod sm4;

use crate::unit::Body;

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    let modules =
        [bit_manipulation::body, carryless::body, aes::body, ghash::body, sha2::body, sm3::body, sm4::body];
    modules.iter().find_map(|body| body(name))
}
