//! Arithmetic by the host's own vectors, as long as nothing can differ.

use std::ops::{Add, Div, Mul, Neg, Sub};

use softfloat::environment::{Environment, Flags, Rounding};
use softfloat::format::{Format, Half};
use softfloat::half;

use super::super::element::Element;
use super::plain::{Plain, steps};

/// A number of the host.
pub trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// `self` · `b` + `c`, rounded once.
    fn multiply_add(self, b: Self, c: Self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// The integer next to it towards zero.
    fn truncated(self) -> Self;
    /// In double precision.
    fn double(self) -> f64;
    /// An integer of so many bits, sign-extended if it is signed, as the nearest number.
    fn from_integer(value: u64, bits: u32, signed: bool) -> Self;
}

/// Where a number is rounded to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Towards {
    /// The nearest integer, the even one of two.
    Nearest,
    /// Zero.
    Zero,
}

/// An element's bits as a number of the host.
pub trait Numeric: Element {
    /// Its type, or one so wide that any one operation, rounded to it first, is rounded as if at once.
    type Number: Number;
    /// Whether it is the element's own type, so that results need not be rounded to it.
    const IS_OWN: bool;
    /// The bits of infinity.
    const INFINITY: u64;

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

                #[inline(always)]
                fn truncated(self) -> Self {
                    self.trunc()
                }

                #[inline(always)]
                fn double(self) -> f64 {
                    self.into()
                }

                #[inline(always)]
                fn from_integer(value: u64, bits: u32, signed: bool) -> Self {
                    match (bits, signed) {
                        (..=32, true) => value as i32 as $number,
                        (..=32, false) => value as u32 as $number,
                        (_, true) => value as i64 as $number,
                        (_, false) => value as $number,
                    }
                }
            }

            impl Numeric for $element {
                type Number = $number;
                const IS_OWN: bool = true;
                const INFINITY: u64 = $number::INFINITY.to_bits() as u64;

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
    type Number = f64;
    const IS_OWN: bool = false;
    const INFINITY: u64 = Half::INFINITY;

    #[inline(always)]
    fn number(self) -> f64 {
        half::to_double(self.into())
    }

    #[inline(always)]
    fn bits(number: f64) -> Self {
        half::of_double(number) as Self
    }
}

/// A number with twice the precision.
pub trait Widened<W> {
    /// The same number.
    fn widened(self) -> W;
}

impl Widened<f64> for f32 {
    #[inline(always)]
    fn widened(self) -> f64 {
        self.into()
    }
}

/// A number of binary16.
impl Widened<f32> for f64 {
    #[inline(always)]
    fn widened(self) -> f32 {
        self as f32
    }
}

/// A number with half the precision.
pub trait Narrowed<N> {
    /// The nearest number.
    fn narrowed(self) -> N;
}

impl Narrowed<f32> for f64 {
    #[inline(always)]
    fn narrowed(self) -> f32 {
        self as f32
    }
}

/// As for [`Widened`]: what becomes a number of binary16 is rounded where it becomes bits.
impl Narrowed<f64> for f32 {
    #[inline(always)]
    fn narrowed(self) -> f64 {
        self.into()
    }
}

/// The number, with twice the precision.
#[inline(always)]
pub fn widen<E: Numeric, W: Numeric>(element: E) -> W::Number
where
    E::Number: Widened<W::Number>,
{
    element.number().widened()
}

/// An integer that is less for bits of a lesser number, neither being a NaN; −0 is less than +0. It is no wider than the
/// number, so that the host compares as many of them at a time as it has in a register.
#[inline(always)]
pub fn key<E: Element>(bits: E) -> E {
    let sign = (bits.sign_extend() >> 63) as u64;
    E::truncate(bits.zero_extend() ^ (sign | sign_bit::<E>()))
}

/// The bits that [`key`] makes this of.
#[inline(always)]
pub fn of_key<E: Element>(key: E) -> E {
    let negative = !(key.sign_extend() >> 63) as u64;
    E::truncate(key.zero_extend() ^ (negative | sign_bit::<E>()))
}

/// The same as [`key`], with zeros that are equal.
#[inline(always)]
pub fn key_of_equals<E: Element>(bits: E) -> E {
    let sign = (bits.sign_extend() >> 63) as u64;
    let magnitude = bits.zero_extend() & !sign_bit::<E>();
    E::truncate((magnitude ^ sign).wrapping_sub(sign) ^ sign_bit::<E>())
}

#[inline(always)]
const fn sign_bit<E: Element>() -> u64 {
    1 << (E::BITS - 1)
}

/// True if any number is a NaN.
#[inline(always)]
pub fn has_nan<F: Format, E: Element>(numbers: &[E]) -> bool {
    let beyond = const { F::SIGN - 1 - F::INFINITY };
    let mut any = 0;
    for bits in numbers {
        // The sum reaches the bit of the sign if the magnitude is above that of infinity.
        any |= E::truncate((bits.zero_extend() & !F::SIGN) + beyond).zero_extend();
    }
    any & F::SIGN != 0
}

/// A number other than 0 if one of the two is a NaN.
#[inline(always)]
pub fn nan_among<F: Format, E: Element>(elements: [E; 2]) -> E {
    let beyond = const { F::SIGN - 1 - F::INFINITY };
    let [a, b] = elements.map(|bits| (bits.zero_extend() & !F::SIGN) + beyond);
    E::truncate((a | b) & F::SIGN)
}

/// A result, and false if it is a normal number above the smallest: see [`Environment::leaves_flags_to_host`].
#[inline(always)]
pub fn plain<F: Format, E: Numeric>(number: E::Number) -> (E, bool) {
    let value = E::bits(number);
    let magnitude = value.zero_extend() & !F::SIGN;
    (value, !((F::HIDDEN < magnitude) & (magnitude < F::INFINITY)))
}

/// A number as an integer of `D`'s width, and 0 if it is one of these and less than 2^51, above which there are more bits
/// than the sum below has.
#[inline(always)]
pub fn integer<D: Element, N: Number>(number: N, signed: bool, to: Towards) -> (D, u64) {
    /// Its last bit has the weight 1: a sum with it is rounded to an integer, which is in its lower bits.
    const UNIT: f64 = 1.5 * (1u64 << 52) as f64;
    const BOUND: f64 = (1u64 << 51) as f64;
    const SIGN: u64 = 1 << 63;
    let number = if to == Towards::Zero { number.truncated() } else { number }.double();
    let integer = (number + UNIT).to_bits().wrapping_sub(UNIT.to_bits());
    let value = D::truncate(integer);
    let extended = if signed { value.sign_extend() as u64 } else { value.zero_extend() };
    let is_negative = if signed { 0 } else { integer & SIGN };
    // The sign of a difference, which NaNs have too: it is one of integers.
    let is_large = (BOUND.to_bits() - 1).wrapping_sub(number.to_bits() & !SIGN) & SIGN;
    (value, extended ^ integer | is_negative | is_large)
}

/// How the host rounds to integers as an environment asks for, raising nothing that is not raised already; `None` if it
/// does not.
#[inline(always)]
pub fn towards(environment: Environment) -> Option<Towards> {
    let to = match environment.rounding {
        Rounding::NearestEven => Towards::Nearest,
        Rounding::Zero => Towards::Zero,
        Rounding::Down | Rounding::Up | Rounding::NearestAway | Rounding::Odd => return None,
    };
    (environment.flags.0 & Flags::INEXACT.0 != 0).then_some(to)
}

/// What flags a result may come with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A sum is exact where it is tiny.
    Sum,
    /// A product, or a root.
    Product,
    /// An infinite quotient may come of a division by zero.
    Quotient,
}

impl Kind {
    /// Where the magnitudes of results begin and end that raise nothing that is not raised already.
    #[inline(always)]
    fn bounds<F: Format>(self, environment: Environment) -> [u64; 2] {
        let are_raised = |flags: u8| environment.flags.0 & flags == flags;
        let of_infinity = match self {
            Self::Quotient => Flags::OVERFLOW.0 | Flags::DIVIDE_BY_ZERO.0,
            Self::Sum | Self::Product => Flags::OVERFLOW.0,
        };
        let begin = if self == Self::Sum || are_raised(Flags::UNDERFLOW.0) { 0 } else { F::HIDDEN + 1 };
        let end = if are_raised(of_infinity | Flags::INVALID.0) {
            F::SIGN
        } else if are_raised(of_infinity) {
            F::INFINITY + 1
        } else {
            F::INFINITY
        };
        [begin, end]
    }
}

/// [`steps`] of arithmetic on the host's numbers, whose results must raise nothing new.
#[inline(always)]
pub fn numbers<F: Format, E: Numeric>(
    registers: &mut [u8],
    plain: Plain,
    environment: Environment,
    kind: Kind,
    f: impl Fn(E::Number, E::Number, E::Number) -> E::Number + Copy,
) -> usize {
    if !environment.leaves_flags_to_host() {
        return 0;
    }
    let [begin, end] = kind.bounds::<F>(environment);
    let length = end - begin;
    steps::<E, E, E, _>(registers, plain, |a, b, d| {
        let value = E::bits(f(a.number(), b.number(), d.number()));
        let magnitude = value.zero_extend() & !F::SIGN;
        // The host's NaNs have signs and payloads.
        let value = if magnitude > F::INFINITY { E::truncate(F::NAN) } else { value };
        (value, E::truncate(magnitude.wrapping_sub(begin)) >= E::truncate(length))
    })
}

#[cfg(test)]
mod tests {
    use softfloat::format::{Double, Single};

    use super::*;

    /// A NaN among ordinary numbers is found in whichever element it is; infinities and zeros are none.
    fn finds_nans<F: Format, E: Element>() {
        let ordinary =
            [0, F::SIGN, F::INFINITY, F::SIGN | F::INFINITY, 1, F::HIDDEN, F::INFINITY - 1, F::SIGN | 1];
        let ordinary = ordinary.map(E::truncate);
        assert!(!has_nan::<F, E>(&ordinary));
        let greatest = F::SIGN - 1;
        for nan in [F::INFINITY + 1, greatest].into_iter().flat_map(|nan| [nan, nan | F::SIGN]) {
            for lane in 0..8 {
                let mut numbers = ordinary;
                numbers[lane] = E::truncate(nan);
                assert!(has_nan::<F, E>(&numbers), "{nan:#x} in element {lane}");
            }
        }
    }

    #[test]
    fn nans_are_found_in_every_element() {
        finds_nans::<Half, u16>();
        finds_nans::<Single, u32>();
        finds_nans::<Double, u64>();
    }

    #[test]
    fn keys_are_in_the_order_of_the_numbers() {
        let numbers = [f32::NEG_INFINITY, -1.5, -1.0, -1e-40, -0.0, 0.0, 1e-40, 1.0, 1.5, f32::INFINITY];
        for (index, a) in numbers.iter().enumerate() {
            for (other, b) in numbers.iter().enumerate() {
                let [a_bits, b_bits] = [a, b].map(|number| number.to_bits());
                assert_eq!(of_key(key(a_bits)), a_bits);
                assert_eq!(key(a_bits) < key(b_bits), index < other, "{a} and {b}");
                assert_eq!(Some(key_of_equals(a_bits).cmp(&key_of_equals(b_bits))), a.partial_cmp(b));
            }
        }
    }
}
