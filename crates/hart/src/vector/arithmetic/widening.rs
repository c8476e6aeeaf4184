//! Widening addition, subtraction, multiplication and multiply-add: 2·SEW = SEW op SEW, 2·SEW = 2·SEW op SEW.

use super::super::check;
use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::fields::Fields;
use super::super::group::READ_ALIKE;
use super::table::{Extend, checked_widths, for_double};
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(operation: &str, form: &str) -> Option<Body> {
    if form.starts_with('W') {
        return wide::body(operation);
    }
    narrow::body(operation).or_else(|| accumulate::body(operation))
}

/// Rows as those of [`table`](super::table::table), of which the destination keeps 2·SEW bits. `vs2` has
/// elements of type `$source`, `E` (SEW) or `W` (2·SEW).
macro_rules! widening {
    (
        $check:path, $source:ident;
        $($name:literal |$a:ident: $ta:ty, $b:ident: $tb:ty $(, $d:ident: $td:ty)?| $value:expr;)*
    ) => {
        pub fn body(operation: &str) -> Option<Body> {
            Some(match operation {
                $($name => |hart, word| {
                    let fields = Fields(word);
                    let operand = Operand::signed(hart, fields);
                    let walk = $check(hart, fields, operand)?;
                    let unit = &mut hart.vector;
                    for_double!(unit.vtype.sew, E, W => walk.run::<$source, E, W>(unit, |a, b, _d, _| {
                        let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                        $(let $d = <$td>::of(_d);)?
                        (W::truncate($value as u64), false)
                    }));
                    Ok(())
                },)*
                _ => return None,
            })
        }
    };
}

mod narrow {
    use super::*;

    widening! {
        checked, E;
        "VWADDU" |a: u64, b: u64| a + b;
        "VWADD" |a: i64, b: i64| a + b;
        "VWSUBU" |a: u64, b: u64| a.wrapping_sub(b);
        "VWSUB" |a: i64, b: i64| a - b;
        "VWMULU" |a: u64, b: u64| a * b;
        "VWMULSU" |a: i64, b: u64| a * b as i64;
        "VWMUL" |a: i64, b: i64| a * b;
    }
}

mod wide {
    use super::*;

    widening! {
        checked_wide, W;
        "VWADDU" |a: u64, b: u64| a.wrapping_add(b);
        "VWADD" |a: i64, b: i64| a.wrapping_add(b);
        "VWSUBU" |a: u64, b: u64| a.wrapping_sub(b);
        "VWSUB" |a: i64, b: i64| a.wrapping_sub(b);
    }
}

mod accumulate {
    use super::*;

    widening! {
        checked_accumulate, E;
        "VWMACCU" |a: u64, b: u64, d: u64| d.wrapping_add(b * a);
        "VWMACC" |a: i64, b: i64, d: i64| d.wrapping_add(b * a);
        "VWMACCSU" |a: u64, b: i64, d: i64| d.wrapping_add(b * a as i64);
        "VWMACCUS" |a: i64, b: u64, d: i64| d.wrapping_add(b as i64 * a);
    }
}

#[inline(always)]
fn checked(hart: &mut Hart, fields: Fields, operand: Operand) -> Result<Walk, Trap> {
    check::configured(hart)?;
    let sew = hart.vector.vtype.sew as i8;
    checked_widths(hart, fields, operand, (sew + 1, sew))
}

#[inline(always)]
fn checked_wide(hart: &mut Hart, fields: Fields, operand: Operand) -> Result<Walk, Trap> {
    check::configured(hart)?;
    let sew = hart.vector.vtype.sew as i8;
    checked_widths(hart, fields, operand, (sew + 1, sew + 1))
}

/// The destination is a source as well, so that it shares registers with no narrower one.
#[inline(always)]
fn checked_accumulate(hart: &mut Hart, fields: Fields, operand: Operand) -> Result<Walk, Trap> {
    let walk = checked(hart, fields, operand)?;
    check::rule(!walk.agnostic, READ_ALIKE)?;
    Ok(walk)
}
