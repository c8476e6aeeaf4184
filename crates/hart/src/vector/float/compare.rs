//! Comparisons, whose results are masks.

use softfloat::compare::{Nan, equal, less, less_or_equal};

use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::operation::operations;
use super::super::rules::{MASK, Rules};
use super::super::state::VectorUnit;
use super::formats::for_format;
use super::rules::{PLAIN, raise};

const COMPARING: Rules = Rules { vd: MASK, ..PLAIN };

/// Rows `NAME [FORMS] |a, b, env| value;`: `vd.mask[i] = value`.
macro_rules! table {
    ($($name:ident [$($form:ident)*] |$a:ident, $b:ident, $env:ident| $value:expr;)*) => {
        operations! {
            $($name [$($form)*] COMPARING => |hart, fields, shape| {
                let environment = hart.vector_environment()?;
                let walk = COMPARING.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                let raised = for_format!(unit.vtype.sew, F, E => compare::<E>(unit, walk, |$a, $b| {
                    let mut environment = environment;
                    let $env = &mut environment;
                    ($value, environment.flags.0)
                }));
                raise(hart, raised)
            };)*
        }
    };
}

table! {
    VMFEQ [VV VF] |a, b, env| equal::<F>(a, b, env);
    VMFNE [VV VF] |a, b, env| !equal::<F>(a, b, env);
    VMFLT [VV VF] |a, b, env| less::<F>(a, b, Nan::Signaling, env);
    VMFLE [VV VF] |a, b, env| less_or_equal::<F>(a, b, Nan::Signaling, env);
    VMFGT [VF] |a, b, env| less::<F>(b, a, Nan::Signaling, env);
    VMFGE [VF] |a, b, env| less_or_equal::<F>(b, a, Nan::Signaling, env);
}

/// Writes the mask `vd` element by element: other elements raise no flags. Ends the instruction. Returns what active
/// elements raised.
fn compare<E: Element>(unit: &mut VectorUnit, walk: Walk, holds: impl Fn(u64, u64) -> (bool, u8)) -> u8 {
    let Walk { fields, operand, agnostic, .. } = walk;
    let (start, vl) = (std::mem::take(&mut unit.vstart), unit.vl);
    if start >= vl {
        return 0;
    }
    let ones = unit.fills_inactive(agnostic);
    let mut raised = 0;
    for index in start..vl {
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
