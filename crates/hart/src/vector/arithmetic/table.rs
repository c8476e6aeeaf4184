//! How a table of operations becomes bodies of instructions.

use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::fields::Fields;
use crate::hart::Hart;
use crate::unit::Trap;

/// An element as a wider integer.
pub trait Extend {
    /// Zero-extended to an unsigned type, sign-extended to a signed one.
    fn of<E: Element>(element: E) -> Self;
}

impl Extend for u64 {
    #[inline(always)]
    fn of<E: Element>(element: E) -> Self {
        element.zero_extend()
    }
}

impl Extend for i64 {
    #[inline(always)]
    fn of<E: Element>(element: E) -> Self {
        element.sign_extend()
    }
}

impl Extend for i128 {
    #[inline(always)]
    fn of<E: Element>(element: E) -> Self {
        element.sign_extend().into()
    }
}

impl Extend for u128 {
    #[inline(always)]
    fn of<E: Element>(element: E) -> Self {
        element.zero_extend().into()
    }
}

/// `fn body` of a module, from rows `NAME immediate |a: T, b: T, d: T| value;`, for instructions of one element
/// width: `vd[i] = value`, with `a` of `vs2`, `b` of the second operand, `d` of `vd` (if named), extended to
/// their types. `immediate` says how that of a `vi` form is extended. `$check` gives the
/// [`Walk`](super::super::element_wise::Walk) of a legal instruction. `E` is the element's type.
macro_rules! table {
    (
        $check:path;
        $($name:literal $immediate:ident
            |$a:ident: $ta:ty, $b:ident: $tb:ty $(, $d:ident: $td:ty)?| $value:expr;)*
    ) => {
        /// The body of an instruction of this module.
        pub fn body(operation: &str, _form: &str) -> Option<$crate::unit::Body> {
            use $crate::vector::arithmetic::table::Extend;
            use $crate::vector::element::for_sew;
            use $crate::vector::element_wise::Operand;
            use $crate::vector::fields::Fields;
            Some(match operation {
                $($name => |hart, word| {
                    let fields = Fields(word);
                    let operand = Operand::$immediate(hart, fields);
                    let walk = $check(hart, fields, operand)?;
                    let unit = &mut hart.vector;
                    for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |a, b, _d, _| {
                        let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                        $(let $d = <$td>::of(_d);)?
                        (E::truncate($value as u64), false)
                    }));
                    Ok(())
                },)*
                _ => return None,
            })
        }

        /// The same for compiled code; `scalar` is true if the second operand is no register group.
        pub fn kernel(operation: &str, scalar: bool, sew: u8) -> Option<$crate::vector::kernel::Found> {
            use $crate::vector::arithmetic::table::Extend;
            use $crate::vector::element::for_sew;
            use $crate::vector::kernel::{Found, Immediate, Kernel, each, kernel};
            Some(match operation {
                $($name => {
                    kernel! {
                        fn run<E, SCALAR>(unit, at) {
                            each::<E, SCALAR>(unit, at, |a, b, _d| {
                                let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                                $(let $d = <$td>::of(_d);)?
                                E::truncate($value as u64)
                            });
                        }
                    }
                    let run: Kernel = for_sew!(sew, E => if scalar { run::<E, true> } else { run::<E, false> });
                    Found { run, immediate: Immediate::$immediate }
                })*
                _ => return None,
            })
        }
    };
}
pub(super) use table;

/// Calls a generic function with the element types of SEW and of 2·SEW, the latter at most 64 bits.
macro_rules! for_double {
    ($sew:expr, $element:ident, $double:ident => $call:expr) => {
        match $sew {
            0 => {
                type $element = u8;
                type $double = u16;
                $call
            }
            1 => {
                type $element = u16;
                type $double = u32;
                $call
            }
            _ => {
                type $element = u32;
                type $double = u64;
                $call
            }
        }
    };
}
pub(in crate::vector) use for_double;

/// The walk of an instruction whose destination and `vs2` have elements of the given widths (log2 of bytes),
/// and its second operand SEW, if it is legal.
///
/// # Errors
/// Naming the rule it breaks.
#[inline(always)]
pub fn checked_widths(
    hart: &Hart,
    fields: Fields,
    operand: Operand,
    (destination, vs2): (i8, i8),
) -> Result<Walk, Trap> {
    let unit = &hart.vector;
    let destination = unit.group(fields.vd(), destination)?;
    let vs2 = unit.group(fields.vs2(), vs2)?;
    let agnostic = match operand {
        Operand::Group(vs1) => unit.operands(fields, destination, &[vs2, unit.plain_group(vs1)?])?,
        Operand::Scalar(_) => unit.operands(fields, destination, &[vs2])?,
    };
    Ok(Walk::new(fields, operand, agnostic))
}
