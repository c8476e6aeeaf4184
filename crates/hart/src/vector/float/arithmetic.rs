//! Arithmetic on numbers of one width.

use softfloat::arithmetic::{add, divide, multiply, multiply_add, square_root, subtract};
use softfloat::compare::{maximum_number, minimum_number};
use softfloat::environment::Environment;
use softfloat::estimate::{reciprocal, reciprocal_root};
use softfloat::format::Format;

use super::super::element::Element;
use super::super::element_wise::Walk;
use super::super::operation::operations;
use super::direct::{AtOnce, Bodiless};
use super::entries::DirectLane;
use super::formats::for_format;
use super::host::{Kind, Number, Numeric, key, nan_among, numbers};
use super::plain::{Plain, steps};
use super::rules::{PLAIN, UNARY, raise};

/// Rows `NAME [FORMS] RULES |a, b, d, env| value, host;`: `vd[i] = value`, with the bits `a` of `vs2`, `b` of the second
/// operand and `d` of `vd`. `F` is the format of SEW. After it, what kind of arithmetic that is and the same of the host's
/// numbers, or which of two operands it is where neither is a NaN, or `estimated by lanes` if compiled code has a way of its own.
macro_rules! table {
    ($($name:ident [$($form:ident)*] $rules:path, |$a:ident, $b:ident, $d:ident, $env:ident| $value:expr
        $(=> $kind:ident $host:expr)? $(, first if $first:expr)? $(, estimated by $lanes:ident)?;)*) => {
        operations! {
            $($name [$($form)*] $rules => fn(hart, fields, shape) {
                let environment = hart.vector_environment()?;
                let walk = $rules.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                let raised = for_format!(unit.vtype.sew, F, E => {
                    $(
                        let done = match Plain::of_elements(unit, walk) {
                            Some(plain) => {
                                numbers::<F, E>(&mut unit.registers, plain, environment, Kind::$kind, $host)
                            }
                            None => 0,
                        };
                        let walk = Walk { done, ..walk };
                    )?
                    $(
                        let done = match Plain::of_elements(unit, walk) {
                            Some(plain) => choose::<F, E>(&mut unit.registers, plain, $first),
                            None => 0,
                        };
                        let walk = Walk { done, ..walk };
                    )?
                    walk.run::<E, E, E>(unit, |a, b, d, _| {
                        let ($a, $b, $d) = (a.zero_extend(), b.zero_extend(), d.zero_extend());
                        let mut environment = environment;
                        let $env = &mut environment;
                        (E::truncate($value), environment.flags.0)
                    })
                });
                raise(hart, raised)
            } $(=> lane!($name, $host))? $(=> lane!($name, $lanes))? $(=> {
                struct First;

                impl AtOnce for First {
                    const LANE: Option<DirectLane> = Some(DirectLane::$name);

                    #[inline(always)]
                    fn run<F: Format, E: Numeric>(registers: &mut [u8], plain: Plain, _: Environment) -> usize {
                        choose::<F, E>(registers, plain, $first)
                    }
                }

                Bodiless::<First>::new()
            })?;)*
        }
    };
}

/// Takes one of each two numbers, as long as none is a NaN. Returns how many are done.
#[inline(always)]
fn choose<F: Format, E: Element>(
    registers: &mut [u8],
    plain: Plain,
    is_first: impl Fn(E, E) -> bool + Copy,
) -> usize {
    steps::<E, E, E, _>(registers, plain, |a, b, _| {
        (if is_first(a, b) { a } else { b }, nan_among::<F, E>([a, b]))
    })
}

/// How compiled code does a row that has an operation of the host, or an estimate.
macro_rules! lane {
    ($name:ident, $host:expr) => {
        FloatLane::$name
    };
}

/// Arithmetic that the host has, too, and operations on bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the instructions' own names")]
pub enum FloatLane {
    VFADD,
    VFSUB,
    VFRSUB,
    VFMUL,
    VFDIV,
    VFRDIV,
    VFMACC,
    VFNMACC,
    VFMSAC,
    VFNMSAC,
    VFMADD,
    VFNMADD,
    VFMSUB,
    VFNMSUB,
    VFSQRT,
    VFRSQRT7,
    VFREC7,
    VFSGNJ,
    VFSGNJN,
    VFSGNJX,
    VFCLASS,
}

impl FloatLane {
    /// True if results that are tiny are exact.
    pub const fn is_sum(self) -> bool {
        matches!(self, Self::VFADD | Self::VFSUB | Self::VFRSUB)
    }
}

table! {
    VFADD [VV VF] PLAIN, |a, b, _d, env| add::<F>(a, b, env) => Sum |a, b, _| a + b;
    VFSUB [VV VF] PLAIN, |a, b, _d, env| subtract::<F>(a, b, env) => Sum |a, b, _| a - b;
    VFRSUB [VF] PLAIN, |a, b, _d, env| subtract::<F>(b, a, env) => Sum |a, b, _| b - a;
    VFMUL [VV VF] PLAIN, |a, b, _d, env| multiply::<F>(a, b, env) => Product |a, b, _| a * b;
    VFDIV [VV VF] PLAIN, |a, b, _d, env| divide::<F>(a, b, env) => Quotient |a, b, _| a / b;
    VFRDIV [VF] PLAIN, |a, b, _d, env| divide::<F>(b, a, env) => Quotient |a, b, _| b / a;
    VFMACC [VV VF] PLAIN, |a, b, d, env| multiply_add::<F>(a, b, d, env) => Product fused;
    VFNMACC [VV VF] PLAIN, |a, b, d, env| multiply_add::<F>(a ^ F::SIGN, b, d ^ F::SIGN, env) =>
        Product |a, b, d| fused(-a, b, -d);
    VFMSAC [VV VF] PLAIN, |a, b, d, env| multiply_add::<F>(a, b, d ^ F::SIGN, env) => Product |a, b, d| fused(a, b, -d);
    VFNMSAC [VV VF] PLAIN, |a, b, d, env| multiply_add::<F>(a ^ F::SIGN, b, d, env) => Product |a, b, d| fused(-a, b, d);
    VFMADD [VV VF] PLAIN, |a, b, d, env| multiply_add::<F>(d, b, a, env) => Product |a, b, d| fused(d, b, a);
    VFNMADD [VV VF] PLAIN, |a, b, d, env| multiply_add::<F>(d ^ F::SIGN, b, a ^ F::SIGN, env) =>
        Product |a, b, d| fused(-d, b, -a);
    VFMSUB [VV VF] PLAIN, |a, b, d, env| multiply_add::<F>(d, b, a ^ F::SIGN, env) => Product |a, b, d| fused(d, b, -a);
    VFNMSUB [VV VF] PLAIN, |a, b, d, env| multiply_add::<F>(d ^ F::SIGN, b, a, env) => Product |a, b, d| fused(-d, b, a);
    VFSQRT [V] UNARY, |a, _b, _d, env| square_root::<F>(a, env) => Product |a, _, _| Number::root(a);
    VFRSQRT7 [V] UNARY, |a, _b, _d, env| reciprocal_root::<F>(a, env), estimated by lanes;
    VFREC7 [V] UNARY, |a, _b, _d, env| reciprocal::<F>(a, env), estimated by lanes;
    VFMIN [VV VF] PLAIN, |a, b, _d, env| minimum_number::<F>(a, b, env), first if |a: E, b: E| key(a) < key(b);
    VFMAX [VV VF] PLAIN, |a, b, _d, env| maximum_number::<F>(a, b, env), first if |a: E, b: E| key(a) > key(b);
}

/// a · b + c of the host's numbers.
#[inline(always)]
fn fused<N: Number>(a: N, b: N, c: N) -> N {
    a.multiply_add(b, c)
}
