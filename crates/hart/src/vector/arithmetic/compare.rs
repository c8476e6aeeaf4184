//! Comparisons, whose results are masks.

use super::super::check;
use super::super::element::for_sew;
use super::super::element_wise::{Operand, Walk, walk_to_mask};
use super::super::fields::Fields;
use super::super::group::Group;
use super::table::Extend;
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// Rows `NAME |a: T, b: T| value`: `vd.mask[i] = value`.
macro_rules! comparisons {
    ($($name:literal |$a:ident: $ta:ty, $b:ident: $tb:ty| $value:expr;)*) => {
        /// The body of an instruction of this module.
        pub fn body(operation: &str, _form: &str) -> Option<Body> {
            Some(match operation {
                $($name => |hart, word| {
                    let fields = Fields(word);
                    let walk = checked(hart, fields, Operand::signed(hart, fields))?;
                    let unit = &mut hart.vector;
                    for_sew!(unit.vtype.sew, E => walk_to_mask::<E>(unit, walk, |a, b, _| {
                        let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                        $value
                    }));
                    Ok(())
                },)*
                _ => return None,
            })
        }
    };
}

comparisons! {
    "VMSEQ" |a: u64, b: u64| a == b;
    "VMSNE" |a: u64, b: u64| a != b;
    "VMSLTU" |a: u64, b: u64| a < b;
    "VMSLT" |a: i64, b: i64| a < b;
    "VMSLEU" |a: u64, b: u64| a <= b;
    "VMSLE" |a: i64, b: i64| a <= b;
    "VMSGTU" |a: u64, b: u64| a > b;
    "VMSGT" |a: i64, b: i64| a > b;
}

/// The walk of an instruction that writes a mask from operands of SEW and LMUL, if it is legal.
///
/// # Errors
/// Naming the rule it breaks.
#[inline(always)]
pub fn checked(hart: &mut Hart, fields: Fields, operand: Operand) -> Result<Walk, Trap> {
    check::configured(hart)?;
    let unit = &hart.vector;
    let destination = Group::mask(fields.vd());
    let vs2 = unit.plain_group(fields.vs2())?;
    let agnostic = match operand {
        Operand::Group(vs1) => unit.operands(fields, destination, &[vs2, unit.plain_group(vs1)?])?,
        Operand::Scalar(_) => unit.operands(fields, destination, &[vs2])?,
    };
    Ok(Walk::new(fields, operand, agnostic))
}
