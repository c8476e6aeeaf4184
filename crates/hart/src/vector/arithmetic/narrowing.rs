//! Narrowing right shifts: SEW = 2·SEW >> SEW.

use super::super::check;
use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::fields::Fields;
use super::table::{Extend, checked_widths, for_double};
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// Rows `NAME |a: T, n| value`: `a` of the double-width `vs2`, `n` the shift amount.
macro_rules! narrowing {
    ($($name:literal |$a:ident: $ta:ty, $n:ident| $value:expr;)*) => {
        /// The body of an instruction of this module.
        pub fn body(operation: &str, _form: &str) -> Option<Body> {
            Some(match operation {
                $($name => |hart, word| {
                    let fields = Fields(word);
                    let operand = Operand::unsigned(hart, fields);
                    let walk = checked(hart, fields, operand)?;
                    let unit = &mut hart.vector;
                    for_double!(unit.vtype.sew, E, W => walk.run::<W, E, E>(unit, |a, b, _, _| {
                        let ($a, $n) = (<$ta>::of(a), b.zero_extend() % u64::from(W::BITS));
                        (E::truncate($value as u64), false)
                    }));
                    Ok(())
                },)*
                _ => return None,
            })
        }
    };
}

narrowing! {
    "VNSRL" |a: u64, n| a >> n;
    "VNSRA" |a: i64, n| a >> n;
}

/// The walk of an instruction of SEW with a `vs2` of 2·SEW, if it is legal.
///
/// # Errors
/// Naming the rule it breaks.
#[inline(always)]
pub fn checked(hart: &mut Hart, fields: Fields, operand: Operand) -> Result<Walk, Trap> {
    check::configured(hart)?;
    let sew = hart.vector.vtype.sew as i8;
    checked_widths(hart, fields, operand, (sew, sew + 1))
}
