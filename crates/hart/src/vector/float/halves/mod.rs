//! Instructions on numbers of binary16 for compiled code on hosts that convert these to single precision and back (F16C):
//! sixteen at a time as long as they raise nothing new, eight at a time with the flags that each raises otherwise, where the unit
//! rounds to the nearest.

#[cfg(target_arch = "x86_64")]
mod arithmetic;
#[cfg(target_arch = "x86_64")]
mod bits;
#[cfg(target_arch = "x86_64")]
mod blocks;
#[cfg(target_arch = "x86_64")]
mod brain;
mod call;
#[cfg(target_arch = "x86_64")]
mod compare;
#[cfg(target_arch = "x86_64")]
mod convert;
#[cfg(target_arch = "x86_64")]
mod estimates;
#[cfg(target_arch = "x86_64")]
mod folds;
#[cfg(target_arch = "x86_64")]
mod narrow;
#[cfg(target_arch = "x86_64")]
mod pairs;
#[cfg(target_arch = "x86_64")]
mod rounding;
#[cfg(target_arch = "x86_64")]
mod step;
#[cfg(target_arch = "x86_64")]
mod to_integers;
#[cfg(target_arch = "x86_64")]
mod to_numbers;
#[cfg(target_arch = "x86_64")]
mod widening;
#[cfg(target_arch = "x86_64")]
mod words;

pub use call::{Call, Halves, SHORTEST, Second};

use super::arithmetic::FloatLane;
use super::entries::{DirectLane, FloatDoubling, OfBrain};

/// True if the host can execute such functions.
pub fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("f16c")
        && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// That of arithmetic on numbers of one width, or of an operation on bits.
pub fn of_lane(lane: FloatLane) -> Option<Halves> {
    #[cfg(target_arch = "x86_64")]
    return arithmetic::entry(lane).or_else(|| bits::of_lane(lane)).or_else(|| estimates::entry(lane));
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// That of a comparison, a choice, a reduction or a conversion to and from integers as wide.
pub fn of_direct(lane: DirectLane) -> Option<Halves> {
    #[cfg(target_arch = "x86_64")]
    return bits::of_direct(lane)
        .or_else(|| compare::of_direct(lane))
        .or_else(|| convert::of_direct(lane))
        .or_else(|| folds::of_direct(lane));
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// That of an operation on numbers of BF16.
pub fn of_brain(operation: OfBrain) -> Option<Halves> {
    #[cfg(target_arch = "x86_64")]
    return Some(brain::entry(operation));
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// That of what changes widths, of which the less is 2^`sew` bytes.
pub fn of_doubling(doubling: FloatDoubling, sew: u8) -> Option<Halves> {
    #[cfg(target_arch = "x86_64")]
    return convert::of_doubling(doubling, sew).or_else(|| {
        let is_half = sew == 1;
        let others = || widening::entry(doubling).or_else(|| folds::of_doubling(doubling));
        is_half.then(others).flatten()
    });
    #[cfg(not(target_arch = "x86_64"))]
    None
}
