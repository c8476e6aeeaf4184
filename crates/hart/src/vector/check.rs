//! Rules that make an encoding reserved, each with the words a user reads when one is broken.

use super::fields::Fields;
use super::state::VectorUnit;
use crate::hart::Hart;
use crate::unit::Trap;

/// A rule of the specification: holds, or the instruction is illegal for this reason.
///
/// # Errors
/// [`Trap::Illegal`] with `reason`.
#[inline(always)]
pub fn rule(holds: bool, reason: &'static str) -> Result<(), Trap> {
    if holds { Ok(()) } else { Err(Trap::Illegal(reason)) }
}

/// Why nothing of the vector unit can be used.
pub const UNIT_OFF: &str = "the vector unit is off: mstatus.VS is 0";

/// What every vector instruction needs; marks the vector state as changed.
///
/// # Errors
/// If `mstatus.VS` is off.
#[inline(always)]
pub fn enabled(hart: &mut Hart) -> Result<(), Trap> {
    rule(hart.csrs.use_vector(), UNIT_OFF)
}

/// What every instruction that depends on `vtype` needs.
///
/// # Errors
/// If the unit is off, or `vtype` holds no legal setting.
#[inline(always)]
pub fn configured(hart: &mut Hart) -> Result<(), Trap> {
    enabled(hart)?;
    rule(
        !hart.vector.vtype.illegal,
        "vtype.vill is set: no vset instruction has set a supported vtype before this instruction",
    )
}

/// What an instruction needs that is never resumed in its middle.
///
/// # Errors
/// If `vstart` is not 0.
#[inline(always)]
pub fn restarted(unit: &VectorUnit) -> Result<(), Trap> {
    rule(unit.vstart == 0, "this instruction can only begin with element 0: vstart must be 0")
}

impl VectorUnit {
    /// A register group begins at a multiple of its size ("Vector Register Grouping").
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub(super) fn aligned(&self, register: u32, emul: i8) -> Result<(), Trap> {
        rule(
            emul <= 0 || register & ((1 << emul) - 1) == 0,
            "a register group must begin at a register number that is a multiple of its EMUL",
        )
    }

    /// A masked instruction must not overwrite its mask ("Vector Masking"), unless it writes a mask.
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub(super) fn spares_mask(&self, fields: Fields) -> Result<(), Trap> {
        rule(
            !fields.masked() || fields.vd() != 0,
            "the destination of a masked instruction must not overlap the mask register v0",
        )
    }
}
