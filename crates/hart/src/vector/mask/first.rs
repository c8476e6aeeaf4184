//! Population count, and what depends on the first active set bit.

use super::super::fields::Fields;
use super::super::group::Overlap;
use super::super::operation::operations;
use super::super::rules::{MASK, Rules};
use super::super::state::VectorUnit;
use crate::hart::Hart;
use crate::unit::Trap;

const COUNTING: Rules = Rules { vd: None, vs2: MASK, restarts: true, ..Rules::UNARY };
const SETTING: Rules = Rules {
    vd: MASK,
    overlap: Overlap::Apart("the destination of vmsbf, vmsif and vmsof must not be the source"),
    ..COUNTING
};

operations! {
    VCPOP [M] COUNTING => |hart, fields, _| {
        let unit = &hart.vector;
        let count = (0..unit.vl).filter(|&index| is_set(unit, fields, index)).count();
        hart.write_x(fields.vd() as u16, count as u64);
        Ok(())
    };
    VFIRST [M] COUNTING => |hart, fields, _| {
        let first = first(&hart.vector, fields);
        hart.write_x(fields.vd() as u16, first.map_or(u64::MAX, |index| index as u64));
        Ok(())
    };
    VMSBF [M] SETTING => |hart, fields, _| set(hart, fields, |index, first| index < first);
    VMSIF [M] SETTING => |hart, fields, _| set(hart, fields, |index, first| index <= first);
    VMSOF [M] SETTING => |hart, fields, _| set(hart, fields, |index, first| index == first);
}

fn is_set(unit: &VectorUnit, fields: Fields, index: usize) -> bool {
    unit.mask_bit(fields.vs2(), index) && unit.active(fields, index)
}

/// The first active element that is set.
fn first(unit: &VectorUnit, fields: Fields) -> Option<usize> {
    (0..unit.vl).find(|&index| is_set(unit, fields, index))
}

/// `vd.mask[i] = f(i, first)`, where `first` lies after every element if none is set.
#[inline(always)]
fn set(hart: &mut Hart, fields: Fields, f: impl Fn(usize, usize) -> bool) -> Result<(), Trap> {
    let unit = &mut hart.vector;
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
