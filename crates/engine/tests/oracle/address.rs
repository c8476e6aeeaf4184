//! Zba: address generation.

use super::Operands;

pub(crate) fn compute(mnemonic: &str, o: Operands) -> Option<u64> {
    let Operands { a, b, imm, .. } = o;
    let low = u64::from(a as u32);
    Some(match mnemonic {
        "sh1add" => b.wrapping_add(a << 1),
        "sh2add" => b.wrapping_add(a << 2),
        "sh3add" => b.wrapping_add(a << 3),
        "add.uw" if o.xlen == 64 => b.wrapping_add(low),
        "sh1add.uw" if o.xlen == 64 => b.wrapping_add(low << 1),
        "sh2add.uw" if o.xlen == 64 => b.wrapping_add(low << 2),
        "sh3add.uw" if o.xlen == 64 => b.wrapping_add(low << 3),
        "slli.uw" if o.xlen == 64 => low << imm,
        _ => return None,
    })
}
