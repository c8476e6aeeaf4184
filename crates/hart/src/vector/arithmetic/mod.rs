//! Integer and fixed-point arithmetic ("Vector Integer Arithmetic Instructions", "Vector Fixed-Point
//! Arithmetic Instructions") beyond that of [`lanes`](super::lanes). The instructions of a module are a table:
//! name, operands and result of one element.

mod carry;
mod compare;
mod extension;
mod fixed_point;
mod rounding;
mod table;
mod widening;

use super::operation::Operation;

pub use table::Extend;
pub(super) use table::for_double;

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    let modules = [
        widening::operation,
        extension::operation,
        compare::operation,
        carry::operation,
        fixed_point::operation,
    ];
    modules.iter().find_map(|operation| operation(name))
}
