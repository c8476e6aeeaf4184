//! Population count, and what depends on the first active set bit.

use super::super::element_wise::body_bits;
use super::super::fields::Fields;
use super::super::group::Overlap;
use super::super::masking::Masking;
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
        let count: u32 = (0..unit.vl.div_ceil(8)).map(|byte| set_bits(unit, fields, byte).count_ones()).sum();
        hart.write_x(fields.vd() as u16, count.into());
        Ok(())
    } => Masking::VCPOP;
    VFIRST [M] COUNTING => |hart, fields, _| {
        let first = first(&hart.vector, fields);
        hart.write_x(fields.vd() as u16, first.map_or(u64::MAX, |index| index as u64));
        Ok(())
    } => Masking::VFIRST;
    VMSBF [M] SETTING => |hart, fields, _| set(hart, fields, |index, first| index < first) => Masking::VMSBF;
    VMSIF [M] SETTING => |hart, fields, _| set(hart, fields, |index, first| index <= first) => Masking::VMSIF;
    VMSOF [M] SETTING => |hart, fields, _| set(hart, fields, |index, first| index == first) => Masking::VMSOF;
}

/// Which of the eight elements of a byte are active, and which belong to the body.
#[inline(always)]
fn active(unit: &VectorUnit, fields: Fields, byte: usize) -> (u8, u8) {
    let body = body_bits(8 * byte, 0, unit.vl) as u8;
    let mask = if fields.masked() { unit.registers[byte] } else { u8::MAX };
    (body & mask, body)
}

/// The active elements of a byte that are set.
#[inline(always)]
fn set_bits(unit: &VectorUnit, fields: Fields, byte: usize) -> u8 {
    unit.registers[fields.vs2() as usize * unit.vlenb + byte] & active(unit, fields, byte).0
}

/// The first active element that is set.
#[inline(always)]
fn first(unit: &VectorUnit, fields: Fields) -> Option<usize> {
    let mut bytes = (0..unit.vl.div_ceil(8)).map(|byte| (byte, set_bits(unit, fields, byte)));
    let (byte, bits) = bytes.find(|&(_, bits)| bits != 0)?;
    Some(8 * byte + bits.trailing_zeros() as usize)
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
    for byte in 0..unit.vl.div_ceil(8) {
        let (active, body) = active(unit, fields, byte);
        let bits = (0..8).fold(0, |bits, lane| bits | u8::from(f(8 * byte + lane, first)) << lane);
        let target = &mut unit.registers[fields.vd() as usize * unit.vlenb + byte];
        *target = *target & !active | bits & active;
        if ones {
            *target |= body & !active;
        }
    }
    unit.finish_mask(fields.vd());
    Ok(())
}
