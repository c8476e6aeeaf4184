//! Zvksh: SM3 (GB/T 32905-2016 §5.3). Words in registers are big-endian, as in the message.

use super::super::group::Overlap;
use super::super::operation::{Groups, operations};
use super::super::rules::Rules;
use super::element_group::{binary, ternary, three, with_immediate};
use super::group_kernel::{self, Step};
use super::sm3_host::{self, COMPRESSION, EXPANSION};

/// Eight words as in a register.
pub type Words = [u32; 8];

operations! {
    VSM3ME [VV] apart(three(8)) => |hart, fields, _| {
        ternary(hart, fields, |vd, vs2, vs1| Expansion::step(vd, vs2, vs1, 0))
    } => of_host::<Expansion, EXPANSION>();
    VSM3C [VI] apart(with_immediate(8)) => |hart, fields, _| {
        binary(hart, fields, |vd, vs2| Compression::step(vd, vs2, vs2, fields.rs1()))
    } => of_host::<Compression, COMPRESSION>();
}

/// By the host's vectors ([`sm3_host::kernels`]), or without.
const fn of_host<S: Step, const KERNEL: usize>() -> Groups {
    Groups { kernel: |_| Some(sm3_host::kernels(KERNEL).next().unwrap_or(group_kernel::of::<S>())) }
}

struct Expansion;

impl Step for Expansion {
    type Group = Words;
    const HAS_VS1: bool = true;

    #[inline(always)]
    fn step(_: Words, vs2: Words, vs1: Words, _: u32) -> Words {
        swapped(expand(swapped(vs1), swapped(vs2)))
    }
}

struct Compression;

impl Step for Compression {
    type Group = Words;

    #[inline(always)]
    fn step(vd: Words, vs2: Words, _: Words, immediate: u32) -> Words {
        swapped(compress(swapped(vd), swapped(vs2), 2 * immediate))
    }
}

const fn apart(rules: Rules) -> Rules {
    Rules { overlap: Overlap::ApartFromVs2, ..rules }
}

#[inline(always)]
pub fn swapped(words: Words) -> Words {
    words.map(u32::swap_bytes)
}

/// The permutation P0.
#[inline(always)]
fn p0(x: u32) -> u32 {
    x ^ x.rotate_left(9) ^ x.rotate_left(17)
}

/// The permutation P1.
#[inline(always)]
fn p1(x: u32) -> u32 {
    x ^ x.rotate_left(15) ^ x.rotate_left(23)
}

/// Words 16 to 23 of the expanded message from words 0 to 7 and 8 to 15.
#[inline(always)]
fn expand(first: Words, second: Words) -> Words {
    let mut w = [0; 24];
    w[..8].copy_from_slice(&first);
    w[8..16].copy_from_slice(&second);
    for j in 16..24 {
        w[j] = p1(w[j - 16] ^ w[j - 9] ^ w[j - 3].rotate_left(15)) ^ w[j - 13].rotate_left(7) ^ w[j - 6];
    }
    std::array::from_fn(|i| w[16 + i])
}

/// The constants T of all rounds, each rotated by the round's number.
const CONSTANTS: [u32; 64] = {
    let (mut constants, mut round) = ([0; 64], 0);
    while round < 64 {
        let constant: u32 = if round < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
        constants[round] = constant.rotate_left(round as u32 % 32);
        round += 1;
    }
    constants
};

/// Rounds `first` and `first` + 1, the former an even number below 64; `words` holds the round's word and that of four
/// rounds later, each followed by those of the next round.
#[inline(always)]
pub fn compress(state: Words, words: Words, first: u32) -> Words {
    let first = first as usize % 64;
    let constants = [CONSTANTS[first], CONSTANTS[(first + 1) % 64]];
    if first < 16 {
        two_rounds::<true>(state, words, constants)
    } else {
        two_rounds::<false>(state, words, constants)
    }
}

/// Two of the first sixteen rounds, or of the others.
#[inline(always)]
fn two_rounds<const EARLY: bool>(state: Words, words: Words, constants: [u32; 2]) -> Words {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    let [w0, w1, _, _, w4, w5, _, _] = words;
    for (constant, word, later) in [(constants[0], w0, w4), (constants[1], w1, w5)] {
        let ff = if EARLY { a ^ b ^ c } else { a & b | a & c | b & c };
        let gg = if EARLY { e ^ f ^ g } else { e & f | !e & g };
        let ss1 = a.rotate_left(12).wrapping_add(e.wrapping_add(constant)).rotate_left(7);
        let ss2 = ss1 ^ a.rotate_left(12);
        let tt1 = ff.wrapping_add(d).wrapping_add(word ^ later).wrapping_add(ss2);
        let tt2 = gg.wrapping_add(h).wrapping_add(word).wrapping_add(ss1);
        (d, c, b, a) = (c, b.rotate_left(9), a, tt1);
        (h, g, f, e) = (g, f.rotate_left(19), e, p0(tt2));
    }
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::super::group_kernel::tests::agree;
    use super::{COMPRESSION, Compression, EXPANSION, Expansion, sm3_host};

    #[test]
    fn the_hosts_kernels_are_the_plain_steps() {
        agree::<Expansion>(sm3_host::kernels(EXPANSION));
        agree::<Compression>(sm3_host::kernels(COMPRESSION));
    }
}
