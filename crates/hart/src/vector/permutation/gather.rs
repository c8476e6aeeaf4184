//! Register gathers. An index of VLMAX or more gives 0.

use isa::operands::{Eew, Group as Kind};

use super::super::element::{Element, for_sew};
use super::super::element_wise::{Operand, walk_indexed};
use super::super::fields::Fields;
use super::super::operation::operations;
use super::super::rules::{APART, Rules, Shape};
use super::super::state::VectorUnit;
use crate::hart::Hart;
use crate::unit::Trap;

const GATHERING: Rules = Rules { overlap: APART, ..Rules::UNSIGNED };
const BY_16_BITS: Rules = Rules { vs1: Some(Kind::Elements(Eew::Bits(16))), ..GATHERING };

operations! {
    VRGATHER [VV] GATHERING => |hart, fields, _| {
        let unit = &mut hart.vector;
        for_sew!(unit.vtype.sew, E => gather::<E, E>(unit, fields));
        Ok(())
    };
    VRGATHEREI16 [VV] BY_16_BITS => |hart, fields, _| {
        let unit = &mut hart.vector;
        for_sew!(unit.vtype.sew, E => gather::<E, u16>(unit, fields));
        Ok(())
    };
    VRGATHER [VX VI] GATHERING => splat;
}

/// `vd[i] = vs2[vs1[i]]` with indices of type `I`.
fn gather<E: Element, I: Element>(unit: &mut VectorUnit, fields: Fields) {
    let vlmax = unit.vlmax(unit.vtype.sew, unit.vtype.lmul) as u64;
    walk_indexed::<E>(unit, fields, |unit, index| {
        let from = unit.get::<I>(fields.rs1(), index).zero_extend();
        if from < vlmax { unit.get(fields.vs2(), from as usize) } else { E::truncate(0) }
    });
}

/// `vd[i] = vs2[from]`.
fn splat(hart: &mut Hart, fields: Fields, shape: Shape) -> Result<(), Trap> {
    let Operand::Scalar(from) = Operand::of(hart, shape.second) else { return Ok(()) };
    let unit = &mut hart.vector;
    let vlmax = unit.vlmax(unit.vtype.sew, unit.vtype.lmul) as u64;
    for_sew!(unit.vtype.sew, E => {
        let value = if from < vlmax { unit.get(fields.vs2(), from as usize) } else { E::truncate(0) };
        walk_indexed(unit, fields, |_, _| value);
    });
    Ok(())
}
