//! Vector floating point ("Vector Floating-Point Instructions", "Vector Floating-Point Reduction Instructions"). Its
//! arithmetic is [`softfloat`]'s, of the format that SEW stands for.

mod arithmetic;
mod bits;
mod compare;
mod convert;
mod direct;
mod entries;
mod formats;
mod halves;
mod host;
mod moves;
mod plain;
mod reduction;
mod rules;
mod widening;

use super::operation::Operation;

pub use arithmetic::FloatLane;
pub(super) use direct::{AtOnce, Bodiless};
pub use entries::{Direct, DirectCall, DirectLane, Directs, FloatDoubling, OfBrain, Spread, Written};
pub use halves::Halves;
pub(super) use halves::{
    Call, SHORTEST, Second as HalvesSecond, available, of_brain, of_direct, of_doubling, of_lane,
};

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    let modules = [
        arithmetic::operation,
        bits::operation,
        widening::operation,
        compare::operation,
        convert::operation,
        moves::operation,
        reduction::operation,
    ];
    modules.iter().find_map(|operation| operation(name))
}
