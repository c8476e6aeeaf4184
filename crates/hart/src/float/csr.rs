//! `fcsr` and its two fields ("F" Extension, "Floating-Point Control and Status Register").

use super::environment::Flags;
use super::unit;
use crate::core::Core;
use crate::csr::{Refused, number};

/// Reads a floating-point CSR; `None` if `csr` is none.
pub fn read(core: &mut Core, csr: u64) -> Option<Result<u64, Refused>> {
    let csr = float_csr(csr)?;
    if !core.csrs.float_is_on() {
        return Some(Err(refuse(core)));
    }
    let (flags, rounding) = (core.float.flags.0, core.float.rounding);
    let value = match csr {
        number::FFLAGS => flags,
        number::FRM => rounding,
        _ => rounding << 5 | flags,
    };
    Some(Ok(value.into()))
}

/// Writes a floating-point CSR, which marks the floating-point state as changed; `None` if `csr` is none.
pub fn write(core: &mut Core, csr: u64, value: u64) -> Option<Result<(), Refused>> {
    let csr = float_csr(csr)?;
    if !core.csrs.float_is_on() {
        return Some(Err(refuse(core)));
    }
    core.csrs.float_changed();
    let (flags, rounding) = match csr {
        number::FFLAGS => (Some(value), None),
        number::FRM => (None, Some(value)),
        _ => (Some(value), Some(value >> 5)),
    };
    if let Some(flags) = flags {
        core.float.flags = Flags(flags as u8 & 0x1f);
    }
    if let Some(rounding) = rounding {
        core.float.rounding = rounding as u8 & 7;
    }
    Some(Ok(()))
}

fn float_csr(csr: u64) -> Option<u16> {
    u16::try_from(csr).ok().filter(|csr| (number::FFLAGS..=number::FCSR).contains(csr))
}

/// Also on a hart without the unit, whose FS is always 0.
const fn refuse(core: &mut Core) -> Refused {
    core.broken_rule = Some(unit::OFF);
    Refused
}
