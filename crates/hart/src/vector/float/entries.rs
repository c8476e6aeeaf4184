//! What compiled code knows of the entries of an operation ([`super::direct`]).

use crate::hart::Hart;

/// Executes an unmasked instruction that is known to be legal where the floating-point unit is on and rounds: with the
/// offset of `vd`, that of `vs2`, that of `vs1` or the number of a floating-point register, the end of the tail (0 if it
/// stays), and the word. Returns what a body without checks does. Undefined on a host without what
/// [`super::super::kernel::available`] looks for.
pub type Direct = unsafe extern "C" fn(&mut Hart, usize, usize, u64, usize, u32) -> u64;

/// What an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// Elements of SEW.
    Elements,
    /// A mask.
    Mask,
    /// Element 0.
    Scalar,
}

/// Entries of such an operation.
#[derive(Clone, Copy, Debug)]
pub struct Directs {
    /// By log2 of the bytes of an element, from 1 on, with a group and with a scalar.
    pub of: [[Direct; 2]; 3],
    /// What they write.
    pub written: Written,
}

/// An instruction that is executed so: what its entry gets.
#[derive(Clone, Copy, Debug)]
pub struct DirectCall {
    /// The entry.
    pub entry: Direct,
    /// Offset of `vd`.
    pub d: usize,
    /// Offset of `vs2`.
    pub a: usize,
    /// Offset of `vs1`, or number of a register.
    pub second: u64,
    /// End of the tail, 0 if it stays.
    pub tail_end: usize,
}
