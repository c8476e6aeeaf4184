//! Where the operands of an instruction are: in the registers of F, or in integer registers ("Zfinx" Extension). Bodies
//! are written once, for either.

use isa::Xlen;
use isa::operands::{Effects, File};
use softfloat::environment::Flags;
use softfloat::format::Format;

use super::unit::OFF;
use crate::hart::Hart;
use crate::unit::Trap;

/// Rule of an operand of two registers.
const ODD: &str = "an operand of two registers begins with an odd one";

/// A file of registers for floating-point operands.
pub trait Registers {
    /// What every instruction on them needs.
    ///
    /// # Errors
    /// If the guest has switched the unit off.
    fn enabled(hart: &Hart) -> Result<(), Trap>;

    /// A value of a format.
    ///
    /// # Errors
    /// If no value of that format can be there.
    fn get<F: Format>(hart: &Hart, register: u32) -> Result<u64, Trap>;

    /// Writes a value of a format.
    ///
    /// # Errors
    /// As for [`Self::get`], and then nothing is written.
    fn set<F: Format>(hart: &mut Hart, register: u32, value: u64) -> Result<(), Trap>;

    /// Accrues flags.
    fn raise(hart: &mut Hart, flags: Flags);
}

/// f0 to f31.
pub struct Float;

/// x0 to x31; on RV32, two of them hold what has 64 bits.
pub struct Integer;

/// True if the operands of a floating-point instruction are in integer registers.
pub fn are_integer(effects: &Effects) -> bool {
    !effects.touches(File::F)
}

impl Registers for Float {
    #[inline(always)]
    fn enabled(hart: &Hart) -> Result<(), Trap> {
        if hart.csrs.float_is_on() { Ok(()) } else { Err(Trap::Illegal(OFF)) }
    }

    #[inline(always)]
    fn get<F: Format>(hart: &Hart, register: u32) -> Result<u64, Trap> {
        Ok(hart.float.get::<F>(register))
    }

    #[inline(always)]
    fn set<F: Format>(hart: &mut Hart, register: u32, value: u64) -> Result<(), Trap> {
        hart.write_f::<F>(register, value);
        Ok(())
    }

    #[inline(always)]
    fn raise(hart: &mut Hart, flags: Flags) {
        if flags != Flags::default() {
            hart.accrue_flags(flags);
        }
    }
}

impl Registers for Integer {
    /// FS says nothing of them.
    #[inline(always)]
    fn enabled(_hart: &Hart) -> Result<(), Trap> {
        Ok(())
    }

    /// What is above a narrow value is ignored: nothing is boxed ("Zfinx" Extension, "Processing of Narrower Values").
    #[inline(always)]
    fn get<F: Format>(hart: &Hart, register: u32) -> Result<u64, Trap> {
        if !is_pair::<F>(hart) {
            return Ok(hart.x(register as u16) & F::MASK);
        }
        match register {
            0 => Ok(0),
            odd if odd % 2 == 1 => Err(Trap::Illegal(ODD)),
            even => Ok(hart.x(even as u16 + 1) << 32 | hart.x(even as u16)),
        }
    }

    #[inline(always)]
    fn set<F: Format>(hart: &mut Hart, register: u32, value: u64) -> Result<(), Trap> {
        if !is_pair::<F>(hart) {
            let above = 64 - F::BITS;
            hart.write_x(register as u16, ((value << above) as i64 >> above) as u64);
            return Ok(());
        }
        match register {
            0 => {}
            odd if odd % 2 == 1 => return Err(Trap::Illegal(ODD)),
            even => {
                hart.write_x(even as u16, value);
                hart.write_x(even as u16 + 1, value >> 32);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn raise(hart: &mut Hart, flags: Flags) {
        hart.float.flags.0 |= flags.0;
    }
}

/// True if a value of the format takes two registers ("Zdinx" Extension, "Processing of Wider Values").
#[inline(always)]
const fn is_pair<F: Format>(hart: &Hart) -> bool {
    F::BITS == 64 && matches!(hart.csrs.xlen(), Xlen::Rv32)
}
