//! Zvksed: SM4 (GB/T 32907-2016).

use super::super::operation::{Groups, operations};
use super::element_group::{SCALAR, binary, scalar, with_immediate, words};
use super::group_kernel::{self, Step};
use super::sm4_host::{self, KEYS, ROUNDS, ROUNDS_OF_ONE_KEY};

/// Four words of state or four round keys, the oldest first.
type Block = [u32; 4];

operations! {
    VSM4R [VV] words(4) => |hart, fields, _| binary(hart, fields, four_rounds)
        => of_host::<Rounds<false>, ROUNDS>();
    VSM4R [VS] SCALAR => |hart, fields, _| scalar(hart, fields, |keys| keys, four_rounds)
        => of_host::<Rounds<true>, ROUNDS_OF_ONE_KEY>();
    VSM4K [VI] with_immediate(4) => |hart, fields, _| {
        binary(hart, fields, |vd, vs2| Keys::step(vd, vs2, vs2, fields.rs1()))
    } => of_host::<Keys, KEYS>();
}

/// By the host's own instructions ([`sm4_host::kernels`]), or without.
const fn of_host<S: Step, const KERNEL: usize>() -> Groups {
    Groups { kernel: |_| Some(sm4_host::kernels(KERNEL).next().unwrap_or(group_kernel::of::<S>())) }
}

struct Rounds<const IS_SCALAR: bool>;

impl<const IS_SCALAR: bool> Step for Rounds<IS_SCALAR> {
    type Group = Block;
    const IS_SCALAR: bool = IS_SCALAR;

    #[inline(always)]
    fn step(state: Block, keys: Block, _: Block, _: u32) -> Block {
        four_rounds(state, keys)
    }
}

struct Keys;

impl Step for Keys {
    type Group = Block;

    #[inline(always)]
    fn step(_: Block, keys: Block, _: Block, immediate: u32) -> Block {
        four_steps(keys, KEY_CONSTANTS[immediate as usize & 7], |s| s ^ s.rotate_left(13) ^ s.rotate_left(23))
    }
}

#[inline(always)]
fn four_rounds(state: Block, keys: Block) -> Block {
    four_steps(state, keys, |s| {
        s ^ s.rotate_left(2) ^ s.rotate_left(10) ^ s.rotate_left(18) ^ s.rotate_left(24)
    })
}

/// Each word of four becomes itself xored with a linear function of the substituted other three and of the
/// step's own constant or key.
#[inline(always)]
fn four_steps(words: Block, keys: Block, linear: impl Fn(u32) -> u32) -> Block {
    let [mut x0, mut x1, mut x2, mut x3] = words;
    for key in keys {
        let mixed = (x1 ^ x2 ^ x3 ^ key).to_le_bytes().map(|byte| SBOX[usize::from(byte)]);
        (x0, x1, x2, x3) = (x1, x2, x3, x0 ^ linear(u32::from_le_bytes(mixed)));
    }
    [x0, x1, x2, x3]
}

/// The constants CK, of each group of four rounds: byte `n` of them all, from the highest of the first, is `7 n`.
pub const KEY_CONSTANTS: [Block; 8] = {
    let (mut words, mut byte) = ([[0; 4]; 8], 0);
    while byte < 128 {
        let value = 7u8.wrapping_mul(byte as u8);
        words[byte / 16][byte / 4 % 4] |= (value as u32) << (24 - 8 * (byte % 4));
        byte += 1;
    }
    words
};

/// S-box, computed: `A(A(x) + c)^-1 + c` with an affine map before and after the inversion in
/// GF(2)\[x\]/(x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1), as F. Liu et al. found it (ACISP 2007).
pub const SBOX: [u8; 256] = {
    let mut table = [0; 256];
    let mut x = 0;
    while x < 256 {
        table[x] = affine(inverse(affine(x as u8)));
        x += 1;
    }
    table
};

/// Bit `i` is the parity of `x` under the mask 0xa7 rotated by `i`; then 0xd3 is added.
pub const fn affine(x: u8) -> u8 {
    let mut result = 0;
    let mut bit = 0;
    while bit < 8 {
        result |= ((x & 0xa7u8.rotate_left(bit)).count_ones() as u8 & 1) << bit;
        bit += 1;
    }
    result ^ 0xd3
}

/// The inverse, which is the 254th power; of 0 it is 0.
const fn inverse(x: u8) -> u8 {
    let mut power = 1;
    let mut count = 0;
    while count < 254 {
        power = product(power, x);
        count += 1;
    }
    power
}

const fn product(mut a: u8, mut b: u8) -> u8 {
    let mut sum = 0;
    while b != 0 {
        if b & 1 != 0 {
            sum ^= a;
        }
        a = a << 1 ^ 0xf5 & (a >> 7).wrapping_neg();
        b >>= 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::group_kernel::tests::agree;
    use super::{KEYS, Keys, ROUNDS, ROUNDS_OF_ONE_KEY, Rounds, sm4_host};

    #[test]
    fn the_hosts_kernels_are_the_plain_steps() {
        agree::<Rounds<false>>(sm4_host::kernels(ROUNDS));
        agree::<Rounds<true>>(sm4_host::kernels(ROUNDS_OF_ONE_KEY));
        agree::<Keys>(sm4_host::kernels(KEYS));
    }
}
