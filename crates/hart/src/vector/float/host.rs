//! Arithmetic by the host's own vectors, a step of elements at a time, as long as nothing can differ: see
//! [`Environment::leaves_flags_to_host`]. What is left is done element by element.

use std::ops::{Add, Div, Mul, Neg, Sub};

use softfloat::environment::Environment;
use softfloat::format::Format;

use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::state::VectorUnit;

/// Bytes of a step.
const STEP: usize = 16;

/// A number of the host.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// `self` · `b` + `c`, rounded once.
    fn multiply_add(self, b: Self, c: Self) -> Self;
    /// The square root.
    fn root(self) -> Self;
}

/// An element's bits as a number of the host.
pub trait Numeric: Element {
    /// Its type; `None` of the elements that the host has none for stand for a number.
    type Number: Number;
    /// Whether the host has such numbers.
    const PRESENT: bool;

    /// The number.
    fn number(self) -> Self::Number;
    /// Its bits.
    fn bits(number: Self::Number) -> Self;
}

macro_rules! numbers {
    ($($element:ident $number:ident;)*) => {
        $(
            impl Number for $number {
                #[inline(always)]
                fn multiply_add(self, b: Self, c: Self) -> Self {
                    self.mul_add(b, c)
                }

                #[inline(always)]
                fn root(self) -> Self {
                    self.sqrt()
                }
            }

            impl Numeric for $element {
                type Number = $number;
                const PRESENT: bool = true;

                #[inline(always)]
                fn number(self) -> $number {
                    $number::from_bits(self)
                }

                #[inline(always)]
                fn bits(number: $number) -> Self {
                    number.to_bits()
                }
            }
        )*
    };
}

numbers! {
    u32 f32;
    u64 f64;
}

impl Numeric for u16 {
    type Number = f32;
    const PRESENT: bool = false;

    fn number(self) -> f32 {
        self.into()
    }

    fn bits(number: f32) -> Self {
        number as Self
    }
}

/// Does `vd[i] = f(vs2[i], operand[i], vd[i])` for elements from 0 on, in whole steps, until a result is not plainly the
/// right one. Returns how many elements are done.
#[inline(always)]
pub fn steps<F: Format, E: Numeric>(
    unit: &mut VectorUnit,
    walk: Walk,
    environment: Environment,
    f: impl Fn(E::Number, E::Number, E::Number) -> E::Number,
) -> usize {
    let lanes = STEP / E::BYTES;
    if !E::PRESENT || walk.fields.masked() || unit.vstart != 0 || !environment.leaves_flags_to_host() {
        return 0;
    }
    let at = |register: u32| register as usize * unit.vlenb;
    let (a, d) = (at(walk.fields.vs2()), at(walk.fields.vd()));
    let b = walk.operand.group().map(at);
    let scalar = match walk.operand {
        Operand::Scalar(value) => E::truncate(value),
        Operand::Group(_) => E::truncate(0),
    };
    let registers = &mut unit.registers[..];
    let (least, most) = (F::HIDDEN, F::INFINITY);
    for step in 0..unit.vl / lanes {
        let offset = step * STEP;
        let mut result = [0; STEP];
        let mut plain = true;
        for lane in (0..STEP).step_by(E::BYTES) {
            let element = |group: usize| E::load(&registers[group + offset..][lane..lane + E::BYTES]);
            let b = b.map_or(scalar, element);
            let value = E::bits(f(element(a).number(), b.number(), element(d).number()));
            let magnitude = value.zero_extend() & !F::SIGN;
            plain &= least < magnitude && magnitude < most;
            value.store(&mut result[lane..lane + E::BYTES]);
        }
        if !plain {
            return step * lanes;
        }
        registers[d + offset..][..STEP].copy_from_slice(&result);
    }
    unit.vl / lanes * lanes
}
