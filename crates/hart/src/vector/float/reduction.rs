//! Floating-point reductions. Sums are taken in the order of the elements, also where the specification leaves the
//! order open.

use softfloat::arithmetic::add;
use softfloat::compare::{maximum_number, minimum_number};
use softfloat::convert::between;
use softfloat::environment::Environment;
use softfloat::format::{Format, is_nan, is_signaling};

use super::super::element::Element;
use super::super::fields::Fields;
use super::super::formats::Numbers;
use super::super::group::Overlap;
use super::super::operation::{Operation, operations};
use super::super::rules::{Needs, Rules, Shape, scalar};
use super::super::state::VectorUnit;
use super::formats::{for_format, for_two_formats};
use super::host::{Numeric, Widened, are_numbers, key, plain, widen};
use super::rules::raise;

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    single_width::operation(name).or_else(|| widening::operation(name))
}

/// Scalars of 2^`power` times SEW; the elements have SEW.
const fn reducing(power: i8, numbers: Numbers) -> Rules {
    let (scalar, needs) = (scalar(power), Needs::Float(numbers));
    Rules { vd: scalar, vs1: scalar, overlap: Overlap::Any, needs, restarts: true, ..Rules::SIGNED }
}

/// What becomes of `vs1[0]` if no element is active.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alone {
    /// It is copied.
    Copied,
    /// It is the result of an operation: a NaN becomes the canonical one, and is invalid if it is signaling. The
    /// specification allows both for unordered sums; other simulators choose this.
    Computed,
}

mod single_width {
    use super::*;

    const REDUCING: Rules = reducing(0, Numbers::OF_SEW);

    /// Rows `NAME ALONE, function, known;`: `vd[0]` is folded over `vs1[0]` and the active elements of `vs2`; after it the
    /// same of two elements, and whether the result is known to be right.
    macro_rules! table {
        ($($name:ident $alone:ident, $function:ident, $known:expr;)*) => {
            operations! {
                $($name [VS] REDUCING => |hart, fields, shape| {
                    let environment = hart.vector_environment()?;
                    let unit = &mut hart.vector;
                    let raised = for_format!(unit.vtype.sew, F, E => {
                        let fold = Fold { fields, shape, alone: Alone::$alone, environment };
                        fold.run::<F, E, E>(unit, $function::<F>, $known(environment))
                    });
                    raise(hart, raised)
                };)*
            }
        };
    }

    table! {
        VFREDUSUM Computed, add, sum::<F, E>;
        VFREDOSUM Copied, add, sum::<F, E>;
        VFREDMIN Copied, minimum_number, least::<F, E>;
        VFREDMAX Copied, maximum_number, greatest::<F, E>;
    }
}

mod widening {
    use super::*;

    const REDUCING: Rules = reducing(1, Numbers::OF_BOTH);

    macro_rules! table {
        ($($name:ident $alone:ident;)*) => {
            operations! {
                $($name [VS] REDUCING => |hart, fields, shape| {
                    let environment = hart.vector_environment()?;
                    let unit = &mut hart.vector;
                    let raised = for_two_formats!(unit.vtype.sew, F, E, G, W => {
                        let fold = Fold { fields, shape, alone: Alone::$alone, environment };
                        let exact = |sum, element, env: &mut _| {
                            let element = between::<F, G>(element, env);
                            add::<G>(sum, element, env)
                        };
                        fold.run::<G, E, W>(unit, exact, wide_sum::<G, E, W>(environment))
                    });
                    raise(hart, raised)
                };)*
            }
        };
    }

    table! {
        VFWREDUSUM Computed;
        VFWREDOSUM Copied;
    }
}

/// Sums by the host.
#[inline(always)]
fn sum<F: Format, E: Numeric>(environment: Environment) -> impl Fn(E, E) -> (E, bool) {
    let is_host = E::PRESENT && environment.leaves_flags_to_host();
    move |a, b| {
        let (sum, is_plain) = plain::<F, E>(a.number() + b.number());
        (sum, is_plain & is_host)
    }
}

/// The same, of elements of half the width.
#[inline(always)]
fn wide_sum<G: Format, E: Numeric, W: Numeric>(environment: Environment) -> impl Fn(W, E) -> (W, bool)
where
    E::Number: Widened<W::Number>,
{
    let is_host = E::PRESENT && environment.leaves_flags_to_host();
    move |a, b| {
        let (sum, is_plain) = plain::<G, W>(a.number() + widen::<E, W>(b));
        (sum, is_plain & is_host)
    }
}

/// The lesser of two numbers.
#[inline(always)]
fn least<F: Format, E: Element>(_environment: Environment) -> impl Fn(E, E) -> (E, bool) {
    |a, b| (if key(a) < key(b) { a } else { b }, are_numbers::<F, E>([a, b]))
}

/// The greater of two numbers.
#[inline(always)]
fn greatest<F: Format, E: Element>(_environment: Environment) -> impl Fn(E, E) -> (E, bool) {
    |a, b| (if key(a) > key(b) { a } else { b }, are_numbers::<F, E>([a, b]))
}

struct Fold {
    fields: Fields,
    shape: Shape,
    alone: Alone,
    environment: Environment,
}

impl Fold {
    /// `vd[0]` = `f` folded over `vs1[0]`, of format `F` and type `S`, and the active elements of `vs2`, of type `E`.
    /// Returns what was raised. `known` gives results and whether they are known to be the same.
    #[inline(always)]
    fn run<F: Format, E: Element, S: Element>(
        self,
        unit: &mut VectorUnit,
        f: impl Fn(u64, u64, &mut Environment) -> u64,
        known: impl Fn(S, E) -> (S, bool),
    ) -> u8 {
        let Self { fields, shape, alone, environment: mut env } = self;
        if unit.vl == 0 {
            return 0;
        }
        let first = unit.get::<S>(fields.rs1(), 0);
        if !fields.masked() {
            let start = fields.vs2() as usize * unit.vlenb;
            let elements = unit.registers[start..start + unit.vl * E::BYTES].chunks_exact(E::BYTES);
            let (result, are_known) = elements.fold((first, true), |(result, are_known), element| {
                let (result, is_known) = known(result, E::load(element));
                (result, are_known & is_known)
            });
            if are_known {
                unit.set(fields.vd(), 0, result);
                unit.finish_scalar::<S>(fields.vd(), shape.agnostic);
                return env.flags.0;
            }
        }
        let mut result = first.zero_extend();
        let mut is_alone = true;
        for index in (0..unit.vl).filter(|&index| unit.active(fields, index)) {
            result = f(result, unit.get::<E>(fields.vs2(), index).zero_extend(), &mut env);
            is_alone = false;
        }
        if is_alone && alone == Alone::Computed && is_nan::<F>(result) {
            result = env.nan::<F>(is_signaling::<F>(result));
        }
        unit.set(fields.vd(), 0, S::truncate(result));
        unit.finish_scalar::<S>(fields.vd(), shape.agnostic);
        env.flags.0
    }
}
