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
use super::direct::{AtOnce, Bodiless};
use super::entries::{DirectLane, FloatDoubling, Written};
use super::formats::{for_format, for_two_formats};
use super::host::{Numeric, Widened, has_nan, key, of_key, widen};
use super::plain::Plain;
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
    /// same of all elements if the result is known to be right.
    macro_rules! table {
        ($($name:ident $alone:ident, $function:ident, $known:expr;)*) => {
            operations! {
                $($name [VS] REDUCING => |hart, fields, shape| {
                    let environment = hart.vector_environment()?;
                    let unit = &mut hart.vector;
                    let raised = for_format!(unit.vtype.sew, F, E => {
                        let fold = Fold { fields, shape, alone: Alone::$alone, environment };
                        fold.run::<F, E, E>(unit, $function::<F>, $known)
                    });
                    raise(hart, raised)
                } => {
                    struct Folded;

                    impl AtOnce for Folded {
                        const WRITTEN: Written = Written::Scalar;
                        const LANE: Option<DirectLane> = Some(DirectLane::$name);

                        #[inline(always)]
                        fn run<F: Format, E: Numeric>(
                            registers: &mut [u8],
                            Plain { starts, count, .. }: Plain,
                            environment: Environment,
                        ) -> usize {
                            let Some(first) = starts.b.filter(|_| count > 0) else { return 0 };
                            let first = E::load(&registers[first..first + E::BYTES]);
                            let elements = &registers[starts.a..starts.a + count * E::BYTES];
                            match $known(first, elements, environment) {
                                Some(result) => result.store(&mut registers[starts.d..starts.d + E::BYTES]),
                                None => return 0,
                            }
                            count
                        }
                    }

                    Bodiless::<Folded>::new()
                };)*
            }
        };
    }

    table! {
        VFREDUSUM Computed, add, sum::<F, E>;
        VFREDOSUM Copied, add, sum::<F, E>;
        VFREDMIN Copied, minimum_number, extreme::<F, E, false>;
        VFREDMAX Copied, maximum_number, extreme::<F, E, true>;
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
                        fold.run::<G, E, W>(unit, exact, wide_sum::<G, E, W>)
                    });
                    raise(hart, raised)
                } => FloatDoubling::Folded { is_computed: matches!(Alone::$alone, Alone::Computed) };)*
            }
        };
    }

    table! {
        VFWREDUSUM Computed;
        VFWREDOSUM Copied;
    }
}

/// A number and those in these bytes, added by the host, if that is known to be right: an infinity or a NaN in between
/// would still be there at the end, and sums are exact where they are tiny. Each must be rounded.
#[inline(always)]
fn sum<F: Format, E: Numeric>(first: E, elements: &[u8], environment: Environment) -> Option<E> {
    if !E::IS_OWN || !environment.leaves_flags_to_host() {
        return None;
    }
    let mut sum = first.number();
    for element in elements.chunks_exact(E::BYTES) {
        sum = sum + E::load(element).number();
    }
    finite::<F, E>(E::bits(sum))
}

/// The same, of elements of half the width.
#[inline(always)]
fn wide_sum<G: Format, E: Numeric, W: Numeric>(
    first: W,
    elements: &[u8],
    environment: Environment,
) -> Option<W>
where
    E::Number: Widened<W::Number>,
{
    if !environment.leaves_flags_to_host() {
        return None;
    }
    let mut sum = first.number();
    for element in elements.chunks_exact(E::BYTES) {
        sum = sum + widen::<E, W>(E::load(element));
    }
    finite::<G, W>(W::bits(sum))
}

#[inline(always)]
fn finite<F: Format, E: Element>(number: E) -> Option<E> {
    if number.zero_extend() & !F::SIGN < F::INFINITY { Some(number) } else { None }
}

/// The least or the greatest of a number and those in these bytes, if none is a NaN.
#[inline(always)]
fn extreme<F: Format, E: Element, const GREATEST: bool>(
    first: E,
    elements: &[u8],
    _: Environment,
) -> Option<E> {
    /// Elements that are compared at a time.
    const LANES: usize = 8;
    let better = |a: E, b: E| if (a > b) == GREATEST { a } else { b };
    let mut best = [key(first); LANES];
    let mut are_numbers = !has_nan::<F, E>(&[first]);
    let blocks = elements.chunks_exact(LANES * E::BYTES);
    let rest = blocks.remainder();
    for block in blocks {
        let mut numbers = [first; LANES];
        for (number, bytes) in numbers.iter_mut().zip(block.chunks_exact(E::BYTES)) {
            *number = E::load(bytes);
        }
        are_numbers &= !has_nan::<F, E>(&numbers);
        for lane in 0..LANES {
            best[lane] = better(best[lane], key(numbers[lane]));
        }
    }
    for bytes in rest.chunks_exact(E::BYTES) {
        let number = E::load(bytes);
        are_numbers &= !has_nan::<F, E>(&[number]);
        best[0] = better(best[0], key(number));
    }
    let mut all = best[0];
    for &one in &best[1..] {
        all = better(all, one);
    }
    if are_numbers { Some(of_key(all)) } else { None }
}

struct Fold {
    fields: Fields,
    shape: Shape,
    alone: Alone,
    environment: Environment,
}

impl Fold {
    /// `vd[0]` = `f` folded over `vs1[0]`, of format `F` and type `S`, and the active elements of `vs2`, of type `E`.
    /// Returns what was raised. `known` gives the result of all elements if it is known to be the same.
    #[inline(always)]
    fn run<F: Format, E: Element, S: Element>(
        self,
        unit: &mut VectorUnit,
        f: impl Fn(u64, u64, &mut Environment) -> u64,
        known: impl Fn(S, &[u8], Environment) -> Option<S>,
    ) -> u8 {
        let Self { fields, shape, alone, environment: mut env } = self;
        if unit.vl == 0 {
            return 0;
        }
        let first = unit.get::<S>(fields.rs1(), 0);
        if !fields.masked() {
            let start = fields.vs2() as usize * unit.vlenb;
            let elements = &unit.registers[start..start + unit.vl * E::BYTES];
            if let Some(result) = known(first, elements, env) {
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
