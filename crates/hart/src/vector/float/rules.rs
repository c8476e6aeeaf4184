//! Rules of operands that several files share, and what ends an instruction that may raise flags.

use softfloat::environment::Flags;

use super::super::formats::Numbers;
use super::super::rules::{Needs, Rules, elements};
use crate::hart::Hart;
use crate::unit::Trap;

/// All operands are numbers of SEW.
pub const PLAIN: Rules = Rules { needs: Needs::Float(Numbers::OF_SEW), ..Rules::SIGNED };
/// The same without a second operand.
pub const UNARY: Rules = Rules { needs: Needs::Float(Numbers::OF_SEW), ..Rules::UNARY };
/// Numbers of 2·SEW from those of SEW.
pub const WIDENING: Rules = Rules { vd: elements(1), needs: Needs::Float(Numbers::OF_BOTH), ..Rules::SIGNED };

/// Accrues the flags that elements raised. The state of the floating-point unit counts as changed even if they raised
/// none.
#[inline(always)]
pub fn raise(hart: &mut Hart, raised: u8) -> Result<(), Trap> {
    hart.accrue_flags(Flags(raised));
    Ok(())
}
