//! The vector CSRs ("Vector Extension Programmer's Model").

use super::check;
use crate::csr::{Refused, number};
use crate::hart::Hart;

/// True for a CSR of the vector unit.
const fn is_vector(csr: u64) -> bool {
    matches!(csr as u16, number::VSTART..=number::VXRM | number::VCSR | number::VL..=number::VLENB)
        && csr <= 0xfff
}

/// Reads a vector CSR; `None` if `csr` is not one of this hart's.
pub fn read(hart: &mut Hart, csr: u64) -> Option<Result<u64, Refused>> {
    if !is_vector(csr) || hart.vector.vlenb == 0 {
        return None;
    }
    if !hart.csrs.vector_is_on() {
        return Some(Err(refuse(hart)));
    }
    let unit = &hart.vector;
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
pub fn write(hart: &mut Hart, csr: u64, value: u64) -> Option<Result<(), Refused>> {
    if !is_vector(csr) || hart.vector.vlenb == 0 {
        return None;
    }
    if csr as u16 >= number::VL {
        return Some(Err(Refused));
    }
    if !hart.csrs.use_vector() {
        return Some(Err(refuse(hart)));
    }
    let unit = &mut hart.vector;
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

const fn refuse(hart: &mut Hart) -> Refused {
    hart.broken_rule = Some(check::UNIT_OFF);
    Refused
}
