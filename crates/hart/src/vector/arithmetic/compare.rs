//! Comparisons, carries and borrows, whose results are masks.

use super::super::element::{Element, for_sew};
use super::super::element_wise::{MaskUse, walk_to_mask};
use super::super::kernel::At;
use super::super::masking::{Compared, Comparison};
use super::super::mixed::{Mixed, Widths, each_to_mask};
use super::super::operation::operations;
use super::super::rules::{MASK, Rules};
use super::super::state::VectorUnit;
use super::table::Extend;

const COMPARING: Rules = Rules { vd: MASK, ..Rules::SIGNED };
/// v0 holds carries.
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
                    $(let $carry = _mask;)?
                    $value
                }));
                Ok(())
            } => {
                struct Kernels;

                impl Mixed for Kernels {
                    const RESULT: Option<u8> = None;

                    #[inline(always)]
                    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At) {
                        each_to_mask::<E, SCALAR>(unit, at, |a, b, _mask| {
                            let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                            $(let $carry = _mask;)?
                            $value
                        });
                    }
                }

                Compared {
                    comparison: Comparison::$name,
                    carries: !stringify!($($carry)?).is_empty(),
                    widths: Widths::new::<Kernels>(),
                }
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
    VMADC [VV VX VI] COMPARING |a: u64, b: u64| E::truncate(a.wrapping_add(b)) < E::truncate(a);
    VMADC [VVM VXM VIM] CARRYING |a: u64, b: u64, carry| {
        let sum = E::truncate(a.wrapping_add(b));
        sum < E::truncate(a) || carry && sum == E::ONES
    };
    VMSBC [VV VX] COMPARING |a: u64, b: u64| a < b;
    VMSBC [VVM VXM] CARRYING |a: u64, b: u64, borrow| a < b || borrow && a == b;
}
