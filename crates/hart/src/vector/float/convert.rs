//! Conversions between formats and with integers ("Single-Width Floating-Point/Integer Type-Convert Instructions",
//! and the widening and narrowing ones).

use softfloat::convert::{Integer, between, from_integer, to_integer};
use softfloat::environment::{Environment, Rounding};
use softfloat::format::{Brain, Format, Single};

use super::super::element::Element;
use super::super::element_wise::Walk;
use super::super::formats::Numbers;
use super::super::operation::{Operation, operations};
use super::super::rules::{Needs, Rules, elements};
use super::direct::{AtOnce, Bodiless};
use super::entries::DirectLane::{self, FromIntegers, ToIntegers};
use super::entries::FloatDoubling::{
    NarrowIntegers, Narrowed, OfIntegers, OfWideIntegers, WideIntegers, Widened,
};
use super::entries::OfBrain;
use super::formats::{for_format, for_two_formats, for_wide_format};
use super::host::{
    self, Number, Numeric, Towards, integer, nan_among, plain as plain_number, towards, widen,
};
use super::plain::{Plain, steps};
use super::rules::{UNARY, raise};

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    let modules =
        [single_width::operation, widening::operation, widening_integers::operation, narrowing::operation];
    modules.iter().find_map(|operation| operation(name))
}

const fn widening(numbers: Numbers) -> Rules {
    Rules { vd: elements(1), needs: Needs::Float(numbers), ..Rules::UNARY }
}

const fn narrowing(numbers: Numbers) -> Rules {
    Rules { vs2: elements(1), needs: Needs::Float(numbers), ..Rules::UNARY }
}

/// A number as an integer of type `D`.
#[inline(always)]
fn to_integer_of<F: Format, D: Element>(signed: bool) -> impl Fn(u64, &mut Environment) -> u64 {
    move |a, env| to_integer::<F>(a, Integer { bits: D::BITS, signed }, env)
}

/// An integer, extended from its type, as a number.
#[inline(always)]
fn number<F: Format, A: Element>(signed: bool) -> impl Fn(u64, &mut Environment) -> u64 {
    move |a, env| {
        let value = if signed { A::truncate(a).sign_extend() as u64 } else { a };
        from_integer::<F>(value, if signed { Integer::L } else { Integer::LU }, env)
    }
}

// What follows are functions with constants, for closures that return closures would be compiled without the host's
// vectors.

/// Numbers as integers, by the host: how many elements are done.
#[inline(always)]
fn to_integers<A: Numeric, D: Element, const SIGNED: bool>(
    registers: &mut [u8],
    plain: Plain,
    environment: Environment,
) -> usize {
    match towards(environment) {
        Some(Towards::Nearest) => {
            steps::<A, D, D, _>(registers, plain, |a, _, _| integer(a.number(), SIGNED, Towards::Nearest))
        }
        Some(Towards::Zero) => {
            steps::<A, D, D, _>(registers, plain, |a, _, _| integer(a.number(), SIGNED, Towards::Zero))
        }
        None => 0,
    }
}

/// Integers as numbers, by the host; in an environment if they are rounded.
#[inline(always)]
fn from_integers<A: Element, D: Numeric, const SIGNED: bool>(
    registers: &mut [u8],
    plain: Plain,
    environment: Environment,
) -> usize {
    let is_exact = A::BITS < D::BITS;
    if !is_exact && !environment.leaves_flags_to_host() {
        return 0;
    }
    steps::<A, D, D, _>(registers, plain, |a, _, _| {
        let integer = if SIGNED { a.sign_extend() as u64 } else { a.zero_extend() };
        let number = D::bits(D::Number::from_integer(integer, A::BITS, SIGNED));
        (number, number.zero_extend() & (D::INFINITY) == D::INFINITY)
    })
}

/// Numbers as those of twice the width, by the host.
#[inline(always)]
fn widened<F: Format, E: Numeric, W: Numeric>(registers: &mut [u8], plain: Plain, _: Environment) -> usize
where
    E::Number: host::Widened<W::Number>,
{
    steps::<E, W, W, _>(registers, plain, |a, _, _| (W::bits(widen::<E, W>(a)), nan_among::<F, E>([a, a])))
}

/// Numbers as those of half the width, by the host.
#[inline(always)]
fn narrowed<F: Format, W: Numeric, E: Numeric>(
    registers: &mut [u8],
    plain: Plain,
    environment: Environment,
) -> usize
where
    W::Number: host::Narrowed<E::Number>,
{
    if !environment.leaves_flags_to_host() {
        return 0;
    }
    steps::<W, E, E, _>(registers, plain, |a, _, _| {
        plain_number::<F, E>(host::Narrowed::narrowed(a.number()))
    })
}

/// Numbers that the host does not convert.
#[inline(always)]
const fn nothing(_: &mut [u8], _: Plain, _: Environment) -> usize {
    0
}

/// Rows `NAME [FORMS] RULES, ROUNDING, TYPES, A => D, function, host;`: `vd[i] = function(vs2[i])`, with elements of types
/// `A` and `D`, rounded as `frm` says if the row does not; `host` does the same for as many elements as it can,
/// and compiled code calls it alone if `at_once` follows, or does what is given after `doubled`. After `exact`, no element is
/// rounded or invalid.
macro_rules! table {
    ($($name:ident [$($form:ident)*] $rules:expr, exact,
        $for:ident!($($type:ident),*), $a:ident => $d:ident, $convert:expr, $host:expr, doubled($lane:expr);)*) => {
        operations! {
            $($name [$($form)*] $rules => fn(hart, fields, shape) {
                let environment = hart.vector_environment()?;
                let walk = $rules.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                $for!(unit.vtype.sew, $($type),* => {
                    let done = match Plain::of_elements(unit, walk) {
                        Some(plain) => ($host)(&mut unit.registers, plain, environment),
                        None => 0,
                    };
                    let walk = Walk { done, ..walk };
                    walk.run::<$a, $d, $d>(unit, |a, _, _, _| {
                        let mut environment = environment;
                        ($d::truncate(($convert)(a.zero_extend(), &mut environment)), 0)
                    })
                });
                Ok(())
            } => $lane;)*
        }
    };
    ($($name:ident [$($form:ident)*] $rules:expr, $rounding:expr,
        $for:ident!($($type:ident),*), $a:ident => $d:ident, $convert:expr, $host:expr $(, $direct:ident($lane:expr))?;)*) => {
        operations! {
            $($name [$($form)*] $rules => fn(hart, fields, shape) {
                let mut environment = hart.vector_environment()?;
                let rounding: Option<Rounding> = $rounding;
                environment.rounding = rounding.unwrap_or(environment.rounding);
                let walk = $rules.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                let raised = $for!(unit.vtype.sew, $($type),* => {
                    let done = match Plain::of_elements(unit, walk) {
                        Some(plain) => ($host)(&mut unit.registers, plain, environment),
                        None => 0,
                    };
                    let walk = Walk { done, ..walk };
                    walk.run::<$a, $d, $d>(unit, |a, _, _, _| {
                        let mut environment = environment;
                        let value = ($convert)(a.zero_extend(), &mut environment);
                        ($d::truncate(value), environment.flags.0)
                    })
                });
                raise(hart, raised)
            } $(=> $direct!($rounding, $host, $lane))?;)*
        }
    };
}

/// How compiled code does a row of numbers of SEW.
macro_rules! at_once {
    ($rounding:expr, $host:expr, $lane:expr) => {{
        struct Converted;

        impl AtOnce for Converted {
            const LANE: Option<DirectLane> = Some($lane);

            #[inline(always)]
            fn run<F: Format, E: Numeric>(
                registers: &mut [u8],
                plain: Plain,
                mut environment: Environment,
            ) -> usize {
                let rounding: Option<Rounding> = $rounding;
                environment.rounding = rounding.unwrap_or(environment.rounding);
                ($host)(registers, plain, environment)
            }
        }

        Bodiless::<Converted>::new()
    }};
}

/// The same of one of SEW and of twice that.
macro_rules! doubled {
    ($rounding:expr, $host:expr, $lane:expr) => {
        $lane
    };
}

/// The types of BF16's bits and of single precision's, whatever SEW, which the rules hold to 16.
macro_rules! for_brain {
    ($sew:expr, $element:ident, $wide:ident => $call:expr) => {{
        type $element = u16;
        type $wide = u32;
        $call
    }};
}

mod single_width {
    use super::*;

    table! {
        VFCVT [XU__F__V] UNARY, None, for_format!(F, E), E => E, to_integer_of::<F, E>(false), to_integers::<E, E, false>,
            at_once(ToIntegers { signed: false, truncates: false });
        VFCVT [X__F__V] UNARY, None, for_format!(F, E), E => E, to_integer_of::<F, E>(true), to_integers::<E, E, true>,
            at_once(ToIntegers { signed: true, truncates: false });
        VFCVT [RTZ__XU__F__V] UNARY, Some(Rounding::Zero), for_format!(F, E), E => E, to_integer_of::<F, E>(false), to_integers::<E, E, false>,
            at_once(ToIntegers { signed: false, truncates: true });
        VFCVT [RTZ__X__F__V] UNARY, Some(Rounding::Zero), for_format!(F, E), E => E, to_integer_of::<F, E>(true), to_integers::<E, E, true>,
            at_once(ToIntegers { signed: true, truncates: true });
        VFCVT [F__XU__V] UNARY, None, for_format!(F, E), E => E, number::<F, E>(false), from_integers::<E, E, false>,
            at_once(FromIntegers { signed: false });
        VFCVT [F__X__V] UNARY, None, for_format!(F, E), E => E, number::<F, E>(true), from_integers::<E, E, true>,
            at_once(FromIntegers { signed: true });
    }
}

mod widening {
    use super::*;

    const TO_INTEGERS: Rules = widening(Numbers::OF_SEW);
    const CONVERTED: Rules = widening(Numbers::CONVERTED);
    const BRAIN: Rules = widening(Numbers::BRAIN);

    table! {
        VFWCVT [XU__F__V] TO_INTEGERS, None, for_two_formats!(F, E, G, W), E => W, to_integer_of::<F, W>(false), to_integers::<E, W, false>,
            doubled(WideIntegers { signed: false, truncates: false });
        VFWCVT [X__F__V] TO_INTEGERS, None, for_two_formats!(F, E, G, W), E => W, to_integer_of::<F, W>(true), to_integers::<E, W, true>,
            doubled(WideIntegers { signed: true, truncates: false });
        VFWCVT [RTZ__XU__F__V] TO_INTEGERS, Some(Rounding::Zero), for_two_formats!(F, E, G, W), E => W,
            to_integer_of::<F, W>(false), to_integers::<E, W, false>,
            doubled(WideIntegers { signed: false, truncates: true });
        VFWCVT [RTZ__X__F__V] TO_INTEGERS, Some(Rounding::Zero), for_two_formats!(F, E, G, W), E => W,
            to_integer_of::<F, W>(true), to_integers::<E, W, true>,
            doubled(WideIntegers { signed: true, truncates: true });
        VFWCVT [F__F__V] CONVERTED, None, for_two_formats!(F, E, G, W), E => W, between::<F, G>, widened::<F, E, W>,
            doubled(Widened);
        VFWCVTBF16 [F__F__V] BRAIN, None, for_brain!(E, W), E => W, between::<Brain, Single>, nothing, doubled(OfBrain::Widened);
    }
}

mod widening_integers {
    use super::*;

    const FROM_INTEGERS: Rules = widening(Numbers::OF_DOUBLE);

    table! {
        VFWCVT [F__XU__V] FROM_INTEGERS, exact, for_wide_format!(E, G, W), E => W, number::<G, E>(false), from_integers::<E, W, false>,
            doubled(OfIntegers { signed: false });
        VFWCVT [F__X__V] FROM_INTEGERS, exact, for_wide_format!(E, G, W), E => W, number::<G, E>(true), from_integers::<E, W, true>,
            doubled(OfIntegers { signed: true });
    }
}

mod narrowing {
    use super::*;

    const FROM_INTEGERS: Rules = narrowing(Numbers::OF_SEW);
    const TO_INTEGERS: Rules = narrowing(Numbers::OF_DOUBLE);
    const CONVERTED: Rules = narrowing(Numbers::CONVERTED);
    const TO_ODD: Rules = narrowing(Numbers::OF_BOTH);
    const BRAIN: Rules = narrowing(Numbers::BRAIN);

    table! {
        VFNCVT [XU__F__W] TO_INTEGERS, None, for_wide_format!(E, G, W), W => E, to_integer_of::<G, E>(false), to_integers::<W, E, false>,
            doubled(NarrowIntegers { signed: false, truncates: false });
        VFNCVT [X__F__W] TO_INTEGERS, None, for_wide_format!(E, G, W), W => E, to_integer_of::<G, E>(true), to_integers::<W, E, true>,
            doubled(NarrowIntegers { signed: true, truncates: false });
        VFNCVT [RTZ__XU__F__W] TO_INTEGERS, Some(Rounding::Zero), for_wide_format!(E, G, W), W => E,
            to_integer_of::<G, E>(false), to_integers::<W, E, false>,
            doubled(NarrowIntegers { signed: false, truncates: true });
        VFNCVT [RTZ__X__F__W] TO_INTEGERS, Some(Rounding::Zero), for_wide_format!(E, G, W), W => E,
            to_integer_of::<G, E>(true), to_integers::<W, E, true>,
            doubled(NarrowIntegers { signed: true, truncates: true });
        VFNCVT [F__XU__W] FROM_INTEGERS, None, for_two_formats!(F, E, G, W), W => E, number::<F, W>(false), from_integers::<W, E, false>,
            doubled(OfWideIntegers { signed: false });
        VFNCVT [F__X__W] FROM_INTEGERS, None, for_two_formats!(F, E, G, W), W => E, number::<F, W>(true), from_integers::<W, E, true>,
            doubled(OfWideIntegers { signed: true });
        VFNCVT [F__F__W] CONVERTED, None, for_two_formats!(F, E, G, W), W => E, between::<G, F>, narrowed::<F, W, E>,
            doubled(Narrowed { to_odd: false });
        VFNCVT [ROD__F__F__W] TO_ODD, Some(Rounding::Odd), for_two_formats!(F, E, G, W), W => E, between::<G, F>, narrowed::<F, W, E>,
            doubled(Narrowed { to_odd: true });
        VFNCVTBF16 [F__F__W] BRAIN, None, for_brain!(E, W), W => E, between::<Single, Brain>, nothing, doubled(OfBrain::Narrowed);
    }
}
