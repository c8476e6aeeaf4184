//! Zvbc: carry-less multiplication.

use super::super::check::rule;
use super::super::element_wise::Operand;
use super::super::fields::Fields;
use super::bit_manipulation::checked;
use crate::hart::Hart;
use crate::idioms::clmul;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "VCLMUL__VV" | "VCLMUL__VX" => |hart, word| multiply(hart, word, |product| product as u64),
        "VCLMULH__VV" | "VCLMULH__VX" => |hart, word| multiply(hart, word, |product| (product >> 64) as u64),
        _ => return None,
    })
}

#[inline(always)]
fn multiply(hart: &mut Hart, word: u32, half: impl Fn(u128) -> u64 + Copy) -> Result<(), Trap> {
    let fields = Fields(word);
    let operand = Operand::unsigned(hart, fields);
    let walk = checked(hart, fields, operand, 0)?;
    let unit = &mut hart.vector;
    rule(unit.vtype.sew == 3, "carry-less multiplication of vectors is defined for SEW = 64 only")?;
    walk.run::<u64, u64, u64>(unit, |a, b, _, _| (half(clmul(a, b)), false));
    Ok(())
}
