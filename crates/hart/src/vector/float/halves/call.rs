//! What a function for compiled code gets of an instruction.

#[cfg(target_arch = "x86_64")]
use softfloat::format::{Brain, Format, Half};

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
    const SECOND: u64 = 3 << 1;
    const MASK_BYTE: u32 = 3;

    /// What is in the field.
    pub const fn how(is_masked: bool, second: Second) -> u64 {
        (if is_masked { Self::MASKED } else { 0 }) | ((second as u64) << 1)
    }

    /// True if elements whose bits of v0 are not set stay.
    #[cfg(target_arch = "x86_64")]
    pub const fn is_masked(&self) -> bool {
        self.how & Self::MASKED != 0
    }

    /// True if the second operand is a group.
    #[cfg(target_arch = "x86_64")]
    pub const fn is_group(&self) -> bool {
        const { assert!(Second::Group as u64 == 0) };
        self.how & Self::SECOND == 0
    }

    /// The bits of the second operand, a number of format `F` if there is one, unless it is a group.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn scalar<F: Format>(&self, hart: &Hart) -> Option<i16> {
        (!self.is_group()).then(|| hart.float.get::<F>(self.second as u32) as i16)
    }

    /// The same, whatever the format.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn any_scalar(&self, hart: &Hart) -> Option<i16> {
        const BRAIN: u64 = (Second::Brain as u64) << 1;
        if self.how & Self::SECOND == BRAIN { self.scalar::<Brain>(hart) } else { self.scalar::<Half>(hart) }
    }

    /// The same from an element on, whose number is a multiple of eight, as regards v0.
    #[cfg(target_arch = "x86_64")]
    pub const fn at(self, first: usize) -> Self {
        Self { how: self.how | (first as u64 / 8) << Self::MASK_BYTE, ..self }
    }

    /// The byte of v0 that has the bit of the first element.
    #[cfg(target_arch = "x86_64")]
    pub const fn mask_byte(&self) -> usize {
        (self.how >> Self::MASK_BYTE) as usize
    }
}
