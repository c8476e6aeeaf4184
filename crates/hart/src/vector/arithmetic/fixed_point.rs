//! Fixed-point arithmetic: saturating, averaging, scaling and clipping.

#![allow(clippy::upper_case_acronyms, reason = "the instructions' own names")]

use std::marker::PhantomData;

use super::super::element::{Element, Wide, for_sew};
use super::super::kernel::At;
use super::super::mixed::{Fixed, Mixed, Mixing, WhereActive, Widths, mix};
use super::super::operation::{Compiled, Operation, Unchecked, checked, operations};
use super::super::rules::{Rules, power};
use super::super::state::VectorUnit;
use super::rounding::{Rounding, clip_signed, clip_unsigned, narrow};
use super::table::for_double;

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    single_width::operation(name).or_else(|| clips::operation(name))
}

/// An operation on all elements, or on those that are active.
struct On<T, const ACTIVE: bool>(PhantomData<T>);

/// An operation and its kernels, for all elements and for active ones.
struct FixedPoint(Fixed, [Widths; 2]);

impl FixedPoint {
    /// With its body.
    const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Fixed(self.0, self.1, checked::<B>)
    }
}

/// The kernels of an operation.
macro_rules! widths {
    ($name:ident) => {
        [Widths::new::<On<$name, false>>(), Widths::new::<On<$name, true>>()]
    };
}

/// Evaluates an expression with the rounding mode, as a constant if it is that of reset, in which nearly all code computes.
macro_rules! with_rounding {
    ($unit:expr, $rounds:expr, $rounding:ident => $call:expr) => {
        if !$rounds || $unit.vxrm == Rounding::NEAREST_UP {
            let $rounding = Rounding(Rounding::NEAREST_UP);
            $call
        } else {
            let $rounding = Rounding($unit.vxrm);
            $call
        }
    };
}

mod single_width {
    use super::*;

    /// Rows `NAME [FORMS] RULES |a: EXTENSION, b: EXTENSION, rounding| (value, saturated);`, where `saturated` is a number
    /// other than 0 if the value is not the exact one, and `rounding` is left out if nothing is rounded.
    macro_rules! table {
        ($($name:ident [$($form:ident)*] $rules:path,
            |$a:ident: $of_a:ident, $b:ident: $of_b:ident $(, $rounding:ident)?| $value:expr;)*) => {
            $(
                #[derive(Clone, Copy)]
                struct $name(Rounding);

                impl<E: Element> Mixing<E, E, E> for $name {
                    type Raised = E::Wide;

                    #[inline(always)]
                    fn of(self, a: E, b: E, _: E, _: bool) -> (E, E::Wide) {
                        let ($a, $b) = (a.$of_a(), b.$of_b());
                        let _rounding = self.0;
                        $(let $rounding = _rounding;)?
                        $value
                    }
                }

                impl<const ACTIVE: bool> Mixed for On<$name, ACTIVE> {
                    const RESULT: Option<u8> = Some(0);

                    #[inline(always)]
                    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At) {
                        const ROUNDS: bool = !stringify!($($rounding)?).is_empty();
                        let count = at.body / E::BYTES;
                        let saturated = with_rounding!(unit, ROUNDS, rounding => {
                            if ACTIVE {
                                mix::<E, E, E, SCALAR>(unit, at, count, WhereActive($name(rounding)))
                            } else {
                                mix::<E, E, E, SCALAR>(unit, at, count, $name(rounding))
                            }
                        });
                        unit.vxsat |= saturated;
                    }
                }
            )*

            operations! {
                $($name [$($form)*] $rules => |hart, fields, shape| {
                    let walk = $rules.walk(hart, fields, shape);
                    let unit = &mut hart.vector;
                    let mixing = $name(Rounding(unit.vxrm));
                    let saturated = for_sew!(unit.vtype.sew, E => {
                        walk.run::<E, E, E>(unit, |a, b, d, bit| to_bit(mixing.of(a, b, d, bit)))
                    });
                    unit.vxsat |= saturated != 0;
                    Ok(())
                } => FixedPoint(Fixed::$name, widths!($name));)*
            }
        };
    }

    table! {
        VSADDU [VV VX VI] Rules::SIGNED, |a: unsigned, b: unsigned| clip_unsigned::<E, E>(a + b);
        VSADD [VV VX VI] Rules::SIGNED, |a: signed, b: signed| clip_signed::<E, E>(a + b);
        VSSUBU [VV VX] Rules::SIGNED, |a: unsigned, b: unsigned| clip_unsigned::<E, E>(a - b);
        VSSUB [VV VX] Rules::SIGNED, |a: signed, b: signed| clip_signed::<E, E>(a - b);
        VAADDU [VV VX] Rules::SIGNED, |a: unsigned, b: unsigned, rounding| wrap(rounding.shift_right(a + b, Wide::of(1)));
        VAADD [VV VX] Rules::SIGNED, |a: signed, b: signed, rounding| wrap(rounding.shift_right(a + b, Wide::of(1)));
        VASUBU [VV VX] Rules::SIGNED, |a: unsigned, b: unsigned, rounding| {
            wrap(rounding.shift_right(a - b, Wide::of(1)))
        };
        VASUB [VV VX] Rules::SIGNED, |a: signed, b: signed, rounding| wrap(rounding.shift_right(a - b, Wide::of(1)));
        VSMUL [VV VX] Rules::HIGH, |a: signed, b: signed, rounding| {
            clip_signed::<E, E>(rounding.shift_right(a * b, Wide::of(E::BITS as i8 - 1)))
        };
        VSSRL [VV VX VI] Rules::UNSIGNED, |a: unsigned, b: unsigned, rounding| scale::<E>(rounding, a, b, false);
        VSSRA [VV VX VI] Rules::UNSIGNED, |a: signed, b: unsigned, rounding| scale::<E>(rounding, a, b, true);
    }
}

/// An extended element shifted right by an operand, and rounded.
#[inline(always)]
fn scale<E: Element>(rounding: Rounding, value: E::Wide, operand: E::Wide, signed: bool) -> (E, E::Wide) {
    let by = amount::<E>(operand);
    if E::BITS < 64 {
        wrap(rounding.shift_right(value, by))
    } else {
        let [value, by] = [value, by].map(|wide| wide.low() as i64);
        wrap(E::Wide::truncate(rounding.shift_right_within(value, by, signed) as u64))
    }
}

/// The same with a bit for what is raised.
#[inline(always)]
fn to_bit<E: Element, W: Wide>((value, raised): (E, W)) -> (E, u8) {
    (value, (raised != W::of(0)).into())
}

/// How far an operand shifts an element.
#[inline(always)]
fn amount<E: Element>(operand: E::Wide) -> E::Wide {
    operand & E::Wide::of(E::BITS as i8 - 1)
}

/// The low bits of a result that does not saturate.
#[inline(always)]
fn wrap<E: Element>(value: E::Wide) -> (E, E::Wide) {
    (E::truncate(value.low()), E::Wide::of(0))
}

mod clips {
    use super::*;

    /// Rows `NAME signed;`: an element of the double-width `vs2`, shifted right and rounded, then clipped.
    macro_rules! table {
        ($($name:ident $signed:literal;)*) => {
            $(
                #[derive(Clone, Copy)]
                struct $name(Rounding);

                impl<W: Element, E: Element> Mixing<W, E, E> for $name {
                    type Raised = E::Wide;

                    #[inline(always)]
                    fn of(self, a: W, b: E, _: E, _: bool) -> (E, E::Wide) {
                        let by = E::Wide::truncate(b.zero_extend()) & E::Wide::of(W::BITS as i8 - 1);
                        let value = E::Wide::truncate(a.zero_extend());
                        narrow(self.0.shift_right_within(value, by, $signed), $signed)
                    }
                }

                impl<const ACTIVE: bool> Mixed for On<$name, ACTIVE> {
                    const RESULT: Option<u8> = Some(power(Rules::NARROWING.vd));

                    #[inline(always)]
                    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At) {
                        let count = at.body / E::BYTES;
                        let saturated = with_rounding!(unit, true, rounding => {
                            if ACTIVE {
                                mix::<W, E, E, SCALAR>(unit, at, count, WhereActive($name(rounding)))
                            } else {
                                mix::<W, E, E, SCALAR>(unit, at, count, $name(rounding))
                            }
                        });
                        unit.vxsat |= saturated;
                    }
                }
            )*

            operations! {
                $($name [WV WX WI] Rules::NARROWING => |hart, fields, shape| {
                    let walk = Rules::NARROWING.walk(hart, fields, shape);
                    let unit = &mut hart.vector;
                    let mixing = $name(Rounding(unit.vxrm));
                    let saturated = for_double!(unit.vtype.sew, E, W => {
                        walk.run::<W, E, E>(unit, |a: W, b: E, d: E, bit| to_bit(mixing.of(a, b, d, bit)))
                    });
                    unit.vxsat |= saturated != 0;
                    Ok(())
                } => FixedPoint(Fixed::$name, widths!($name));)*
            }
        };
    }

    table! {
        VNCLIPU false;
        VNCLIP true;
    }
}
