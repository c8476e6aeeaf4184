//! Compression.

use super::super::check;
use super::super::element::{Element, for_sew};
use super::super::fields::Fields;
use super::super::group::Group;
use super::super::state::VectorUnit;
use crate::unit::Body;

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "VCOMPRESS__VM" => |hart, word| {
            let fields = Fields(word);
            check::configured(hart)?;
            let unit = &mut hart.vector;
            check::restarted(unit)?;
            let destination = unit.plain_group(fields.vd())?;
            let vs2 = unit.plain_group(fields.vs2())?;
            let mask = Group::mask(fields.rs1());
            destination.apart_from(vs2)?;
            destination.apart_from(mask)?;
            unit.read_alike(fields, &[vs2, mask])?;
            for_sew!(unit.vtype.sew, E => compress::<E>(unit, fields));
            Ok(())
        },
        _ => return None,
    })
}

/// Packs the elements of `vs2` that the mask `vs1` selects; those behind them are tail.
fn compress<E: Element>(unit: &mut VectorUnit, fields: Fields) {
    let mut packed = 0;
    for index in 0..unit.vl {
        if unit.mask_bit(fields.rs1(), index) {
            let value = unit.get::<E>(fields.vs2(), index);
            unit.set(fields.vd(), packed, value);
            packed += 1;
        }
    }
    if unit.vl > 0 && unit.fills_tail(false) {
        let vlmax = unit.vlmax(unit.vtype.sew, unit.vtype.lmul);
        let end = unit.vlenb.max(vlmax * E::BYTES);
        unit.fill_ones(fields.vd(), packed * E::BYTES..end);
    }
}
