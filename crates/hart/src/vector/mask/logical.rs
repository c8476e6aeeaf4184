//! Mask-register logical instructions.

use super::super::element_wise::body_bits;
use super::super::fields::Fields;
use super::super::group::Overlap;
use super::super::masking::Masking;
use super::super::operation::operations;
use super::super::rules::{MASK, Rules};
use crate::hart::Hart;
use crate::unit::Trap;

const MASKS: Rules = Rules { vd: MASK, vs2: MASK, vs1: MASK, overlap: Overlap::Any, ..Rules::SIGNED };

/// Rows `NAME |a, b| value`: `vd.mask = value` with `a` of `vs2` and `b` of `vs1`, eight elements at a time.
macro_rules! logical {
    ($($name:ident |$a:ident, $b:ident| $value:expr;)*) => {
        operations! {
            $($name [MM] MASKS => |hart, fields, _| combine(hart, fields, |$a, $b| $value) => Masking::$name;)*
        }
    };
}

logical! {
    VMAND |a, b| a & b;
    VMNAND |a, b| !(a & b);
    VMANDN |a, b| a & !b;
    VMXOR |a, b| a ^ b;
    VMOR |a, b| a | b;
    VMNOR |a, b| !(a | b);
    VMORN |a, b| a | !b;
    VMXNOR |a, b| !(a ^ b);
}

#[inline(always)]
fn combine(hart: &mut Hart, fields: Fields, f: impl Fn(u8, u8) -> u8) -> Result<(), Trap> {
    let unit = &mut hart.vector;
    let (start, vl) = (unit.vstart, unit.vl);
    unit.vstart = 0;
    if start >= vl {
        return Ok(());
    }
    let at = |register: u32| register as usize * unit.vlenb;
    let (vd, a, b) = (at(fields.vd()), at(fields.vs2()), at(fields.rs1()));
    for byte in start / 8..vl.div_ceil(8) {
        let body = body_bits(8 * byte, start, vl) as u8;
        let value = f(unit.registers[a + byte], unit.registers[b + byte]);
        let target = &mut unit.registers[vd + byte];
        *target = *target & !body | value & body;
    }
    unit.finish_mask(fields.vd());
    Ok(())
}
