//! Operations on elements of two widths: widening addition, subtraction, multiplication, multiply-add and shift,
//! 2·SEW = SEW op SEW or 2·SEW op SEW, and narrowing shifts, SEW = 2·SEW >> SEW.

use std::marker::PhantomData;

use super::super::element::Element;
use super::super::group::Overlap;
use super::super::kernel::At;
use super::super::mixed::{Doubled, Doubling, Mixed, Mixing, Widths, mix};
use super::super::operation::operations;
use super::super::rules::{Rules, elements, power};
use super::super::state::VectorUnit;
use super::table::{Extend, for_double};

const WIDENING: Rules = Rules { vd: elements(1), ..Rules::SIGNED };
const SHIFTING: Rules = Rules { vd: elements(1), ..Rules::UNSIGNED };
const WIDE: Rules = Rules { vs2: elements(1), ..WIDENING };
const ACCUMULATING: Rules = Rules { overlap: Overlap::Accumulating, ..WIDENING };

/// Rows `NAME [FORMS] RULES A => D, |a: T, b: T, d: T| value;`: `vd[i] = value`, with `a` of `vs2`, whose elements
/// are of type `A`, `b` of the second operand, `d` of `vd` (if named), extended to their types; `vd` has elements
/// of type `D`. `E` is the type of SEW, `W` that of 2·SEW.
macro_rules! table {
    ($($name:ident [$($form:ident)*] $rules:path, $source:ident => $destination:ident,
        |$a:ident: $ta:ty, $b:ident: $tb:ty $(, $d:ident: $td:ty)?| $value:expr;)*) => {
        operations! {
            $($name [$($form)*] $rules => |hart, fields, shape| {
                let walk = $rules.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                for_double!(unit.vtype.sew, E, W => walk.run::<$source, E, $destination>(unit, |a, b, _d, _| {
                    let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                    $(let $d = <$td>::of(_d);)?
                    ($destination::truncate($value as u64), 0)
                }));
                Ok(())
            } => {
                #[derive(Clone, Copy)]
                struct Kernels;

                impl<E: Element, W: Element> Mixing<$source, E, $destination> for OfTypes<Kernels, E, W> {
                    type Raised = bool;

                    #[inline(always)]
                    fn of(self, a: $source, b: E, _d: $destination, _: bool) -> ($destination, bool) {
                        let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                        $(let $d = <$td>::of(_d);)?
                        ($destination::truncate($value as u64), false)
                    }
                }

                impl Mixed for Kernels {
                    const RESULT: Option<u8> = Some(power($rules.vd));

                    #[inline(always)]
                    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At) {
                        let count = at.body / E::BYTES;
                        let mixing = OfTypes(Self, PhantomData::<(E, W)>);
                        mix::<$source, E, $destination, SCALAR>(unit, at, count, mixing);
                    }
                }

                let from_double = power($rules.vs2) > 0;
                Doubled { doubling: Doubling::$name, from_double, widths: Widths::new::<Kernels>() }
            };)*
        }
    };
}

/// An operation between these types of elements.
#[derive(Clone, Copy)]
struct OfTypes<T, E, W>(T, PhantomData<(E, W)>);

table! {
    VWADDU [VV VX] WIDENING, E => W, |a: u64, b: u64| a + b;
    VWADD [VV VX] WIDENING, E => W, |a: i64, b: i64| a + b;
    VWSUBU [VV VX] WIDENING, E => W, |a: u64, b: u64| a.wrapping_sub(b);
    VWSUB [VV VX] WIDENING, E => W, |a: i64, b: i64| a - b;
    VWMULU [VV VX] WIDENING, E => W, |a: u64, b: u64| a * b;
    VWMULSU [VV VX] WIDENING, E => W, |a: i64, b: u64| a * b as i64;
    VWMUL [VV VX] WIDENING, E => W, |a: i64, b: i64| a * b;
    VWADDU [WV WX] WIDE, W => W, |a: u64, b: u64| a.wrapping_add(b);
    VWADD [WV WX] WIDE, W => W, |a: i64, b: i64| a.wrapping_add(b);
    VWSUBU [WV WX] WIDE, W => W, |a: u64, b: u64| a.wrapping_sub(b);
    VWSUB [WV WX] WIDE, W => W, |a: i64, b: i64| a.wrapping_sub(b);
    VWMACCU [VV VX] ACCUMULATING, E => W, |a: u64, b: u64, d: u64| d.wrapping_add(b * a);
    VWMACC [VV VX] ACCUMULATING, E => W, |a: i64, b: i64, d: i64| d.wrapping_add(b * a);
    VWMACCSU [VV VX] ACCUMULATING, E => W, |a: u64, b: i64, d: i64| d.wrapping_add(b * a as i64);
    VWMACCUS [VX] ACCUMULATING, E => W, |a: i64, b: u64, d: i64| d.wrapping_add(b as i64 * a);
    VWSLL [VV VX VI] SHIFTING, E => W, |a: u64, b: u64| a << (b % u64::from(W::BITS));
    VNSRL [WV WX WI] Rules::NARROWING, W => E, |a: u64, b: u64| a >> (b % u64::from(W::BITS));
    VNSRA [WV WX WI] Rules::NARROWING, W => E, |a: i64, b: u64| a >> (b % u64::from(W::BITS));
}
