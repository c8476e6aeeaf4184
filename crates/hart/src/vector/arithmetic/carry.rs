//! Addition with carry, subtraction with borrow, and merges. v0 is an operand; every body element is active.

use super::super::element::{Element, for_sew};
use super::super::element_wise::MaskUse;
use super::super::kernel::At;
use super::super::mixed::{Carry, Mixed, Widths, each_mixed};
use super::super::operation::{Compiled, Unchecked, checked, operations};
use super::super::rules::Rules;
use super::super::state::VectorUnit;

const WITH_MASK: Rules = Rules { mask: MaskUse::Operand, ..Rules::SIGNED };

/// Rows `NAME [FORMS] |a, b, bit| value`: `vd[i] = value`, with `bit` of v0.
macro_rules! table {
    ($($name:ident [$($form:ident)*] |$a:ident, $b:ident, $bit:ident| $value:expr;)*) => {
        operations! {
            $($name [$($form)*] WITH_MASK => |hart, fields, shape| {
                let walk = WITH_MASK.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |a, b, _, $bit| {
                    let ($a, $b) = (a.zero_extend(), b.zero_extend());
                    (E::truncate($value), 0)
                }));
                Ok(())
            } => {
                struct Kernels;

                impl Mixed for Kernels {
                    const RESULT: Option<u8> = Some(0);

                    #[inline(always)]
                    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At) {
                        each_mixed::<E, E, E, SCALAR>(unit, at, at.body / E::BYTES, |a, b, _, $bit| {
                            let ($a, $b) = (a.zero_extend(), b.zero_extend());
                            E::truncate($value)
                        });
                    }
                }

                Carried(Carry::$name, Widths::new::<Kernels>())
            };)*
        }
    };
}

/// An operation and its kernels.
struct Carried(Carry, Widths);

impl Carried {
    /// With its body.
    const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Carried(self.0, self.1, checked::<B>)
    }
}

table! {
    VADC [VVM VXM VIM] |a, b, carry| a.wrapping_add(b).wrapping_add(carry.into());
    VSBC [VVM VXM] |a, b, borrow| a.wrapping_sub(b).wrapping_sub(borrow.into());
    VMERGE [VVM VXM VIM] |a, b, second| if second { b } else { a };
}
