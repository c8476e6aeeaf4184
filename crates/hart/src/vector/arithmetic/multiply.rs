//! Multiplication, division and multiply-add on elements of one width.

use super::super::check::rule;
use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::fields::Fields;
use super::super::kernel::Found;
use super::single_width::checked;
use super::table::table;
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(operation: &str, form: &str) -> Option<Body> {
    low::body(operation, form).or_else(|| high::body(operation, form))
}

/// The kernel of an instruction of this module.
pub fn kernel(operation: &str, scalar: bool, sew: u8) -> Option<Found> {
    let high = || if sew < 3 { high::kernel(operation, scalar, sew) } else { None };
    low::kernel(operation, scalar, sew).or_else(high)
}

mod low {
    use super::*;

    table! {
        checked;
        "VMUL" signed |a: u64, b: u64| a.wrapping_mul(b);
        "VDIVU" signed |a: u64, b: u64| a.checked_div(b).unwrap_or(u64::MAX);
        "VDIV" signed |a: i64, b: i64| if b == 0 { -1 } else { a.wrapping_div(b) };
        "VREMU" signed |a: u64, b: u64| a.checked_rem(b).unwrap_or(a);
        "VREM" signed |a: i64, b: i64| if b == 0 { a } else { a.wrapping_rem(b) };
        "VMACC" signed |a: u64, b: u64, d: u64| d.wrapping_add(b.wrapping_mul(a));
        "VNMSAC" signed |a: u64, b: u64, d: u64| d.wrapping_sub(b.wrapping_mul(a));
        "VMADD" signed |a: u64, b: u64, d: u64| b.wrapping_mul(d).wrapping_add(a);
        "VNMSUB" signed |a: u64, b: u64, d: u64| a.wrapping_sub(b.wrapping_mul(d));
    }
}

mod high {
    use super::*;

    table! {
        checked_high;
        "VMULH" signed |a: i128, b: i128| (a * b) >> E::BITS;
        "VMULHU" signed |a: u128, b: u128| (a * b) >> E::BITS;
        "VMULHSU" signed |a: i128, b: u128| (a * b as i128) >> E::BITS;
    }
}

/// As [`checked`], for instructions that need the high half of a product.
///
/// # Errors
/// Also if products of 64-bit elements are not supported (section "Zve*: Vector Extensions for Embedded
/// Processors").
#[inline(always)]
pub fn checked_high(hart: &mut Hart, fields: Fields, operand: Operand) -> Result<Walk, Trap> {
    let walk = checked(hart, fields, operand)?;
    rule(
        hart.vector.vtype.sew < 3 || hart.vector.wide_products,
        "the high half of a product of 64-bit elements needs V: Zve64x has none",
    )?;
    Ok(walk)
}
