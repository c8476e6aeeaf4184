//! What every body shares: the operand fields, the unit's switch, rounding modes, results and flags.

use softfloat::environment::{Environment, Flags, Rounding};
use softfloat::format::Format;

use super::registers::{Float, Registers};
use crate::hart::Hart;
pub use crate::unit::Fields;
use crate::unit::Trap;

/// Rule of an instruction that needs the unit.
pub const OFF: &str = "the floating-point unit is off: mstatus.FS is 0";

/// In the field of an instruction's rounding mode: the one of `frm`.
pub(super) const DYNAMIC: u32 = 7;

/// Rule of an instruction that rounds as `frm` says.
const RESERVED_FRM: &str = "frm holds a reserved rounding mode";

impl Hart {
    /// The environment of an instruction that rounds.
    ///
    /// # Errors
    /// If the unit is off, or the rounding mode reserved.
    #[inline(always)]
    pub(super) fn rounding_environment<R: Registers>(&self, fields: Fields) -> Result<Environment, Trap> {
        R::enabled(self)?;
        let rounding = match fields.rm() {
            DYNAMIC => self.float.dynamic_rounding().ok_or(RESERVED_FRM),
            fixed => Rounding::from_field(fixed).ok_or("the instruction's rounding mode is reserved"),
        };
        rounding.map(Environment::new).map_err(Trap::Illegal)
    }

    /// The environment of a vector instruction, which takes its rounding mode from `frm` and needs a valid one even if
    /// it does not round ("V" Extension, "Vector Floating-Point Instructions").
    ///
    /// # Errors
    /// If the unit is off, or the rounding mode reserved.
    #[inline(always)]
    pub(crate) fn vector_environment(&self) -> Result<Environment, Trap> {
        Float::enabled(self)?;
        let rounding = self.float.dynamic_rounding().ok_or(RESERVED_FRM).map_err(Trap::Illegal)?;
        Ok(Environment::new(rounding).accruing(self.float.flags))
    }

    /// The same if the unit is on and rounds to nearest even, as nearly always.
    #[inline(always)]
    pub(crate) fn nearest_environment(&self) -> Option<Environment> {
        let is_nearest = self.csrs.float_is_on() && self.float.rounding == 0;
        is_nearest.then(|| Environment::new(Rounding::NearestEven).accruing(self.float.flags))
    }

    /// The environment of an instruction that does not round.
    ///
    /// # Errors
    /// If the unit is off.
    #[inline(always)]
    pub(super) fn exact_environment<R: Registers>(&self) -> Result<Environment, Trap> {
        R::enabled(self)?;
        Ok(Environment::new(Rounding::NearestEven))
    }

    /// Accrues flags; the unit's state counts as changed in any case.
    #[inline(always)]
    pub(crate) const fn accrue_flags(&mut self, flags: Flags) {
        self.float.flags.0 |= flags.0;
        self.csrs.float_changed();
    }

    /// Executes a body; also what `fflags` became if it raised any, even those that were raised before.
    pub(crate) fn watching_flags<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> (T, Option<u64>) {
        let before = std::mem::take(&mut self.float.flags);
        let done = body(self);
        let raised = self.float.flags != Flags::default();
        self.float.flags.0 |= before.0;
        (done, raised.then_some(self.float.flags.0.into()))
    }

    /// Writes a register with a value of a format.
    #[inline(always)]
    pub(crate) const fn write_f<F: Format>(&mut self, register: u32, value: u64) {
        self.float.set_raw(register, value | F::BOX);
        self.csrs.float_changed();
    }
}
