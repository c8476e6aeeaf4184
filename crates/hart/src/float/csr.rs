//! `fcsr` and its two fields ("F" Extension, "Floating-Point Control and Status Register").

use super::unit;
use crate::csr::{Refused, number};
use crate::hart::Hart;
use softfloat::environment::Flags;

/// Reads a floating-point CSR; `None` if `csr` is none.
pub fn read(hart: &mut Hart, csr: u64) -> Option<Result<u64, Refused>> {
    let csr = float_csr(csr)?;
    if !hart.csrs.has_float_csrs() {
        return Some(Err(refuse(hart)));
    }
    let (flags, rounding) = (hart.float.flags.0, hart.float.rounding);
    let value = match csr {
        number::FFLAGS => flags,
        number::FRM => rounding,
        _ => rounding << 5 | flags,
    };
    Some(Ok(value.into()))
}

/// Writes a floating-point CSR, which marks the floating-point state as changed; `None` if `csr` is none.
pub fn write(hart: &mut Hart, csr: u64, value: u64) -> Option<Result<(), Refused>> {
    let csr = float_csr(csr)?;
    if !hart.csrs.has_float_csrs() {
        return Some(Err(refuse(hart)));
    }
    hart.csrs.float_csr_changed();
    let (flags, rounding) = match csr {
        number::FFLAGS => (Some(value), None),
        number::FRM => (None, Some(value)),
        _ => (Some(value), Some(value >> 5)),
    };
    if let Some(flags) = flags {
        hart.float.flags = Flags(flags as u8 & 0x1f);
    }
    if let Some(rounding) = rounding {
        hart.float.rounding = rounding as u8 & 7;
    }
    Some(Ok(()))
}

fn float_csr(csr: u64) -> Option<u16> {
    u16::try_from(csr).ok().filter(|csr| (number::FFLAGS..=number::FCSR).contains(csr))
}

/// Also on a hart without the unit, whose FS is always 0.
const fn refuse(hart: &mut Hart) -> Refused {
    hart.broken_rule = Some(unit::OFF);
    Refused
}
