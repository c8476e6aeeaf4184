//! Zvbb and Zvkb: and-not, reversals, counts, rotations, and the widening shift.

use super::super::arithmetic::for_double;
use super::super::check;
use super::super::element::{Element, for_sew};
use super::super::element_wise::{Operand, Walk};
use super::super::fields::Fields;
use super::super::kernel::{Found, Immediate, Kernel, each, kernel};
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// `fn single_width`, from rows `NAMES => operand |a, b| value;` with `a` of `vs2` and `b` of the second operand,
/// zero-extended; of the value the destination keeps SEW bits. `E` is the element's type.
macro_rules! single_width {
    ($($names:pat => $operand:ident |$a:ident, $b:ident| $value:expr;)*) => {
        fn single_width(name: &str) -> Option<Body> {
            Some(match name {
                $($names => |hart, word| {
                    let fields = Fields(word);
                    let operand = $operand(hart, fields);
                    let walk = checked(hart, fields, operand, 0)?;
                    let unit = &mut hart.vector;
                    for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |a, b, _, _| {
                        let ($a, $b) = (a.zero_extend(), b.zero_extend());
                        (E::truncate($value), false)
                    }));
                    Ok(())
                },)*
                _ => return None,
            })
        }

        /// The kernel of an instruction of this module whose elements all have one width.
        pub fn kernel(name: &str, scalar: bool, sew: u8) -> Option<Found> {
            Some(match name {
                $($names => {
                    kernel! {
                        fn run<E, SCALAR>(unit, at) {
                            each::<E, SCALAR>(unit, at, |a, b, _| {
                                let ($a, $b) = (a.zero_extend(), b.zero_extend());
                                E::truncate($value)
                            });
                        }
                    }
                    let run: Kernel = for_sew!(sew, E => if scalar { run::<E, true> } else { run::<E, false> });
                    Found { run, immediate: Immediate::$operand }
                })*
                _ => return None,
            })
        }
    };
}

single_width! {
    "VANDN__VV" | "VANDN__VX" => register |a, b| a & !b;
    "VBREV__V" => none |a, _b| a.reverse_bits() >> (64 - E::BITS);
    "VBREV8__V" => none |a, _b| a.swap_bytes().reverse_bits();
    "VREV8__V" => none |a, _b| a.swap_bytes() >> (64 - E::BITS);
    "VCLZ__V" => none |a, _b| u64::from(a.leading_zeros() + E::BITS - 64);
    "VCTZ__V" => none |a, _b| u64::from(a.trailing_zeros().min(E::BITS));
    "VCPOP__V" => none |a, _b| u64::from(a.count_ones());
    "VROL__VV" | "VROL__VX" => register |a, b| rotate_right::<E>(a, b.wrapping_neg());
    "VROR__VV" | "VROR__VX" => register |a, b| rotate_right::<E>(a, b);
    "VROR__VI" => six_bits |a, b| rotate_right::<E>(a, b);
}

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    match name {
        "VWSLL__VV" | "VWSLL__VX" | "VWSLL__VI" => Some(widening_shift),
        _ => single_width(name),
    }
}

fn widening_shift(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    let fields = Fields(word);
    let operand = Operand::unsigned(hart, fields);
    let walk = checked(hart, fields, operand, 1)?;
    let unit = &mut hart.vector;
    for_double!(unit.vtype.sew, E, W => walk.run::<E, E, W>(unit, |a, b, _, _| {
        (W::truncate(a.zero_extend() << (b.zero_extend() % u64::from(W::BITS))), false)
    }));
    Ok(())
}

/// The low bits are those of the element rotated.
#[inline(always)]
fn rotate_right<E: Element>(element: u64, by: u64) -> u64 {
    let bits = u64::from(E::BITS);
    element >> (by % bits) | element << (by.wrapping_neg() % bits)
}

/// `vs1` or an integer register.
#[inline(always)]
fn register(hart: &Hart, fields: Fields) -> Operand {
    Operand::unsigned(hart, fields)
}

/// The field of the second operand is a part of the operation.
#[inline(always)]
const fn none(_: &Hart, _: Fields) -> Operand {
    Operand::Scalar(0)
}

/// An immediate whose sixth bit is the lowest of funct6.
#[inline(always)]
fn six_bits(_: &Hart, fields: Fields) -> Operand {
    Operand::Scalar(u64::from(fields.rs1() | (fields.0 >> 26 & 1) << 5))
}

/// The walk of an instruction whose destination is 2^`widening` times as wide as its sources, if it is legal.
///
/// # Errors
/// Naming the rule it breaks.
#[inline(always)]
pub fn checked(hart: &mut Hart, fields: Fields, operand: Operand, widening: i8) -> Result<Walk, Trap> {
    check::configured(hart)?;
    let unit = &hart.vector;
    let vd = unit.group(fields.vd(), unit.vtype.sew as i8 + widening)?;
    let vs2 = unit.plain_group(fields.vs2())?;
    let agnostic = match operand {
        Operand::Group(vs1) => unit.operands(fields, vd, &[vs2, unit.plain_group(vs1)?])?,
        Operand::Scalar(_) => unit.operands(fields, vd, &[vs2])?,
    };
    Ok(Walk::new(fields, operand, agnostic))
}
