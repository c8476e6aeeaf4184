//! Vector cryptography (chapter "Vector Cryptography") on element groups.

mod aes;
mod aes_rounds;
mod element_group;
mod ghash;
pub mod group_kernel;
mod sha2;
mod sha256;
mod sm3;
mod sm3_host;
mod sm4;
mod sm4_host;
#[cfg(target_arch = "x86_64")]
mod sm4_maps;

use super::operation::Operation;

pub use aes_rounds::{Round, available, rounds};
pub use group_kernel::Step;

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    let modules = [aes::operation, ghash::operation, sha2::operation, sm3::operation, sm4::operation];
    modules.iter().find_map(|operation| operation(name))
}
