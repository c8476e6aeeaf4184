//! Vector floating point ("Vector Floating-Point Instructions", "Vector Floating-Point Reduction Instructions"). Its
//! arithmetic is [`softfloat`]'s, of the format that SEW stands for.

mod arithmetic;
mod bits;
mod compare;
mod convert;
mod formats;
mod moves;
mod reduction;
mod widening;

use softfloat::environment::Flags;

use super::operation::Operation;
use super::rules::{Needs, Rules, elements};
use crate::hart::Hart;
use crate::unit::Trap;

pub use formats::{Formats, Numbers};
use formats::{for_format, for_two_formats, for_wide_format};

/// All operands are numbers of SEW.
const PLAIN: Rules = Rules { needs: Needs::Float(Numbers::OF_SEW), ..Rules::SIGNED };
/// The same without a second operand.
const UNARY: Rules = Rules { needs: Needs::Float(Numbers::OF_SEW), ..Rules::UNARY };
/// Numbers of 2·SEW from those of SEW.
const WIDENING: Rules = Rules { vd: elements(1), needs: Needs::Float(Numbers::OF_BOTH), ..Rules::SIGNED };

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

/// Accrues the flags that elements raised. The state of the floating-point unit counts as changed even if they raised
/// none.
#[inline(always)]
fn raise(hart: &mut Hart, raised: u8) -> Result<(), Trap> {
    hart.accrue_flags(Flags(raised));
    Ok(())
}
