//! Zvkg: multiplication in the field of GHASH (NIST SP 800-38D §6.3).

use super::super::operation::operations;
use super::element_group::{binary, ternary, three, words};
use crate::idioms::clmul;

/// A field element as it is in a register: within each byte the lowest coefficient is the highest bit.
type Block = [u32; 4];

operations! {
    VGHSH [VV] three(4) => |hart, fields, _| {
        ternary(hart, fields, |hash: Block, subkey, text| {
            block(multiply(polynomial(hash) ^ polynomial(text), polynomial(subkey)))
        })
    };
    VGMUL [VV] words(4) => |hart, fields, _| {
        binary(hart, fields, |a: Block, b| block(multiply(polynomial(a), polynomial(b))))
    };
}

/// The polynomial, bit `i` being the coefficient of `x^i`.
#[inline(always)]
fn polynomial(block: Block) -> u128 {
    block.iter().rfold(0, |value, &word| value << 32 | u128::from(word.swap_bytes().reverse_bits()))
}

#[inline(always)]
fn block(polynomial: u128) -> Block {
    std::array::from_fn(|i| ((polynomial >> (32 * i)) as u32).reverse_bits().swap_bytes())
}

/// Product modulo x^128 + x^7 + x^2 + x + 1.
fn multiply(a: u128, b: u128) -> u128 {
    let [a0, a1, b0, b1] = [a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64];
    let (low, high) = (clmul(a0, b0), clmul(a1, b1));
    let middle = clmul(a0 ^ a1, b0 ^ b1) ^ low ^ high;
    // x^128 is x^7 + x^2 + x + 1, and what that carries beyond x^127 once more.
    let high = high ^ middle >> 64;
    let carried = high >> 127 ^ high >> 126 ^ high >> 121;
    let times = |value: u128| value ^ value << 1 ^ value << 2 ^ value << 7;
    low ^ middle << 64 ^ times(high) ^ times(carried)
}
