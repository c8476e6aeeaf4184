//! Permutations ("Vector Integer Permutation Instructions").

mod compress;
mod gather;
mod moves;
mod slide;

use super::operation::Operation;
pub(super) use slide::{Down1, Up1};

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    let modules = [moves::operation, slide::operation, gather::operation, compress::operation];
    modules.iter().find_map(|operation| operation(name))
}
