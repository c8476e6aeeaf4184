//! Moves between integer registers and element 0, and of whole registers.

use super::super::check;
use super::super::element::{Element, for_sew};
use super::super::fields::Fields;
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "VMV__X__S" => |hart, word| {
            let fields = Fields(word);
            check::configured(hart)?;
            let unit = &mut hart.vector;
            unit.vstart = 0;
            let value = for_sew!(unit.vtype.sew, E => unit.get::<E>(fields.vs2(), 0).sign_extend());
            hart.write_x(fields.vd() as u16, value as u64);
            Ok(())
        },
        "VMV__S__X" => |hart, word| {
            let fields = Fields(word);
            check::configured(hart)?;
            let value = hart.vector.scalar(hart.x(fields.rs1() as u16));
            let unit = &mut hart.vector;
            let start = std::mem::take(&mut unit.vstart);
            if start < unit.vl {
                for_sew!(unit.vtype.sew, E => {
                    unit.set(fields.vd(), 0, E::truncate(value));
                    unit.finish_scalar::<E>(fields.vd(), false);
                });
            }
            Ok(())
        },
        "VMV1R__V" => |hart, word| whole(hart, Fields(word), 0),
        "VMV2R__V" => |hart, word| whole(hart, Fields(word), 1),
        "VMV4R__V" => |hart, word| whole(hart, Fields(word), 2),
        "VMV8R__V" => |hart, word| whole(hart, Fields(word), 3),
        _ => return None,
    })
}

/// Copies 2^`emul` registers, from element `vstart` of SEW on. A `vstart` behind them, which the
/// specification reserves, copies nothing, as elsewhere.
fn whole(hart: &mut Hart, fields: Fields, emul: i8) -> Result<(), Trap> {
    check::configured(hart)?;
    let unit = &mut hart.vector;
    unit.aligned(fields.vd(), emul)?;
    unit.aligned(fields.vs2(), emul)?;
    let length = unit.vlenb << emul;
    let start = (std::mem::take(&mut unit.vstart) << unit.vtype.sew).min(length);
    let at = |register: u32| register as usize * unit.vlenb;
    let (vd, vs2) = (at(fields.vd()), at(fields.vs2()));
    unit.registers.copy_within(vs2 + start..vs2 + length, vd + start);
    Ok(())
}
