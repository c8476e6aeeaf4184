//! Bodies without the checks that come before them, for compiled code, which has made them.

use super::fields::{Fields, Immediate, Second};
use super::rules::Shape;
use crate::hart::Hart;
use crate::unit::Trap;

/// Executes an instruction that is known to be legal, with this word; the number says whether it is agnostic whatever
/// `vtype` says ([`Shape::agnostic`]). Returns 0, or 1 if it traps. Undefined on a host without what
/// [`super::kernel::available`] looks for.
pub type Checked = unsafe extern "C" fn(&mut Hart, u32, u64) -> u64;

/// A body without the checks that come before it.
pub trait Unchecked: 'static {
    /// Of its rules.
    const IMMEDIATE: Immediate;

    /// Executes a legal instruction.
    fn run(hart: &mut Hart, fields: Fields, shape: Shape) -> Result<(), Trap>;
}

/// The entry of a body for compiled code.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma"))]
pub extern "C" fn checked<B: Unchecked>(hart: &mut Hart, word: u32, agnostic: u64) -> u64 {
    let fields = Fields(word);
    let shape = Shape { second: Second::of(fields, B::IMMEDIATE), agnostic: agnostic != 0 };
    B::run(hart, fields, shape).is_err().into()
}
