//! Mask instructions ("Vector Mask Instructions").

mod first;
pub(super) mod index;
mod logical;

use crate::unit::Body;

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    let modules = [logical::body, first::body, index::body];
    modules.iter().find_map(|body| body(name))
}
