//! Permutations ("Vector Integer Permutation Instructions").

mod compress;
mod gather;
mod moves;
mod slide;

pub(super) use slide::{kernel, slides_up};

use crate::unit::Body;

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    let modules = [moves::body, slide::body, gather::body, compress::body];
    modules.iter().find_map(|body| body(name))
}
