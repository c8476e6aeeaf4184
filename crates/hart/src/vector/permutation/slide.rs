//! Slides.

use super::super::check;
use super::super::element::{Element, for_sew};
use super::super::element_wise::walk_indexed;
use super::super::fields::Fields;
use super::super::kernel::{Found, Immediate, Kernel, kernel};
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "VSLIDEUP__VX" => |hart, word| up(hart, Fields(word), hart.x(Fields(word).rs1() as u16)),
        "VSLIDEUP__VI" => |hart, word| up(hart, Fields(word), Fields(word).rs1().into()),
        "VSLIDEDOWN__VX" => |hart, word| down(hart, Fields(word), hart.x(Fields(word).rs1() as u16)),
        "VSLIDEDOWN__VI" => |hart, word| down(hart, Fields(word), Fields(word).rs1().into()),
        "VSLIDE1UP__VX" => |hart, word| {
            let fields = Fields(word);
            checked(hart, fields, true)?;
            let scalar = hart.vector.scalar(hart.x(fields.rs1() as u16));
            let unit = &mut hart.vector;
            for_sew!(unit.vtype.sew, E => walk_indexed(unit, fields, 0, |unit, index| {
                if index == 0 { E::truncate(scalar) } else { unit.get(fields.vs2(), index - 1) }
            }));
            Ok(())
        },
        "VSLIDE1DOWN__VX" => |hart, word| {
            let fields = Fields(word);
            checked(hart, fields, false)?;
            let scalar = hart.vector.scalar(hart.x(fields.rs1() as u16));
            let unit = &mut hart.vector;
            let last = unit.vl.saturating_sub(1);
            for_sew!(unit.vtype.sew, E => walk_indexed(unit, fields, 0, |unit, index| {
                if index == last { E::truncate(scalar) } else { unit.get(fields.vs2(), index + 1) }
            }));
            Ok(())
        },
        _ => return None,
    })
}

/// The kernel of a slide by a register or an immediate.
pub fn kernel(name: &str, sew: u8) -> Option<Found> {
    kernel! {
        fn up<E, SCALAR>(unit, at) {
            let offset = at.body.min((at.b as usize).saturating_mul(E::BYTES));
            unit.registers.copy_within(at.a..at.a + at.body - offset, at.d + offset);
            unit.fill_tail(at);
        }
    }
    kernel! {
        fn down<E, SCALAR>(unit, at) {
            let end = unit.vlmax(0, unit.vtype.lmul);
            let offset = end.min((at.b as usize).saturating_mul(E::BYTES));
            let moved = at.body.min(end - offset);
            let from = at.a + offset;
            unit.registers.copy_within(from..from + moved, at.d);
            unit.registers[at.d + moved..at.d + at.body].fill(0);
            unit.fill_tail(at);
        }
    }
    let run: Kernel = match name {
        "VSLIDEUP__VX" | "VSLIDEUP__VI" => for_sew!(sew, E => up::<E, true>),
        "VSLIDEDOWN__VX" | "VSLIDEDOWN__VI" => for_sew!(sew, E => down::<E, true>),
        _ => return None,
    };
    Some(Found { run, immediate: Immediate::unsigned })
}

/// True if the instruction leaves elements below an offset alone. Its groups must not overlap.
pub fn slides_up(name: &str) -> bool {
    name.starts_with("VSLIDEUP")
}

/// `vd[i + offset] = vs2[i]`; elements below `offset` stay, whatever the mask.
fn up(hart: &mut Hart, fields: Fields, offset: u64) -> Result<(), Trap> {
    checked(hart, fields, true)?;
    let unit = &mut hart.vector;
    let offset = offset.min(unit.vl as u64) as usize;
    for_sew!(unit.vtype.sew, E => walk_indexed::<E>(unit, fields, offset, |unit, index| {
        unit.get(fields.vs2(), index - offset)
    }));
    Ok(())
}

/// `vd[i] = vs2[i + offset]`, 0 from VLMAX on.
fn down(hart: &mut Hart, fields: Fields, offset: u64) -> Result<(), Trap> {
    checked(hart, fields, false)?;
    let unit = &mut hart.vector;
    let vlmax = unit.vlmax(unit.vtype.sew, unit.vtype.lmul);
    let offset = offset.min(vlmax as u64) as usize;
    for_sew!(unit.vtype.sew, E => walk_indexed::<E>(unit, fields, 0, |unit, index| {
        if index + offset < vlmax { unit.get(fields.vs2(), index + offset) } else { E::truncate(0) }
    }));
    Ok(())
}

fn checked(hart: &mut Hart, fields: Fields, apart: bool) -> Result<(), Trap> {
    check::configured(hart)?;
    let unit = &hart.vector;
    let destination = unit.plain_group(fields.vd())?;
    let source = unit.plain_group(fields.vs2())?;
    unit.operands(fields, destination, &[source])?;
    if apart { destination.apart_from(source) } else { Ok(()) }
}
