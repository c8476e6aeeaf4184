//! Compression.

use super::super::element::{Element, for_sew};
use super::super::fields::Fields;
use super::super::operation::operations;
use super::super::rules::{APART, MASK, Rules};
use super::super::state::VectorUnit;

const SELECTING: Rules = Rules { vs1: MASK, overlap: APART, restarts: true, ..Rules::SIGNED };

operations! {
    VCOMPRESS [VM] SELECTING => |hart, fields, _| {
        let unit = &mut hart.vector;
        for_sew!(unit.vtype.sew, E => compress::<E>(unit, fields));
        Ok(())
    };
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
