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

    /// Rows `NAME ALONE, function;`: `vd[0]` is folded over `vs1[0]` and the active elements of `vs2`.
    macro_rules! table {
        ($($name:ident $alone:ident, $function:ident;)*) => {
            operations! {
                $($name [VS] REDUCING => |hart, fields, shape| {
                    let environment = hart.vector_environment()?;
                    let unit = &mut hart.vector;
                    let raised = for_format!(unit.vtype.sew, F, E => {
                        let fold = Fold { fields, shape, alone: Alone::$alone, environment };
                        fold.run::<F, E, E>(unit, $function::<F>)
                    });
                    raise(hart, raised)
                };)*
            }
        };
    }

    table! {
        VFREDUSUM Computed, add;
        VFREDOSUM Copied, add;
        VFREDMIN Copied, minimum_number;
        VFREDMAX Copied, maximum_number;
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
                        fold.run::<G, E, W>(unit, |sum, element, env| {
                            let element = between::<F, G>(element, env);
                            add::<G>(sum, element, env)
                        })
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

struct Fold {
    fields: Fields,
    shape: Shape,
    alone: Alone,
    environment: Environment,
}

impl Fold {
    /// `vd[0]` = `f` folded over `vs1[0]`, of format `F` and type `S`, and the active elements of `vs2`, of type `E`.
    /// Returns what was raised.
    #[inline(always)]
    fn run<F: Format, E: Element, S: Element>(
        self,
        unit: &mut VectorUnit,
        f: impl Fn(u64, u64, &mut Environment) -> u64,
    ) -> u8 {
        let Self { fields, shape, alone, environment: mut env } = self;
        if unit.vl == 0 {
            return 0;
        }
        let mut result = unit.get::<S>(fields.rs1(), 0).zero_extend();
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
