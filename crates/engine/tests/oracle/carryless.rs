//! Zbc and Zbkc: carry-less multiplication, from the whole product.

use super::Operands;

pub(crate) fn compute(mnemonic: &str, o: Operands) -> Option<u64> {
    let product = (0..o.xlen).filter(|i| o.b >> i & 1 == 1).fold(0u128, |sum, i| sum ^ u128::from(o.a) << i);
    Some(match mnemonic {
        "clmul" => product as u64,
        "clmulh" => (product >> o.xlen) as u64,
        "clmulr" => (product >> (o.xlen - 1)) as u64,
        _ => return None,
    })
}
