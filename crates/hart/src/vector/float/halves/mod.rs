//! Instructions on numbers of binary16 for compiled code on hosts that convert these to single precision and back (F16C):
//! eight at a time, with the flags that each raises, where the unit rounds to the nearest.

#[cfg(target_arch = "x86_64")]
mod arithmetic;
#[cfg(target_arch = "x86_64")]
mod bits;
#[cfg(target_arch = "x86_64")]
mod brain;
#[cfg(target_arch = "x86_64")]
mod convert;
#[cfg(target_arch = "x86_64")]
mod estimates;
#[cfg(target_arch = "x86_64")]
mod folds;
#[cfg(target_arch = "x86_64")]
mod pairs;
#[cfg(target_arch = "x86_64")]
mod rounding;
#[cfg(target_arch = "x86_64")]
mod step;
#[cfg(target_arch = "x86_64")]
mod widening;

use super::arithmetic::FloatLane;
use super::entries::{DirectLane, FloatDoubling, OfBrain};
use crate::hart::Hart;
#[cfg(target_arch = "x86_64")]
use softfloat::format::{Brain, Half};

/// Executes a legal instruction with `vstart` = 0 where the floating-point unit is on, its state marked as changed, and
/// rounds to the nearest: with the offset of `vd`, that of `vs2`, that of `vs1` or the number of a floating-point register,
/// [`Call::how`], and the end of the tail (0 if it stays). What is masked off stays. Undefined on a host without what
/// [`available`] looks for, and where registers are shorter than 16 bytes.
pub type Halves = unsafe extern "C" fn(&mut Hart, usize, usize, u64, u64, usize);

/// Bytes that a register has at least.
pub const SHORTEST: usize = 16;

/// An instruction, as such a function gets it.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Offset of `vd`.
    pub d: usize,
    /// Offset of `vs2`.
    pub a: usize,
    /// Offset of `vs1`, or number of a register.
    pub second: u64,
    /// Whether it is masked, and whether the second operand is a scalar.
    pub how: u64,
    /// End of the tail, 0 if it stays.
    pub tail_end: usize,
}

/// What the second operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Second {
    /// A group.
    Group,
    /// The number in a register.
    Scalar,
    /// The number of BF16 in a register.
    Brain,
    /// There is none.
    Nothing,
}

impl Call {
    const MASKED: u64 = 1;

    /// What is in the field.
    pub const fn how(is_masked: bool, second: Second) -> u64 {
        (is_masked as u64 * Self::MASKED) | ((second as u64) << 1)
    }

    #[cfg(target_arch = "x86_64")]
    const fn is_masked(&self) -> bool {
        self.how & Self::MASKED != 0
    }

    /// The bits of the second operand, unless it is a group.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn scalar(&self, hart: &Hart) -> Option<i16> {
        const GROUP: u64 = Second::Group as u64;
        const SCALAR: u64 = Second::Scalar as u64;
        const BRAIN: u64 = Second::Brain as u64;
        let register = self.second as u32;
        match self.how >> 1 {
            GROUP => None,
            SCALAR => Some(hart.float.get::<Half>(register) as i16),
            BRAIN => Some(hart.float.get::<Brain>(register) as i16),
            _ => Some(0),
        }
    }
}

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
    return bits::of_direct(lane).or_else(|| convert::of_direct(lane)).or_else(|| folds::of_direct(lane));
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
