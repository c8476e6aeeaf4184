//! What two operands of a micro-operation have to do with each other, by their definitions within its instruction: where
//! one is the other, most of what each alone could be cannot be.

use engine::follow::Step;
use engine::uop::{Comparison, FIRST_TEMP, Kind as Does, Pure, Unary, Uop};

/// True if both slots hold the same, whatever that is.
pub fn same(step: &Step<'_>, begin: usize, a: u16, b: u16) -> bool {
    a == b
        || match (origin(step, begin, a), origin(step, begin, b)) {
            (Some(x), Some(y)) => {
                (x.op, x.aux, x.imm) == (y.op, y.aux, y.imm) && x.reads().eq(y.reads())
                    || moved(x).is_some_and(|from| Some(from) == moved(y))
            }
            (Some(x), None) => moved(x) == Some(b),
            (None, Some(y)) => moved(y) == Some(a),
            (None, None) => false,
        }
}

/// The comparison whose result a slot holds, and the slots that it compares.
pub fn comparison(step: &Step<'_>, begin: usize, slot: u16) -> Option<(Comparison, u16, u16)> {
    let origin = origin(step, begin, slot)?;
    match origin.op.kind() {
        Does::Pure(Pure::Compare { op, immediate: false }) => Some((op, origin.a, origin.b)),
        _ => None,
    }
}

/// The slot of which this only is a copy.
fn moved(uop: &Uop) -> Option<u16> {
    matches!(uop.op.kind(), Does::Pure(Pure::Unary(Unary::Mov))).then_some(uop.a)
}

/// What computed a temporary, if all that it was computed from still is as it was.
fn origin<'s>(step: &'s Step<'_>, begin: usize, slot: u16) -> Option<&'s Uop> {
    if slot < FIRST_TEMP {
        return None;
    }
    let before = step.block.uops.get(begin..step.uop)?;
    if before.iter().any(|uop| matches!(uop.op.kind(), Does::Goto | Does::GotoIfZero)) {
        return None;
    }
    let at = before.iter().rposition(|uop| uop.def() == Some(slot))?;
    let origin = &before[at];
    let is_pure = matches!(origin.op.kind(), Does::Pure(_));
    let is_kept = |read: u16| before[at..].iter().all(|uop| uop.def() != Some(read));
    (is_pure && origin.reads().all(is_kept)).then_some(origin)
}
