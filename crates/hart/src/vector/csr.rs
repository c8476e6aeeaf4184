//! The vector CSRs ("Vector Extension Programmer's Model").

use super::check;
use crate::core::Core;
use crate::csr::{Refused, number};

/// True for a CSR of the vector unit.
const fn is_vector(csr: u64) -> bool {
    matches!(csr as u16, number::VSTART..=number::VXRM | number::VCSR | number::VL..=number::VLENB)
        && csr <= 0xfff
}

/// Reads a vector CSR; `None` if `csr` is not one of this hart's.
pub fn read(core: &mut Core, csr: u64) -> Option<Result<u64, Refused>> {
    if !is_vector(csr) || core.vector.vlenb == 0 {
        return None;
    }
    if !core.csrs.vector_is_on() {
        return Some(Err(refuse(core)));
    }
    let unit = &core.vector;
    Some(Ok(match csr as u16 {
        number::VSTART => unit.vstart as u64,
        number::VXSAT => u64::from(unit.vxsat),
        number::VXRM => u64::from(unit.vxrm),
        number::VCSR => u64::from(unit.vxrm) << 1 | u64::from(unit.vxsat),
        number::VL => unit.vl as u64,
        number::VTYPE => unit.vtype.bits(unit.xlen),
        _ => unit.vlenb as u64,
    }))
}

/// Writes a vector CSR, which marks the vector state as changed; `None` if `csr` is not one of this hart's.
pub fn write(core: &mut Core, csr: u64, value: u64) -> Option<Result<(), Refused>> {
    if !is_vector(csr) || core.vector.vlenb == 0 {
        return None;
    }
    if csr as u16 >= number::VL {
        return Some(Err(Refused));
    }
    if !core.csrs.use_vector() {
        return Some(Err(refuse(core)));
    }
    let unit = &mut core.vector;
    match csr as u16 {
        // As many bits as the index of the last element of the longest vector needs.
        number::VSTART => unit.vstart = value as usize & (unit.vlenb * 8 - 1),
        number::VXSAT => unit.vxsat = value & 1 == 1,
        number::VXRM => unit.vxrm = (value & 3) as u8,
        _ => {
            unit.vxsat = value & 1 == 1;
            unit.vxrm = (value >> 1 & 3) as u8;
        }
    }
    Some(Ok(()))
}

const fn refuse(core: &mut Core) -> Refused {
    core.broken_rule = Some(check::UNIT_OFF);
    Refused
}
