//! Zvkg: multiplication in the field of GHASH (NIST SP 800-38D §6.3).

use super::super::carry_less;
use super::super::operation::{Groups, operations};
use super::element_group::{binary, ternary, three, words};
use crate::idioms::clmul;

/// A field element as it is in a register: within each byte the lowest coefficient is the highest bit.
type Block = [u32; 4];

operations! {
    VGHSH [VV] three(4) => |hart, fields, _| {
        ternary(hart, fields, |hash: Block, subkey, text| {
            let hash = of_block(hash) ^ of_block(text);
            block(multiply(hash, of_block(subkey)))
        })
    } => Groups { kernel: carry_less::ghash::<true> };
    VGMUL [VV] words(4) => |hart, fields, _| {
        binary(hart, fields, |a: Block, b| block(multiply(of_block(a), of_block(b))))
    } => Groups { kernel: carry_less::ghash::<false> };
}

#[inline(always)]
fn of_block(block: Block) -> u128 {
    block.iter().fold(0, |value, &word| value << 32 | u128::from(word.swap_bytes()))
}

#[inline(always)]
fn block(polynomial: u128) -> Block {
    std::array::from_fn(|i| ((polynomial >> (96 - 32 * i)) as u32).swap_bytes())
}

/// Product modulo x^128 + x^7 + x^2 + x + 1.
#[inline(always)]
fn multiply(a: u128, b: u128) -> u128 {
    let [a0, a1, b0, b1] = [a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64];
    let (low, high) = (clmul(a0, b0), clmul(a1, b1));
    let middle = clmul(a0 ^ a1, b0 ^ b1) ^ low ^ high;
    let (low, high) = (low ^ middle << 64, high ^ middle >> 64);
    // The coefficient of x^254 is in bit 0: with one bit more, those from x^128 on are in the lower half.
    let (high, low) = (high << 1 | low >> 127, low << 1);
    // x^128 is x^7 + x^2 + x + 1, and what that carries beyond x^127 once more.
    let carried = low << 127 ^ low << 126 ^ low << 121;
    let times = |value: u128| value ^ value >> 1 ^ value >> 2 ^ value >> 7;
    high ^ times(low) ^ times(carried)
}
