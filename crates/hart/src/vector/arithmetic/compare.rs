//! Comparisons, carries and borrows, whose results are masks.

use super::super::element::for_sew;
use super::super::element_wise::{MaskUse, walk_to_mask};
use super::super::operation::operations;
use super::super::rules::{MASK, Rules};
use super::table::Extend;

const COMPARING: Rules = Rules { vd: MASK, ..Rules::SIGNED };
/// v0 holds carries, if the instruction is masked.
const CARRYING: Rules = Rules { mask: MaskUse::Operand, ..COMPARING };

/// Rows `NAME [FORMS] RULES |a: T, b: T, carry| value`: `vd.mask[i] = value`.
macro_rules! comparisons {
    ($($name:ident [$($form:ident)*] $rules:ident
        |$a:ident: $ta:ty, $b:ident: $tb:ty $(, $carry:ident)?| $value:expr;)*) => {
        operations! {
            $($name [$($form)*] $rules => |hart, fields, shape| {
                let walk = $rules.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                for_sew!(unit.vtype.sew, E => walk_to_mask::<E>(unit, walk, |a, b, _mask| {
                    let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                    $(let $carry = u128::from(fields.masked() && _mask);)?
                    $value
                }));
                Ok(())
            };)*
        }
    };
}

comparisons! {
    VMSEQ [VV VX VI] COMPARING |a: u64, b: u64| a == b;
    VMSNE [VV VX VI] COMPARING |a: u64, b: u64| a != b;
    VMSLTU [VV VX] COMPARING |a: u64, b: u64| a < b;
    VMSLT [VV VX] COMPARING |a: i64, b: i64| a < b;
    VMSLEU [VV VX VI] COMPARING |a: u64, b: u64| a <= b;
    VMSLE [VV VX VI] COMPARING |a: i64, b: i64| a <= b;
    VMSGTU [VX VI] COMPARING |a: u64, b: u64| a > b;
    VMSGT [VX VI] COMPARING |a: i64, b: i64| a > b;
    VMADC [VV VX VI VVM VXM VIM] CARRYING |a: u128, b: u128, carry| (a + b + carry) >> E::BITS != 0;
    VMSBC [VV VX VVM VXM] CARRYING |a: u128, b: u128, borrow| a < b + borrow;
}
