//! Operations on elements of one width: add, subtract, bitwise, shifts, minimum and maximum.

use super::super::check;
use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::fields::Fields;
use super::super::group::READ_ALIKE;
use super::table::table;
use crate::hart::Hart;
use crate::unit::Trap;

table! {
    checked;
    "VADD" signed |a: u64, b: u64| a.wrapping_add(b);
    "VSUB" signed |a: u64, b: u64| a.wrapping_sub(b);
    "VRSUB" signed |a: u64, b: u64| b.wrapping_sub(a);
    "VAND" signed |a: u64, b: u64| a & b;
    "VOR" signed |a: u64, b: u64| a | b;
    "VXOR" signed |a: u64, b: u64| a ^ b;
    "VSLL" unsigned |a: u64, b: u64| a << (b % u64::from(E::BITS));
    "VSRL" unsigned |a: u64, b: u64| a >> (b % u64::from(E::BITS));
    "VSRA" unsigned |a: u64, b: u64| shift_right_signed::<E>(a, b % u64::from(E::BITS));
    "VMINU" signed |a: u64, b: u64| a.min(b);
    "VMIN" signed |a: i64, b: i64| a.min(b);
    "VMAXU" signed |a: u64, b: u64| a.max(b);
    "VMAX" signed |a: i64, b: i64| a.max(b);
}

/// Shifts a zero-extended element as a signed one. Few hosts have vectors of signed bytes to shift: a byte is
/// shifted as an unsigned one with an offset.
#[inline(always)]
fn shift_right_signed<E: Element>(a: u64, amount: u64) -> u64 {
    if E::BITS == 8 {
        ((a ^ 0x80) >> amount).wrapping_sub(0x80 >> amount)
    } else {
        (E::truncate(a).sign_extend() >> amount) as u64
    }
}

/// The walk of an instruction all of whose operands have SEW and LMUL, if it is legal.
///
/// # Errors
/// Naming the rule it breaks.
#[inline(always)]
pub fn checked(hart: &mut Hart, fields: Fields, operand: Operand) -> Result<Walk, Trap> {
    check::configured(hart)?;
    let unit = &hart.vector;
    let lmul = unit.vtype.lmul;
    unit.aligned(fields.vd(), lmul)?;
    unit.aligned(fields.vs2(), lmul)?;
    if let Operand::Group(vs1) = operand {
        unit.aligned(vs1, lmul)?;
    }
    if fields.masked() {
        unit.spares_mask(fields)?;
        check::rule(fields.vs2() != 0 && operand.group() != Some(0), READ_ALIKE)?;
    }
    Ok(Walk::new(fields, operand, false))
}
