//! Zvbc: carry-less multiplication.

use super::super::check::rule;
use super::super::element_wise::Operand;
use super::super::fields::Fields;
use super::bit_manipulation::checked;
use crate::core::Core;
use crate::idioms::clmul;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "VCLMUL__VV" | "VCLMUL__VX" => |core, word| multiply(core, word, |product| product as u64),
        "VCLMULH__VV" | "VCLMULH__VX" => |core, word| multiply(core, word, |product| (product >> 64) as u64),
        _ => return None,
    })
}

#[inline(always)]
fn multiply(core: &mut Core, word: u32, half: impl Fn(u128) -> u64 + Copy) -> Result<(), Trap> {
    let fields = Fields(word);
    let operand = Operand::unsigned(core, fields);
    let walk = checked(core, fields, operand, 0)?;
    let unit = &mut core.vector;
    rule(unit.vtype.sew == 3, "carry-less multiplication of vectors is defined for SEW = 64 only")?;
    walk.run::<u64, u64, u64>(unit, |a, b, _, _| (half(clmul(a, b)), false));
    Ok(())
}
