//! Arithmetic with results of twice the width: the operands are converted, which is exact, and the result is rounded
//! once.

use softfloat::arithmetic::{add, multiply, multiply_add, subtract};
use softfloat::convert::between;
use softfloat::environment::Environment;
use softfloat::format::{Brain, Format, Single};

use super::super::element::Element;
use super::super::element_wise::Walk;
use super::super::formats::Numbers;
use super::super::group::Overlap;
use super::super::operation::{Operation, operations};
use super::super::rules::{Needs, Rules, elements};
use super::entries::{FloatDoubling, OfBrain};
use super::formats::brain_operand;
use super::formats::for_two_formats;
use super::host::{Number, Numeric, plain as plain_number, widen};
use super::plain::{Plain, steps};
use super::rules::{WIDENING, raise};

const WIDE: Rules = Rules { vs2: elements(1), ..WIDENING };
const ACCUMULATING: Rules = Rules { overlap: Overlap::Accumulating, ..WIDENING };
const BRAIN: Rules = Rules { needs: Needs::Float(Numbers::BRAIN), ..ACCUMULATING };

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    by_format::operation(name).or_else(|| brain::operation(name))
}

/// A product with operands of format `F`, added to a number of format `G`; product and addend are negated by the
/// sign bits `product` and `addend`.
#[inline(always)]
fn accumulate<F: Format, G: Format>(
    [a, b, d]: [u64; 3],
    [product, addend]: [u64; 2],
    env: &mut Environment,
) -> u64 {
    let (a, b) = (between::<F, G>(a, env), between::<F, G>(b, env));
    multiply_add::<G>(a ^ product, b, d ^ addend, env)
}

mod by_format {
    use super::*;

    /// Rows `NAME [FORMS] RULES A, |a, b, d, env| value, host, compiled;`: as those of plain arithmetic, with elements of
    /// `vs2` of type `A`, and what it is in compiled code. `F` is the format of SEW, `E` the type of its bits; `G` and `W` are those of 2·SEW.
    macro_rules! table {
        ($($name:ident [$($form:ident)*] $rules:path, $source:ident,
            |$a:ident, $b:ident, $d:ident, $env:ident| $value:expr, host $host:expr, $compiled:expr;)*) => {
            operations! {
                $($name [$($form)*] $rules => |hart, fields, shape| {
                    let environment = hart.vector_environment()?;
                    let walk = $rules.walk(hart, fields, shape);
                    let unit = &mut hart.vector;
                    let raised = for_two_formats!(unit.vtype.sew, F, E, G, W => {
                        let plain = Plain::of_elements(unit, walk)
                            .filter(|_| environment.leaves_flags_to_host());
                        let done = match plain {
                            Some(plain) => {
                                let (host, registers) = ($host, &mut unit.registers[..]);
                                steps::<$source, E, W, _>(registers, plain, |a, b, d| plain_number::<G, W>(host(a, b, d)))
                            }
                            None => 0,
                        };
                        let walk = Walk { done, ..walk };
                        walk.run::<$source, E, W>(unit, |a, b, d, _| {
                            let ($a, $b, $d) = (a.zero_extend(), b.zero_extend(), d.zero_extend());
                            let mut environment = environment;
                            let $env = &mut environment;
                            (W::truncate($value), environment.flags.0)
                        })
                    });
                    raise(hart, raised)
                } => $compiled;)*
            }
        };
    }

    const fn sum(subtracts: bool, from_double: bool) -> FloatDoubling {
        FloatDoubling::Sum { subtracts, from_double }
    }

    const fn accumulated(minus_product: bool, minus_sum: bool) -> FloatDoubling {
        FloatDoubling::Accumulated { minus_product, minus_sum }
    }

    table! {
        VFWADD [VV VF] WIDENING, E, |a, b, _d, env| {
            let (a, b) = (between::<F, G>(a, env), between::<F, G>(b, env));
            add::<G>(a, b, env)
        }, host |a: E, b: E, _: W| widen::<E, W>(a) + widen::<E, W>(b), sum(false, false);
        VFWSUB [VV VF] WIDENING, E, |a, b, _d, env| {
            let (a, b) = (between::<F, G>(a, env), between::<F, G>(b, env));
            subtract::<G>(a, b, env)
        }, host |a: E, b: E, _: W| widen::<E, W>(a) - widen::<E, W>(b), sum(true, false);
        VFWMUL [VV VF] WIDENING, E, |a, b, _d, env| {
            let (a, b) = (between::<F, G>(a, env), between::<F, G>(b, env));
            multiply::<G>(a, b, env)
        }, host |a: E, b: E, _: W| widen::<E, W>(a) * widen::<E, W>(b), FloatDoubling::Product;
        VFWADD [WV WF] WIDE, W, |a, b, _d, env| {
            let b = between::<F, G>(b, env);
            add::<G>(a, b, env)
        }, host |a: W, b: E, _: W| a.number() + widen::<E, W>(b), sum(false, true);
        VFWSUB [WV WF] WIDE, W, |a, b, _d, env| {
            let b = between::<F, G>(b, env);
            subtract::<G>(a, b, env)
        }, host |a: W, b: E, _: W| a.number() - widen::<E, W>(b), sum(true, true);
        VFWMACC [VV VF] ACCUMULATING, E, |a, b, d, env| accumulate::<F, G>([a, b, d], [0, 0], env),
            host |a: E, b: E, d: W| (widen::<E, W>(a)).multiply_add(widen::<E, W>(b), d.number()), accumulated(false, false);
        VFWNMACC [VV VF] ACCUMULATING, E, |a, b, d, env| accumulate::<F, G>([a, b, d], [G::SIGN; 2], env),
            host |a: E, b: E, d: W| (-widen::<E, W>(a)).multiply_add(widen::<E, W>(b), -d.number()), accumulated(true, true);
        VFWMSAC [VV VF] ACCUMULATING, E, |a, b, d, env| accumulate::<F, G>([a, b, d], [0, G::SIGN], env),
            host |a: E, b: E, d: W| (widen::<E, W>(a)).multiply_add(widen::<E, W>(b), -d.number()), accumulated(false, true);
        VFWNMSAC [VV VF] ACCUMULATING, E, |a, b, d, env| accumulate::<F, G>([a, b, d], [G::SIGN, 0], env),
            host |a: E, b: E, d: W| (-widen::<E, W>(a)).multiply_add(widen::<E, W>(b), d.number()), accumulated(true, false);
    }
}

mod brain {
    use super::*;

    operations! {
        VFWMACCBF16 [VV VF] BRAIN => |hart, fields, shape| {
            let environment = hart.vector_environment()?;
            let mut walk = BRAIN.walk(hart, fields, shape);
            walk.operand = brain_operand(hart, shape, walk.operand);
            let raised = walk.run::<u16, u16, u32>(&mut hart.vector, |a, b, d, _| {
                let mut env = environment;
                let operands = [a.zero_extend(), b.zero_extend(), d.zero_extend()];
                let value = accumulate::<Brain, Single>(operands, [0, 0], &mut env);
                (u32::truncate(value), env.flags.0)
            });
            raise(hart, raised)
        } => OfBrain::Accumulated;
    }
}
