//! Mask instructions ("Vector Mask Instructions").

mod first;
mod index;
mod logical;

use super::operation::Operation;

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    let modules = [logical::operation, first::operation, index::operation];
    modules.iter().find_map(|operation| operation(name))
}
