//! Moves between integer registers and element 0, and of whole registers.

use isa::operands::Group as Kind;

use super::super::element::{Element, for_sew};
use super::super::fields::{Fields, Immediate};
use super::super::group::Overlap;
use super::super::operation::operations;
use super::super::rules::{Rules, scalar};
use crate::hart::Hart;
use crate::unit::Trap;

const MOVING: Rules =
    Rules { vd: None, vs2: None, immediate: Immediate::Nothing, overlap: Overlap::Any, ..Rules::SIGNED };
const FROM_SCALAR: Rules = Rules { vs2: scalar(0), ..MOVING };
const TO_SCALAR: Rules = Rules { vd: scalar(0), ..MOVING };

const fn whole(registers: u8) -> Rules {
    let registers = Some(Kind::Whole(registers));
    Rules { vd: registers, vs2: registers, ..MOVING }
}

operations! {
    VMV [X__S] FROM_SCALAR => |hart, fields, _| {
        let unit = &mut hart.vector;
        unit.vstart = 0;
        let value = for_sew!(unit.vtype.sew, E => unit.get::<E>(fields.vs2(), 0).sign_extend());
        hart.write_x(fields.vd() as u16, value as u64);
        Ok(())
    };
    VMV [S__X] TO_SCALAR => |hart, fields, _| {
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
    };
    VMV1R [V] whole(1) => |hart, fields, _| copy(hart, fields);
    VMV2R [V] whole(2) => |hart, fields, _| copy(hart, fields);
    VMV4R [V] whole(4) => |hart, fields, _| copy(hart, fields);
    VMV8R [V] whole(8) => |hart, fields, _| copy(hart, fields);
}

/// Copies as many registers as the instruction names, from element `vstart` of SEW on. A `vstart` past them,
/// which the specification reserves, copies nothing, as elsewhere.
fn copy(hart: &mut Hart, fields: Fields) -> Result<(), Trap> {
    let unit = &mut hart.vector;
    let length = unit.vlenb * (fields.rs1() as usize + 1);
    let start = (std::mem::take(&mut unit.vstart) << unit.vtype.sew).min(length);
    let at = |register: u32| register as usize * unit.vlenb;
    let (vd, vs2) = (at(fields.vd()), at(fields.vs2()));
    unit.registers.copy_within(vs2 + start..vs2 + length, vd + start);
    Ok(())
}
