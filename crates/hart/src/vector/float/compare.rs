//! Comparisons, whose results are masks.

use std::hint::black_box;

use softfloat::compare::{Nan, equal, less, less_or_equal};
use softfloat::environment::Environment;
use softfloat::format::Format;

use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::operation::operations;
use super::super::rules::{MASK, Rules};
use super::super::state::VectorUnit;
use super::super::steps::{byte_of_elements, elements};
use super::direct::{AtOnce, Bodiless};
use super::entries::{DirectLane, Written};
use super::formats::for_format;
use super::host::{Numeric, has_nan, key_of_equals};
use super::plain::Plain;
use super::rules::{PLAIN, raise};

const COMPARING: Rules = Rules { vd: MASK, ..PLAIN };

/// Rows `NAME [FORMS] |a, b, env| value, ordered;`: `vd.mask[i] = value`, which is `ordered` of what
/// [`key_of_equals`] makes of numbers.
macro_rules! table {
    ($($name:ident [$($form:ident)*] |$a:ident, $b:ident, $env:ident| $value:expr, $ordered:expr;)*) => {
        operations! {
            $($name [$($form)*] COMPARING => fn(hart, fields, shape) {
                let environment = hart.vector_environment()?;
                let walk = COMPARING.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                let raised = for_format!(unit.vtype.sew, F, E => {
                    let done = match Plain::of(unit, walk) {
                        Some(plain) => compare_numbers::<F, E>(&mut unit.registers, plain, $ordered),
                        None => 0,
                    };
                    compare::<E>(unit, Walk { done, ..walk }, |$a, $b| {
                        let mut environment = environment;
                        let $env = &mut environment;
                        ($value, environment.flags.0)
                    })
                });
                raise(hart, raised)
            } => {
                struct Ordered;

                impl AtOnce for Ordered {
                    const WRITTEN: Written = Written::Mask;
                    const LANE: Option<DirectLane> = Some(DirectLane::$name);

                    #[inline(always)]
                    fn run<F: Format, E: Numeric>(registers: &mut [u8], plain: Plain, _: Environment) -> usize {
                        compare_numbers::<F, E>(registers, plain, $ordered)
                    }
                }

                Bodiless::<Ordered>::new()
            };)*
        }
    };
}

table! {
    VMFEQ [VV VF] |a, b, env| equal::<F>(a, b, env), E::eq;
    VMFNE [VV VF] |a, b, env| !equal::<F>(a, b, env), E::ne;
    VMFLT [VV VF] |a, b, env| less::<F>(a, b, Nan::Signaling, env), E::lt;
    VMFLE [VV VF] |a, b, env| less_or_equal::<F>(a, b, Nan::Signaling, env), E::le;
    VMFGT [VF] |a, b, env| less::<F>(b, a, Nan::Signaling, env), E::gt;
    VMFGE [VF] |a, b, env| less_or_equal::<F>(b, a, Nan::Signaling, env), E::ge;
}

/// Writes the mask `vd` eight elements at a time, from the first on, as long as none is a NaN. Returns how many are done.
#[inline(always)]
fn compare_numbers<F: Format, E: Element>(
    registers: &mut [u8],
    Plain { starts, scalar, count: all, .. }: Plain,
    holds: impl Fn(&E, &E) -> bool + Copy,
) -> usize {
    let (scalar, count, rest) = (E::truncate(scalar), all / 8, all % 8);
    for index in 0..count {
        // Compilers are to make vectors of the eight elements, not of many bytes.
        let byte = black_box(index);
        let a = elements(registers, starts.a, 8 * byte);
        let b = starts.b.map_or([scalar; 8], |b| elements(registers, b, 8 * byte));
        match compare_all::<F, E, 8>(&a, &b, holds) {
            Some(result) => registers[starts.d + byte] = result,
            None => return 8 * index,
        }
    }
    // As many as a register of 256 bits has of doublewords.
    if rest == 4 {
        let a: [E; 4] = elements(registers, starts.a, 8 * count);
        let b = starts.b.map_or([scalar; 4], |b| elements(registers, b, 8 * count));
        if let Some(result) = compare_all::<F, E, 4>(&a, &b, holds) {
            let target = &mut registers[starts.d + count];
            *target = result & 0x0f | *target & 0xf0;
            return all;
        }
    }
    8 * count
}

/// Bits of a mask, at most eight, if none of the numbers is a NaN. Not a closure: it would be a function of its own,
/// compiled without the host's vectors.
#[inline(always)]
fn compare_all<F: Format, E: Element, const LANES: usize>(
    a: &[E; LANES],
    b: &[E; LANES],
    holds: impl Fn(&E, &E) -> bool,
) -> Option<u8> {
    if has_nan::<F, E>(a) | has_nan::<F, E>(b) {
        return None;
    }
    let mut all = [E::ONES; LANES];
    for (lane, element) in all.iter_mut().enumerate() {
        if !holds(&key_of_equals(a[lane]), &key_of_equals(b[lane])) {
            *element = E::truncate(0);
        }
    }
    Some(byte_of_elements(all))
}

/// Writes the mask `vd` element by element: other elements raise no flags. Ends the instruction. Returns what active
/// elements raised.
fn compare<E: Element>(unit: &mut VectorUnit, walk: Walk, holds: impl Fn(u64, u64) -> (bool, u8)) -> u8 {
    let Walk { fields, operand, agnostic, done, .. } = walk;
    let (start, vl) = (std::mem::take(&mut unit.vstart), unit.vl);
    if start >= vl {
        return 0;
    }
    let ones = unit.fills_inactive(agnostic);
    let mut raised = 0;
    for index in start.max(done)..vl {
        if unit.active(fields, index) {
            let b = match operand {
                Operand::Group(register) => unit.get::<E>(register, index).zero_extend(),
                Operand::Scalar(value) => value,
            };
            let (bit, raises) = holds(unit.get::<E>(fields.vs2(), index).zero_extend(), b);
            unit.set_mask_bit(fields.vd(), index, bit);
            raised |= raises;
        } else if ones {
            unit.set_mask_bit(fields.vd(), index, true);
        }
    }
    unit.finish_mask(fields.vd());
    raised
}
