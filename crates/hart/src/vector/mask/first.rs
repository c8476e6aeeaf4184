//! Population count, and what depends on the first active set bit.

use super::super::check::{self, rule};
use super::super::fields::Fields;
use super::super::state::VectorUnit;
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "VCPOP__M" => |hart, word| {
            let fields = Fields(word);
            check::configured(hart)?;
            check::restarted(&hart.vector)?;
            let unit = &hart.vector;
            let count = (0..unit.vl).filter(|&index| is_set(unit, fields, index)).count();
            hart.write_x(fields.vd() as u16, count as u64);
            Ok(())
        },
        "VFIRST__M" => |hart, word| {
            let fields = Fields(word);
            check::configured(hart)?;
            check::restarted(&hart.vector)?;
            let first = first(&hart.vector, fields);
            hart.write_x(fields.vd() as u16, first.map_or(u64::MAX, |index| index as u64));
            Ok(())
        },
        "VMSBF__M" => |hart, word| set(hart, Fields(word), |index, first| index < first),
        "VMSIF__M" => |hart, word| set(hart, Fields(word), |index, first| index <= first),
        "VMSOF__M" => |hart, word| set(hart, Fields(word), |index, first| index == first),
        _ => return None,
    })
}

fn is_set(unit: &VectorUnit, fields: Fields, index: usize) -> bool {
    unit.mask_bit(fields.vs2(), index) && unit.active(fields, index)
}

/// The first active element that is set.
fn first(unit: &VectorUnit, fields: Fields) -> Option<usize> {
    (0..unit.vl).find(|&index| is_set(unit, fields, index))
}

/// `vd.mask[i] = f(i, first)`, where `first` lies behind every element if none is set.
#[inline(always)]
fn set(hart: &mut Hart, fields: Fields, f: impl Fn(usize, usize) -> bool) -> Result<(), Trap> {
    check::configured(hart)?;
    let unit = &mut hart.vector;
    check::restarted(unit)?;
    rule(fields.vd() != fields.vs2(), "the destination of vmsbf, vmsif and vmsof must not be the source")?;
    unit.spares_mask(fields)?;
    if unit.vl == 0 {
        return Ok(());
    }
    let first = first(unit, fields).unwrap_or(usize::MAX);
    let ones = unit.fills_inactive(false);
    for index in 0..unit.vl {
        if unit.active(fields, index) {
            unit.set_mask_bit(fields.vd(), index, f(index, first));
        } else if ones {
            unit.set_mask_bit(fields.vd(), index, true);
        }
    }
    unit.finish_mask(fields.vd());
    Ok(())
}
