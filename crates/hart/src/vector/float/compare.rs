//! Comparisons, whose results are masks.

use softfloat::compare::{Nan, equal, less, less_or_equal};
use softfloat::format::Format;

use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::operation::operations;
use super::super::rules::{MASK, Rules};
use super::super::state::VectorUnit;
use super::super::steps::{byte_of, bytes_of_mask};
use super::formats::for_format;
use super::host::{are_numbers, key_of_equals};
use super::rules::{PLAIN, raise};

const COMPARING: Rules = Rules { vd: MASK, ..PLAIN };

/// Rows `NAME [FORMS] |a, b, env| value, ordered;`: `vd.mask[i] = value`, which is `ordered` of the integers that
/// [`key_of_equals`] makes of numbers.
macro_rules! table {
    ($($name:ident [$($form:ident)*] |$a:ident, $b:ident, $env:ident| $value:expr, $ordered:expr;)*) => {
        operations! {
            $($name [$($form)*] COMPARING => |hart, fields, shape| {
                let environment = hart.vector_environment()?;
                let walk = COMPARING.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                let raised = for_format!(unit.vtype.sew, F, E => {
                    let done = compare_numbers::<F, E>(unit, walk, $ordered);
                    compare::<E>(unit, Walk { done, ..walk }, |$a, $b| {
                        let mut environment = environment;
                        let $env = &mut environment;
                        ($value, environment.flags.0)
                    })
                });
                raise(hart, raised)
            };)*
        }
    };
}

table! {
    VMFEQ [VV VF] |a, b, env| equal::<F>(a, b, env), i64::eq;
    VMFNE [VV VF] |a, b, env| !equal::<F>(a, b, env), i64::ne;
    VMFLT [VV VF] |a, b, env| less::<F>(a, b, Nan::Signaling, env), i64::lt;
    VMFLE [VV VF] |a, b, env| less_or_equal::<F>(a, b, Nan::Signaling, env), i64::le;
    VMFGT [VF] |a, b, env| less::<F>(b, a, Nan::Signaling, env), i64::gt;
    VMFGE [VF] |a, b, env| less_or_equal::<F>(b, a, Nan::Signaling, env), i64::ge;
}

/// Writes the mask `vd` eight elements at a time, from the first on, as long as none is a NaN. Returns how many are done.
#[inline(always)]
fn compare_numbers<F: Format, E: Element>(
    unit: &mut VectorUnit,
    walk: Walk,
    holds: impl Fn(&i64, &i64) -> bool,
) -> usize {
    if walk.fields.masked() || unit.vstart != 0 {
        return 0;
    }
    let (starts, count) = (walk.starts(unit), unit.vl / 8);
    let scalar = walk.operand.scalar();
    8 * bytes_of_mask(&mut unit.registers, &starts, scalar, count, |_, a: [E; 8], b| {
        let are_plain = (0..8).fold(true, |all, lane| all & are_numbers::<F, E>([a[lane], b[lane]]));
        are_plain.then(|| byte_of(|lane| holds(&key_of_equals(a[lane]), &key_of_equals(b[lane]))))
    })
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
