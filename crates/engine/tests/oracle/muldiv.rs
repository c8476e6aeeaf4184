//! M: multiplication and division.

use super::{Operands, sign_extend_word};

pub(crate) fn compute(mnemonic: &str, o: Operands) -> Option<u64> {
    multiply(mnemonic, o)
        .or_else(|| divide(mnemonic, o))
        .or_else(|| if o.xlen == 64 { word(mnemonic, o) } else { None })
}

fn multiply(mnemonic: &str, o: Operands) -> Option<u64> {
    let (signed_a, signed_b) = (i128::from(o.signed_a()), i128::from(o.signed_b()));
    let (unsigned_a, unsigned_b) = (u128::from(o.a), u128::from(o.b));
    Some(match mnemonic {
        "mul" => o.a.wrapping_mul(o.b),
        "mulh" => ((signed_a * signed_b) >> o.xlen) as u64,
        "mulhsu" => ((signed_a * unsigned_b as i128) >> o.xlen) as u64,
        "mulhu" => ((unsigned_a * unsigned_b) >> o.xlen) as u64,
        _ => return None,
    })
}

fn divide(mnemonic: &str, o: Operands) -> Option<u64> {
    let (a, b) = (o.signed_a(), o.signed_b());
    Some(match mnemonic {
        "div" if b == 0 => u64::MAX,
        "div" => a.wrapping_div(b) as u64,
        "divu" => o.a.checked_div(o.b).unwrap_or(u64::MAX),
        "rem" if b == 0 => o.a,
        "rem" => a.wrapping_rem(b) as u64,
        "remu" => o.a.checked_rem(o.b).unwrap_or(o.a),
        _ => return None,
    })
}

fn word(mnemonic: &str, o: Operands) -> Option<u64> {
    let (a, b) = o.words();
    let (signed_a, signed_b) = (a as i32, b as i32);
    Some(sign_extend_word(match mnemonic {
        "mulw" => a.wrapping_mul(b),
        "divw" if b == 0 => u32::MAX,
        "divw" => signed_a.wrapping_div(signed_b) as u32,
        "divuw" => a.checked_div(b).unwrap_or(u32::MAX),
        "remw" if b == 0 => a,
        "remw" => signed_a.wrapping_rem(signed_b) as u32,
        "remuw" => a.checked_rem(b).unwrap_or(a),
        _ => return None,
    }))
}
