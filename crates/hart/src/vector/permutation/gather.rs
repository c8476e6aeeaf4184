//! Register gathers. An index of VLMAX or more gives 0.

use super::super::check;
use super::super::element::{Element, for_sew};
use super::super::element_wise::walk_indexed;
use super::super::fields::Fields;
use super::super::state::VectorUnit;
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "VRGATHER__VV" => |hart, word| {
            let fields = Fields(word);
            check::configured(hart)?;
            let sew = hart.vector.vtype.sew;
            checked(&hart.vector, fields, Some(sew))?;
            let unit = &mut hart.vector;
            for_sew!(sew, E => gather::<E, E>(unit, fields));
            Ok(())
        },
        "VRGATHEREI16__VV" => |hart, word| {
            let fields = Fields(word);
            check::configured(hart)?;
            checked(&hart.vector, fields, Some(1))?;
            let unit = &mut hart.vector;
            for_sew!(unit.vtype.sew, E => gather::<E, u16>(unit, fields));
            Ok(())
        },
        "VRGATHER__VX" => |hart, word| splat(hart, Fields(word), hart.x(Fields(word).rs1() as u16)),
        "VRGATHER__VI" => |hart, word| splat(hart, Fields(word), Fields(word).rs1().into()),
        _ => return None,
    })
}

/// `vd[i] = vs2[vs1[i]]` with indices of type `I`.
fn gather<E: Element, I: Element>(unit: &mut VectorUnit, fields: Fields) {
    let vlmax = unit.vlmax(unit.vtype.sew, unit.vtype.lmul) as u64;
    walk_indexed::<E>(unit, fields, 0, |unit, index| {
        let from = unit.get::<I>(fields.rs1(), index).zero_extend();
        if from < vlmax { unit.get(fields.vs2(), from as usize) } else { E::truncate(0) }
    });
}

/// `vd[i] = vs2[from]`.
fn splat(hart: &mut Hart, fields: Fields, from: u64) -> Result<(), Trap> {
    check::configured(hart)?;
    checked(&hart.vector, fields, None)?;
    let unit = &mut hart.vector;
    let vlmax = unit.vlmax(unit.vtype.sew, unit.vtype.lmul) as u64;
    for_sew!(unit.vtype.sew, E => {
        let value = if from < vlmax { unit.get(fields.vs2(), from as usize) } else { E::truncate(0) };
        walk_indexed(unit, fields, 0, |_, _| value);
    });
    Ok(())
}

/// The rules, with indices of width `index` (log2 of bytes) in `vs1`, if there.
fn checked(unit: &VectorUnit, fields: Fields, index: Option<u8>) -> Result<(), Trap> {
    unit.spares_mask(fields)?;
    let destination = unit.plain_group(fields.vd())?;
    let vs2 = unit.plain_group(fields.vs2())?;
    destination.apart_from(vs2)?;
    match index {
        Some(width) => {
            let vs1 = unit.group(fields.rs1(), width as i8)?;
            destination.apart_from(vs1)?;
            unit.read_alike(fields, &[vs2, vs1])
        }
        None => unit.read_alike(fields, &[vs2]),
    }
}
