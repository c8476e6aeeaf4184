//! Fixed-point arithmetic: saturating, averaging, scaling and clipping.

#![allow(clippy::upper_case_acronyms, reason = "the instructions' own names")]

use super::super::element::{Element, Wide, for_sew};
use super::super::kernel::At;
use super::super::mixed::{Mixed, Mixing, Widths, mix};
use super::super::operation::{Operation, operations};
use super::super::rules::{Rules, power};
use super::super::state::VectorUnit;
use super::rounding::{Rounding, clip_signed, clip_unsigned};
use super::table::for_double;

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    single_width::operation(name).or_else(|| clips::operation(name))
}

mod single_width {
    use super::*;

    /// Rows `NAME [FORMS] RULES |a: EXTENSION, b: EXTENSION, rounding| (value, saturated);`.
    macro_rules! table {
        ($($name:ident [$($form:ident)*] $rules:path,
            |$a:ident: $of_a:ident, $b:ident: $of_b:ident, $rounding:ident| $value:expr;)*) => {
            $(
                #[derive(Clone, Copy)]
                struct $name(Rounding);

                impl<E: Element> Mixing<E, E, E> for $name {
                    #[inline(always)]
                    fn of(self, a: E, b: E, _: E, _: bool) -> (E, u8) {
                        let ($a, $b, $rounding) = (a.$of_a(), b.$of_b(), self.0);
                        let (value, saturated): (E, bool) = $value;
                        (value, saturated.into())
                    }
                }

                impl Mixed for $name {
                    const RESULT: Option<u8> = Some(0);

                    #[inline(always)]
                    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At) {
                        let mixing = Self(Rounding(unit.vxrm));
                        unit.vxsat |= mix::<E, E, E, SCALAR>(unit, at, at.body / E::BYTES, mixing) != 0;
                    }
                }
            )*

            operations! {
                $($name [$($form)*] $rules => |hart, fields, shape| {
                    let walk = $rules.walk(hart, fields, shape);
                    let unit = &mut hart.vector;
                    let mixing = $name(Rounding(unit.vxrm));
                    let saturated = for_sew!(unit.vtype.sew, E => {
                        walk.run::<E, E, E>(unit, |a, b, d, bit| mixing.of(a, b, d, bit))
                    });
                    unit.vxsat |= saturated != 0;
                    Ok(())
                } => Widths::new::<$name>();)*
            }
        };
    }

    table! {
        VSADDU [VV VX VI] Rules::SIGNED, |a: unsigned, b: unsigned, _rounding| clip_unsigned::<E, E>(a + b);
        VSADD [VV VX VI] Rules::SIGNED, |a: signed, b: signed, _rounding| clip_signed::<E, E>(a + b);
        VSSUBU [VV VX] Rules::SIGNED, |a: unsigned, b: unsigned, _rounding| clip_unsigned::<E, E>(a - b);
        VSSUB [VV VX] Rules::SIGNED, |a: signed, b: signed, _rounding| clip_signed::<E, E>(a - b);
        VAADDU [VV VX] Rules::SIGNED, |a: unsigned, b: unsigned, rounding| wrap(rounding.shift_right(a + b, Wide::of(1)));
        VAADD [VV VX] Rules::SIGNED, |a: signed, b: signed, rounding| wrap(rounding.shift_right(a + b, Wide::of(1)));
        VASUBU [VV VX] Rules::SIGNED, |a: unsigned, b: unsigned, rounding| {
            wrap(rounding.shift_right(a - b, Wide::of(1)))
        };
        VASUB [VV VX] Rules::SIGNED, |a: signed, b: signed, rounding| wrap(rounding.shift_right(a - b, Wide::of(1)));
        VSMUL [VV VX] Rules::HIGH, |a: signed, b: signed, rounding| {
            clip_signed::<E, E>(rounding.shift_right(a * b, Wide::of(E::BITS as i8 - 1)))
        };
        VSSRL [VV VX VI] Rules::UNSIGNED, |a: unsigned, b: unsigned, rounding| {
            wrap(rounding.shift_right(a, amount::<E>(b)))
        };
        VSSRA [VV VX VI] Rules::UNSIGNED, |a: signed, b: unsigned, rounding| {
            wrap(rounding.shift_right(a, amount::<E>(b)))
        };
    }
}

/// How far an operand shifts an element.
#[inline(always)]
fn amount<E: Element>(operand: E::Wide) -> E::Wide {
    operand & E::Wide::of(E::BITS as i8 - 1)
}

/// The low bits of a result that does not saturate.
#[inline(always)]
fn wrap<E: Element>(value: E::Wide) -> (E, bool) {
    (E::truncate(value.low()), false)
}

mod clips {
    use super::*;

    /// Rows `NAME |a: EXTENSION| clip;`: `a` of the double-width `vs2`, shifted right and rounded, then clipped.
    macro_rules! table {
        ($($name:ident |$a:ident: $of_a:ident| $clip:ident;)*) => {
            $(
                #[derive(Clone, Copy)]
                struct $name(Rounding);

                impl<W: Element, E: Element> Mixing<W, E, E> for $name {
                    #[inline(always)]
                    fn of(self, a: W, b: E, _: E, _: bool) -> (E, u8) {
                        let by = amount::<W>(W::truncate(b.zero_extend()).unsigned());
                        let (value, saturated) = $clip::<W, E>(self.0.shift_right(a.$of_a(), by));
                        (value, saturated.into())
                    }
                }

                impl Mixed for $name {
                    const RESULT: Option<u8> = Some(power(Rules::NARROWING.vd));

                    #[inline(always)]
                    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At) {
                        let mixing = Self(Rounding(unit.vxrm));
                        unit.vxsat |= mix::<W, E, E, SCALAR>(unit, at, at.body / E::BYTES, mixing) != 0;
                    }
                }
            )*

            operations! {
                $($name [WV WX WI] Rules::NARROWING => |hart, fields, shape| {
                    let walk = Rules::NARROWING.walk(hart, fields, shape);
                    let unit = &mut hart.vector;
                    let mixing = $name(Rounding(unit.vxrm));
                    let saturated = for_double!(unit.vtype.sew, E, W => {
                        walk.run::<W, E, E>(unit, |a: W, b: E, d: E, bit| mixing.of(a, b, d, bit))
                    });
                    unit.vxsat |= saturated != 0;
                    Ok(())
                } => Widths::new::<$name>();)*
            }
        };
    }

    table! {
        VNCLIPU |a: unsigned| clip_unsigned;
        VNCLIP |a: signed| clip_signed;
    }
}
