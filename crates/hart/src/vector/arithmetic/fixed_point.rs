//! Fixed-point arithmetic: saturating, averaging, scaling and clipping.

use super::super::element::{Element, for_sew};
use super::super::element_wise::Operand;
use super::super::fields::Fields;
use super::multiply::checked_high;
use super::narrowing;
use super::rounding::{Rounding, clip_signed, clip_unsigned};
use super::single_width::checked;
use super::table::{Extend, for_double};
use crate::unit::Body;

/// The body of an instruction of this module.
pub fn body(operation: &str, _form: &str) -> Option<Body> {
    single_width(operation).or_else(|| clip(operation))
}

/// Rows `NAME check immediate |a: T, b: T, rounding| (value, saturated);` with operands extended to 128 bits.
macro_rules! single_width {
    ($($name:literal $check:ident $immediate:ident
        |$a:ident: $ta:ty, $b:ident: $tb:ty, $rounding:ident| $value:expr;)*) => {
        fn single_width(operation: &str) -> Option<Body> {
            Some(match operation {
                $($name => |hart, word| {
                    let fields = Fields(word);
                    let operand = Operand::$immediate(hart, fields);
                    let walk = $check(hart, fields, operand)?;
                    let unit = &mut hart.vector;
                    let $rounding = Rounding::of(unit.vxrm);
                    let saturated = for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |a, b, _, _| {
                        let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                        $value
                    }));
                    unit.vxsat |= saturated;
                    Ok(())
                },)*
                _ => return None,
            })
        }
    };
}

single_width! {
    "VSADDU" checked signed |a: u128, b: u128, _rounding| clip_unsigned((a + b) as i128);
    "VSADD" checked signed |a: i128, b: i128, _rounding| clip_signed(a + b);
    "VSSUBU" checked signed |a: u128, b: u128, _rounding| clip_unsigned(a as i128 - b as i128);
    "VSSUB" checked signed |a: i128, b: i128, _rounding| clip_signed(a - b);
    "VAADDU" checked signed |a: u128, b: u128, rounding| wrap(rounding.shift_right((a + b) as i128, 1));
    "VAADD" checked signed |a: i128, b: i128, rounding| wrap(rounding.shift_right(a + b, 1));
    "VASUBU" checked signed |a: u128, b: u128, rounding| wrap(rounding.shift_right(a as i128 - b as i128, 1));
    "VASUB" checked signed |a: i128, b: i128, rounding| wrap(rounding.shift_right(a - b, 1));
    "VSMUL" checked_high signed |a: i128, b: i128, rounding| {
        clip_signed(rounding.shift_right(a * b, E::BITS - 1))
    };
    "VSSRL" checked unsigned |a: u128, b: u128, rounding| {
        wrap(rounding.shift_right(a as i128, b as u32 % E::BITS))
    };
    "VSSRA" checked unsigned |a: i128, b: u128, rounding| wrap(rounding.shift_right(a, b as u32 % E::BITS));
}

/// The low bits of a result that does not saturate.
#[inline(always)]
fn wrap<E: Element>(value: i128) -> (E, bool) {
    (E::truncate(value as u64), false)
}

/// Rows `NAME |a: T| clip`: `a` of the double-width `vs2`, shifted right and rounded, then clipped.
macro_rules! clips {
    ($($name:literal |$a:ident: $ta:ty| $value:expr, $clip:ident;)*) => {
        fn clip(operation: &str) -> Option<Body> {
            Some(match operation {
                $($name => |hart, word| {
                    let fields = Fields(word);
                    let operand = Operand::unsigned(hart, fields);
                    let walk = narrowing::checked(hart, fields, operand)?;
                    let unit = &mut hart.vector;
                    let rounding = Rounding::of(unit.vxrm);
                    let saturated = for_double!(unit.vtype.sew, E, W => {
                        walk.run::<W, E, E>(unit, |a, b, _, _| {
                            let $a = <$ta>::of(a);
                            let shift = b.zero_extend() as u32 % W::BITS;
                            $clip(rounding.shift_right($value, shift))
                        })
                    });
                    unit.vxsat |= saturated;
                    Ok(())
                },)*
                _ => return None,
            })
        }
    };
}

clips! {
    "VNCLIPU" |a: u128| a as i128, clip_unsigned;
    "VNCLIP" |a: i128| a, clip_signed;
}
