//! What a function for compiled code gets of an instruction.

#[cfg(target_arch = "x86_64")]
use softfloat::format::{Brain, Half};

use crate::hart::Hart;

/// Executes a legal instruction with `vstart` = 0 where the floating-point unit is on, its state marked as changed, and
/// rounds to the nearest: with the offset of `vd`, that of `vs2`, that of `vs1` or the number of a floating-point register,
/// [`Call::how`], and the end of the tail (0 if it stays). What is masked off stays. Undefined on a host without what
/// [`super::available`] looks for, and where registers are shorter than 16 bytes.
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
        (if is_masked { Self::MASKED } else { 0 }) | ((second as u64) << 1)
    }

    /// True if elements whose bits of v0 are not set stay.
    #[cfg(target_arch = "x86_64")]
    pub const fn is_masked(&self) -> bool {
        self.how & Self::MASKED != 0
    }

    /// The bits of the second operand, unless it is a group.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn scalar(&self, hart: &Hart) -> Option<i16> {
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
