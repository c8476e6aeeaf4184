//! What the unit's state must be for an instruction, each rule with the words a user reads when it is broken.

use super::fields::Fields;
use super::state::{VectorUnit, Vtype};
use crate::hart::Hart;
use crate::unit::Trap;

/// A rule of the specification: holds, or the instruction is illegal for this reason.
///
/// # Errors
/// `reason`.
#[inline(always)]
pub fn rule(holds: bool, reason: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(reason) }
}

/// Why nothing of the vector unit can be used.
pub const UNIT_OFF: &str = "the vector unit is off: mstatus.VS is 0";

/// What every vector instruction needs; marks the vector state as changed.
///
/// # Errors
/// If `mstatus.VS` is off.
#[inline(always)]
pub fn enabled(hart: &mut Hart) -> Result<(), Trap> {
    rule(hart.csrs.use_vector(), UNIT_OFF).map_err(Trap::Illegal)
}

/// What every instruction that depends on `vtype` needs.
///
/// # Errors
/// If the unit is off, or `vtype` holds no legal setting.
#[inline(always)]
pub fn configured(hart: &mut Hart) -> Result<(), Trap> {
    enabled(hart)?;
    supported(hart.vector.vtype).map_err(Trap::Illegal)
}

/// `vtype` is one that the hart has.
///
/// # Errors
/// If it is not.
#[inline(always)]
pub fn supported(vtype: Vtype) -> Result<(), &'static str> {
    rule(
        !vtype.illegal,
        "vtype.vill is set: no vset instruction has set a supported vtype before this instruction",
    )
}

impl VectorUnit {
    /// A masked instruction must not overwrite its mask ("Vector Masking"), unless it writes a mask.
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub(super) fn spares_mask(&self, fields: Fields) -> Result<(), &'static str> {
        rule(
            !fields.masked() || fields.vd() != 0,
            "the destination of a masked instruction must not overlap the mask register v0",
        )
    }
}
