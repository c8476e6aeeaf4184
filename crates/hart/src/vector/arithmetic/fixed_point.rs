//! Fixed-point arithmetic: saturating, averaging, scaling and clipping.

use super::super::element::{Element, for_sew};
use super::super::operation::{Operation, operations};
use super::super::rules::Rules;
use super::rounding::{Rounding, clip_signed, clip_unsigned};
use super::table::{Extend, for_double};

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    single_width::operation(name).or_else(|| clips::operation(name))
}

mod single_width {
    use super::*;

    /// Rows `NAME [FORMS] RULES |a: T, b: T, rounding| (value, saturated);` with operands extended to 128 bits.
    macro_rules! table {
        ($($name:ident [$($form:ident)*] $rules:path,
            |$a:ident: $ta:ty, $b:ident: $tb:ty, $rounding:ident| $value:expr;)*) => {
            operations! {
                $($name [$($form)*] $rules => |hart, fields, shape| {
                    let walk = $rules.walk(hart, fields, shape);
                    let unit = &mut hart.vector;
                    let $rounding = Rounding::of(unit.vxrm);
                    let saturated = for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |a, b, _, _| {
                        let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                        let (value, saturated) = $value;
                        (value, saturated.into())
                    }));
                    unit.vxsat |= saturated != 0;
                    Ok(())
                };)*
            }
        };
    }

    table! {
        VSADDU [VV VX VI] Rules::SIGNED, |a: u128, b: u128, _rounding| clip_unsigned((a + b) as i128);
        VSADD [VV VX VI] Rules::SIGNED, |a: i128, b: i128, _rounding| clip_signed(a + b);
        VSSUBU [VV VX] Rules::SIGNED, |a: u128, b: u128, _rounding| clip_unsigned(a as i128 - b as i128);
        VSSUB [VV VX] Rules::SIGNED, |a: i128, b: i128, _rounding| clip_signed(a - b);
        VAADDU [VV VX] Rules::SIGNED, |a: u128, b: u128, rounding| wrap(rounding.shift_right((a + b) as i128, 1));
        VAADD [VV VX] Rules::SIGNED, |a: i128, b: i128, rounding| wrap(rounding.shift_right(a + b, 1));
        VASUBU [VV VX] Rules::SIGNED, |a: u128, b: u128, rounding| wrap(rounding.shift_right(a as i128 - b as i128, 1));
        VASUB [VV VX] Rules::SIGNED, |a: i128, b: i128, rounding| wrap(rounding.shift_right(a - b, 1));
        VSMUL [VV VX] Rules::HIGH, |a: i128, b: i128, rounding| {
            clip_signed(rounding.shift_right(a * b, E::BITS - 1))
        };
        VSSRL [VV VX VI] Rules::UNSIGNED, |a: u128, b: u128, rounding| {
            wrap(rounding.shift_right(a as i128, b as u32 % E::BITS))
        };
        VSSRA [VV VX VI] Rules::UNSIGNED, |a: i128, b: u128, rounding| wrap(rounding.shift_right(a, b as u32 % E::BITS));
    }
}

/// The low bits of a result that does not saturate.
#[inline(always)]
fn wrap<E: Element>(value: i128) -> (E, bool) {
    (E::truncate(value as u64), false)
}

mod clips {
    use super::*;

    /// Rows `NAME |a: T| value, clip`: `a` of the double-width `vs2`, shifted right and rounded, then clipped.
    macro_rules! table {
        ($($name:ident |$a:ident: $ta:ty| $value:expr, $clip:ident;)*) => {
            operations! {
                $($name [WV WX WI] Rules::NARROWING => |hart, fields, shape| {
                    let walk = Rules::NARROWING.walk(hart, fields, shape);
                    let unit = &mut hart.vector;
                    let rounding = Rounding::of(unit.vxrm);
                    let saturated = for_double!(unit.vtype.sew, E, W => {
                        walk.run::<W, E, E>(unit, |a, b, _, _| {
                            let $a = <$ta>::of(a);
                            let shift = b.zero_extend() as u32 % W::BITS;
                            let (value, saturated) = $clip(rounding.shift_right($value, shift));
                            (value, saturated.into())
                        })
                    });
                    unit.vxsat |= saturated != 0;
                    Ok(())
                };)*
            }
        };
    }

    table! {
        VNCLIPU |a: u128| a as i128, clip_unsigned;
        VNCLIP |a: i128| a, clip_signed;
    }
}
