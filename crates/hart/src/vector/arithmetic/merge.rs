//! Merge and move. To a merge, v0 is an operand, and every body element is active.

use super::super::element::for_sew;
use super::super::element_wise::{MaskUse, Operand, Walk};
use super::super::fields::Fields;
use super::single_width::checked;
use crate::unit::Body;
use crate::vector::kernel::{Found, Immediate, Kernel, each, kernel};

/// The kernel of a move.
pub fn kernel(operation: &str, form: &str, sew: u8) -> Option<Found> {
    kernel! {
        fn splat<E, SCALAR>(unit, at) {
            each::<E, SCALAR>(unit, at, |_, b, _| b);
        }
    }
    let run: Kernel = match (operation, form) {
        ("VMV", "V__V") => for_sew!(sew, E => splat::<E, false>),
        ("VMV", "V__X" | "V__I") => for_sew!(sew, E => splat::<E, true>),
        _ => return None,
    };
    Some(Found { run, immediate: Immediate::signed })
}

/// The body of an instruction of this module.
pub fn body(operation: &str, form: &str) -> Option<Body> {
    Some(match (operation, form) {
        ("VMERGE", _) => |hart, word| {
            let fields = Fields(word);
            let walk = checked(hart, fields, Operand::signed(hart, fields))?;
            let walk = Walk { mask: MaskUse::Operand, ..walk };
            let unit = &mut hart.vector;
            for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |a, b, _, second| {
                (if second { b } else { a }, false)
            }));
            Ok(())
        },
        ("VMV", "V__V" | "V__X" | "V__I") => |hart, word| {
            let fields = Fields(word);
            let walk = checked(hart, fields, Operand::signed(hart, fields))?;
            let unit = &mut hart.vector;
            for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |_, b, _, _| (b, false)));
            Ok(())
        },
        _ => return None,
    })
}
