//! Addition with carry and subtraction with borrow. v0 holds the carries in; every body element is active.

use super::super::element::{Element, for_sew};
use super::super::element_wise::{MaskUse, Operand, Walk, walk_to_mask};
use super::super::fields::Fields;
use super::{compare, single_width};
use crate::unit::Body;

/// The body of an instruction of this module.
pub fn body(operation: &str, _form: &str) -> Option<Body> {
    Some(match operation {
        "VADC" => |hart, word| {
            let fields = Fields(word);
            let walk = single_width::checked(hart, fields, Operand::signed(hart, fields))?;
            let walk = Walk { mask: MaskUse::Operand, ..walk };
            let unit = &mut hart.vector;
            for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |a, b, _, carry| {
                let sum = a.zero_extend().wrapping_add(b.zero_extend()).wrapping_add(carry.into());
                (E::truncate(sum), false)
            }));
            Ok(())
        },
        "VSBC" => |hart, word| {
            let fields = Fields(word);
            let walk = single_width::checked(hart, fields, Operand::signed(hart, fields))?;
            let walk = Walk { mask: MaskUse::Operand, ..walk };
            let unit = &mut hart.vector;
            for_sew!(unit.vtype.sew, E => walk.run::<E, E, E>(unit, |a, b, _, borrow| {
                let difference = a.zero_extend().wrapping_sub(b.zero_extend()).wrapping_sub(borrow.into());
                (E::truncate(difference), false)
            }));
            Ok(())
        },
        "VMADC" => |hart, word| {
            let fields = Fields(word);
            let walk = compare::checked(hart, fields, Operand::signed(hart, fields))?;
            let walk = Walk { mask: MaskUse::Operand, ..walk };
            let unit = &mut hart.vector;
            for_sew!(unit.vtype.sew, E => walk_to_mask::<E>(unit, walk, |a, b, mask| {
                let carry = fields.masked() && mask;
                let sum = u128::from(a.zero_extend()) + u128::from(b.zero_extend()) + u128::from(carry);
                sum >> E::BITS != 0
            }));
            Ok(())
        },
        "VMSBC" => |hart, word| {
            let fields = Fields(word);
            let walk = compare::checked(hart, fields, Operand::signed(hart, fields))?;
            let walk = Walk { mask: MaskUse::Operand, ..walk };
            let unit = &mut hart.vector;
            for_sew!(unit.vtype.sew, E => walk_to_mask::<E>(unit, walk, |a, b, mask| {
                let borrow = fields.masked() && mask;
                u128::from(a.zero_extend()) < u128::from(b.zero_extend()) + u128::from(borrow)
            }));
            Ok(())
        },
        _ => return None,
    })
}
