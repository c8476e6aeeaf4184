//! Integer and fixed-point arithmetic ("Vector Integer Arithmetic Instructions", "Vector Fixed-Point
//! Arithmetic Instructions"). The instructions of a module are a table: name and result of one element.

mod carry;
mod compare;
mod extension;
mod fixed_point;
mod merge;
mod multiply;
mod narrowing;
mod rounding;
mod single_width;
mod table;
mod widening;

use crate::unit::Body;
use crate::vector::kernel::Found;

pub use table::Extend;
pub(super) use table::for_double;

/// The body of an instruction of this module. The forms of an operation (`vv`, `vx`, `vi`) share one
/// where the word tells them apart.
pub fn body(name: &str) -> Option<Body> {
    let (operation, form) = name.split_once("__")?;
    let modules = [
        single_width::body,
        multiply::body,
        widening::body,
        narrowing::body,
        extension::body,
        compare::body,
        carry::body,
        merge::body,
        fixed_point::body,
    ];
    modules.iter().find_map(|body| body(operation, form))
}

/// The kernel of an element-wise instruction of this module that reads and writes elements of SEW only.
pub fn kernel(name: &str, scalar: bool, sew: u8) -> Option<Found> {
    let (operation, form) = name.split_once("__")?;
    let modules = [single_width::kernel, multiply::kernel];
    modules
        .iter()
        .find_map(|kernel| kernel(operation, scalar, sew))
        .or_else(|| merge::kernel(operation, form, sew))
}
