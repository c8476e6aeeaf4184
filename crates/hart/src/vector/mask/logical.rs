//! Mask-register logical instructions.

use super::super::check;
use super::super::element_wise::body_bits;
use super::super::fields::Fields;
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// Rows `NAME |a, b| value`: `vd.mask = value` with `a` of `vs2` and `b` of `vs1`, eight elements at a time.
macro_rules! logical {
    ($($name:literal |$a:ident, $b:ident| $value:expr;)*) => {
        /// The body of an instruction of this module.
        pub fn body(name: &str) -> Option<Body> {
            Some(match name {
                $($name => |hart, word| combine(hart, Fields(word), |$a, $b| $value),)*
                _ => return None,
            })
        }
    };
}

logical! {
    "VMAND__MM" |a, b| a & b;
    "VMNAND__MM" |a, b| !(a & b);
    "VMANDN__MM" |a, b| a & !b;
    "VMXOR__MM" |a, b| a ^ b;
    "VMOR__MM" |a, b| a | b;
    "VMNOR__MM" |a, b| !(a | b);
    "VMORN__MM" |a, b| a | !b;
    "VMXNOR__MM" |a, b| !(a ^ b);
}

#[inline(always)]
fn combine(hart: &mut Hart, fields: Fields, f: impl Fn(u8, u8) -> u8) -> Result<(), Trap> {
    check::configured(hart)?;
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
