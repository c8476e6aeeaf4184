//! Zero and sign extension of elements of SEW/2, SEW/4 and SEW/8.

use super::super::check::{self, rule};
use super::super::element::Element;
use super::super::element_wise::{Operand, Walk};
use super::super::fields::Fields;
use super::super::state::VectorUnit;
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(operation: &str, form: &str) -> Option<Body> {
    Some(match (operation, form) {
        ("VZEXT", "VF2") => |hart, word| extend::<1, false>(hart, word),
        ("VZEXT", "VF4") => |hart, word| extend::<2, false>(hart, word),
        ("VZEXT", "VF8") => |hart, word| extend::<3, false>(hart, word),
        ("VSEXT", "VF2") => |hart, word| extend::<1, true>(hart, word),
        ("VSEXT", "VF4") => |hart, word| extend::<2, true>(hart, word),
        ("VSEXT", "VF8") => |hart, word| extend::<3, true>(hart, word),
        _ => return None,
    })
}

/// Extends from SEW / 2^`SHRINK`.
fn extend<const SHRINK: i8, const SIGNED: bool>(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let fields = Fields(word);
    let unit = &mut hart.vector;
    let sew = unit.vtype.sew as i8;
    rule(sew >= SHRINK, "the source of an extension must have elements of at least 8 bits")?;
    let destination = unit.plain_group(fields.vd())?;
    let source = unit.group(fields.vs2(), sew - SHRINK)?;
    let agnostic = unit.operands(fields, destination, &[source])?;
    let walk = Walk::new(fields, Operand::Scalar(0), agnostic);
    match (sew, SHRINK) {
        (1, _) => run::<u8, u16, SIGNED>(unit, walk),
        (2, 1) => run::<u16, u32, SIGNED>(unit, walk),
        (2, _) => run::<u8, u32, SIGNED>(unit, walk),
        (_, 1) => run::<u32, u64, SIGNED>(unit, walk),
        (_, 2) => run::<u16, u64, SIGNED>(unit, walk),
        _ => run::<u8, u64, SIGNED>(unit, walk),
    }
    Ok(())
}

fn run<A: Element, D: Element, const SIGNED: bool>(unit: &mut VectorUnit, walk: Walk) {
    walk.run::<A, D, D>(unit, |a, _, _, _| {
        let value = if SIGNED { a.sign_extend() as u64 } else { a.zero_extend() };
        (D::truncate(value), false)
    });
}
