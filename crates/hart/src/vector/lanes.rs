//! Operations on elements of one width that depend on nothing but the elements of one place: the walk of the
//! interpreter, the kernels of compiled code and, by name, its instructions for lanes are made from these rows.

#![allow(clippy::upper_case_acronyms, reason = "the instructions' own names")]

use super::arithmetic::Extend;
use super::element::{Element, for_sew};
use super::fields::{Fields, Immediate};
use super::kernel::{At, Kernel, Together, each, kernel};
use super::operation::{Compiled, operations};
use super::rules::{Needs, Rules, Shape};
use super::state::VectorUnit;
use crate::hart::Hart;
use crate::idioms::clmul;
use crate::unit::Trap;

/// What is computed from elements `a` of `vs2`, `b` of the second operand and `d` of `vd`.
trait Elementwise: 'static {
    fn of<E: Element>(a: E, b: E, d: E) -> E;
}

const SIX_BITS: Rules = Rules { immediate: Immediate::SixBits, ..Rules::SIGNED };
const DOUBLEWORDS: Rules = Rules { needs: Needs::Doublewords, ..Rules::SIGNED };

/// Rows `NAME [FORMS] RULES |a: T, b: T, d: T| value;`: `vd[i] = value`, with `a` of `vs2`, `b` of the second
/// operand, `d` of `vd` (if named), extended to their types. `E` is the element's type.
macro_rules! lanes {
    ($($name:ident [$($form:ident)*] $rules:path,
        |$a:ident: $ta:ty, $b:ident: $tb:ty $(, $d:ident: $td:ty)?| $value:expr;)*) => {
        /// An operation on lanes, named as in the descriptions.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs, reason = "the instructions' own names")]
        pub enum Lane {
            $($name,)*
        }

        $(
            struct $name;

            impl Elementwise for $name {
                #[inline(always)]
                fn of<E: Element>(a: E, b: E, _d: E) -> E {
                    let ($a, $b) = (<$ta>::of(a), <$tb>::of(b));
                    $(let $d = <$td>::of(_d);)?
                    E::truncate($value as u64)
                }
            }
        )*

        operations! {
            $($name [$($form)*] $rules => |hart, fields, shape| {
                walk::<$name>(hart, $rules, fields, shape)
            }, Compiled::Lane(Lane::$name);)*
        }

        impl Lane {
            /// The kernel for elements of SEW, whose second operand is a register group or not.
            pub(super) fn kernel(self, is_group: bool, sew: u8) -> Kernel {
                match self {
                    $(Self::$name => for_sew!(sew, E => if is_group {
                        kernel::<Each<$name, false>, E>
                    } else {
                        kernel::<Each<$name, true>, E>
                    }),)*
                }
            }
        }
    };
}

lanes! {
    VADD [VV VX VI] Rules::SIGNED, |a: u64, b: u64| a.wrapping_add(b);
    VSUB [VV VX] Rules::SIGNED, |a: u64, b: u64| a.wrapping_sub(b);
    VRSUB [VX VI] Rules::SIGNED, |a: u64, b: u64| b.wrapping_sub(a);
    VAND [VV VX VI] Rules::SIGNED, |a: u64, b: u64| a & b;
    VANDN [VV VX] Rules::SIGNED, |a: u64, b: u64| a & !b;
    VOR [VV VX VI] Rules::SIGNED, |a: u64, b: u64| a | b;
    VXOR [VV VX VI] Rules::SIGNED, |a: u64, b: u64| a ^ b;
    VMV [V__V V__X V__I] Rules::MOVE, |_a: u64, b: u64| b;
    VSLL [VV VX VI] Rules::UNSIGNED, |a: u64, b: u64| a << (b % u64::from(E::BITS));
    VSRL [VV VX VI] Rules::UNSIGNED, |a: u64, b: u64| a >> (b % u64::from(E::BITS));
    VSRA [VV VX VI] Rules::UNSIGNED, |a: u64, b: u64| shift_right_signed::<E>(a, b % u64::from(E::BITS));
    VROL [VV VX] Rules::SIGNED, |a: u64, b: u64| rotate_right::<E>(a, b.wrapping_neg());
    VROR [VV VX VI] SIX_BITS, |a: u64, b: u64| rotate_right::<E>(a, b);
    VMINU [VV VX] Rules::SIGNED, |a: u64, b: u64| a.min(b);
    VMIN [VV VX] Rules::SIGNED, |a: i64, b: i64| a.min(b);
    VMAXU [VV VX] Rules::SIGNED, |a: u64, b: u64| a.max(b);
    VMAX [VV VX] Rules::SIGNED, |a: i64, b: i64| a.max(b);
    VMUL [VV VX] Rules::SIGNED, |a: u64, b: u64| a.wrapping_mul(b);
    VMULH [VV VX] Rules::HIGH, |a: i128, b: i128| (a * b) >> E::BITS;
    VMULHU [VV VX] Rules::HIGH, |a: u128, b: u128| (a * b) >> E::BITS;
    VMULHSU [VV VX] Rules::HIGH, |a: i128, b: u128| (a * b as i128) >> E::BITS;
    VDIVU [VV VX] Rules::SIGNED, |a: u64, b: u64| a.checked_div(b).unwrap_or(u64::MAX);
    VDIV [VV VX] Rules::SIGNED, |a: i64, b: i64| if b == 0 { -1 } else { a.wrapping_div(b) };
    VREMU [VV VX] Rules::SIGNED, |a: u64, b: u64| a.checked_rem(b).unwrap_or(a);
    VREM [VV VX] Rules::SIGNED, |a: i64, b: i64| if b == 0 { a } else { a.wrapping_rem(b) };
    VMACC [VV VX] Rules::SIGNED, |a: u64, b: u64, d: u64| d.wrapping_add(b.wrapping_mul(a));
    VNMSAC [VV VX] Rules::SIGNED, |a: u64, b: u64, d: u64| d.wrapping_sub(b.wrapping_mul(a));
    VMADD [VV VX] Rules::SIGNED, |a: u64, b: u64, d: u64| b.wrapping_mul(d).wrapping_add(a);
    VNMSUB [VV VX] Rules::SIGNED, |a: u64, b: u64, d: u64| a.wrapping_sub(b.wrapping_mul(d));
    VBREV [V] Rules::UNARY, |a: u64, _b: u64| a.reverse_bits() >> (64 - E::BITS);
    VBREV8 [V] Rules::UNARY, |a: u64, _b: u64| a.swap_bytes().reverse_bits();
    VREV8 [V] Rules::UNARY, |a: u64, _b: u64| a.swap_bytes() >> (64 - E::BITS);
    VCLZ [V] Rules::UNARY, |a: u64, _b: u64| a.leading_zeros() + E::BITS - 64;
    VCTZ [V] Rules::UNARY, |a: u64, _b: u64| a.trailing_zeros().min(E::BITS);
    VCPOP [V] Rules::UNARY, |a: u64, _b: u64| a.count_ones();
    VCLMUL [VV VX] DOUBLEWORDS, |a: u64, b: u64| clmul(a, b);
    VCLMULH [VV VX] DOUBLEWORDS, |a: u64, b: u64| clmul(a, b) >> 64;
}

/// Shifts a zero-extended element as a signed one. Few hosts have vectors of signed bytes to shift: a byte is
/// shifted as an unsigned one with an offset.
#[inline(always)]
fn shift_right_signed<E: Element>(a: u64, amount: u64) -> u64 {
    if E::BITS == 8 {
        ((a ^ 0x80) >> amount).wrapping_sub(0x80 >> amount)
    } else {
        (E::truncate(a).sign_extend() >> amount) as u64
    }
}

/// The low bits are those of the element rotated.
#[inline(always)]
pub(super) fn rotate_right<E: Element>(element: u64, by: u64) -> u64 {
    let bits = u64::from(E::BITS);
    element >> (by % bits) | element << (by.wrapping_neg() % bits)
}

#[inline(always)]
fn walk<L: Elementwise>(hart: &mut Hart, rules: Rules, fields: Fields, shape: Shape) -> Result<(), Trap> {
    let walk = rules.walk(hart, fields, shape);
    let unit = &mut hart.vector;
    for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |a, b, d, _| (L::of(a, b, d), 0)));
    Ok(())
}

/// The operation on all elements of a body.
struct Each<L, const SCALAR: bool>(L);

impl<L: Elementwise, const SCALAR: bool> Together for Each<L, SCALAR> {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        each::<E, SCALAR>(unit, at, L::of);
    }
}
