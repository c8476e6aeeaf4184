//! Zvkned: rounds and key schedules of AES (FIPS 197), a block or round key being four columns.

use std::array;

use super::super::operation::{Compiled, Groups, operations};
use super::aes_rounds::{Round, available, round as host_round};
use super::element_group::{SCALAR, binary, scalar, with_immediate, words};
use super::group_kernel::Step;
use crate::idioms::{ENC_COLUMN, INV_MIX, INV_SBOX, SBOX};

/// Columns of a state or words of a round key, row 0 in the lowest byte.
type Block = [u32; 4];

operations! {
    VAESEF [VV] words(4) => |hart, fields, _| binary(hart, fields, |s, k| xor(encrypt_final(s), k))
        => with_keys::<{ Round::EncryptFinal as u8 }>();
    VAESEF [VS] SCALAR => |hart, fields, _| scalar(hart, fields, |k| k, |s, k| xor(encrypt_final(s), k)),
        Compiled::Round(Round::EncryptFinal);
    VAESEM [VV] words(4) => |hart, fields, _| binary(hart, fields, |s, k| xor(encrypt_middle(s), k))
        => with_keys::<{ Round::EncryptMiddle as u8 }>();
    VAESEM [VS] SCALAR => |hart, fields, _| scalar(hart, fields, |k| k, |s, k| xor(encrypt_middle(s), k)),
        Compiled::Round(Round::EncryptMiddle);
    VAESDF [VV] words(4) => |hart, fields, _| binary(hart, fields, |s, k| xor(decrypt_final(s), k))
        => with_keys::<{ Round::DecryptFinal as u8 }>();
    VAESDF [VS] SCALAR => |hart, fields, _| scalar(hart, fields, |k| k, |s, k| xor(decrypt_final(s), k)),
        Compiled::Round(Round::DecryptFinal);
    // InvMixColumns comes after AddRoundKey; it is linear, so that it may be applied to each.
    VAESDM [VV] words(4) => |hart, fields, _| {
        binary(hart, fields, |s, k| xor(decrypt_middle(s), inv_mix_columns(k)))
    } => with_keys::<{ Round::DecryptMiddle as u8 }>();
    VAESDM [VS] SCALAR => |hart, fields, _| {
        scalar(hart, fields, inv_mix_columns, |s, k| xor(decrypt_middle(s), k))
    }, Compiled::Round(Round::DecryptMiddle);
    VAESZ [VS] SCALAR => |hart, fields, _| scalar(hart, fields, |k| k, xor), Compiled::Round(Round::Zero);
    VAESKF1 [VI] with_immediate(4) => |hart, fields, _| {
        binary(hart, fields, |vd, vs2| KeyOf128::step(vd, vs2, vs2, fields.rs1()))
    } => Groups::of_any_host::<KeyOf128>();
    VAESKF2 [VI] with_immediate(4) => |hart, fields, _| {
        binary(hart, fields, |vd, vs2| KeyOf256::step(vd, vs2, vs2, fields.rs1()))
    } => Groups::of_any_host::<KeyOf256>();
}

/// By the host's own instruction.
const fn with_keys<const KIND: u8>() -> Groups {
    Groups { kernel: |_| available().then_some(host_round::<KIND, false>) }
}

/// Column that a byte contributes to after InvSubBytes and InvMixColumns.
const DEC_COLUMN: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        table[index] = INV_MIX[INV_SBOX[index] as usize];
        index += 1;
    }
    table
};

#[inline(always)]
fn xor(a: Block, b: Block) -> Block {
    array::from_fn(|i| a[i] ^ b[i])
}

/// Rotates row `r` of the state by `r · step` columns to the left; `column` is then what a byte in row 0
/// contributes to its column.
#[inline(always)]
fn round(state: Block, step: usize, column: impl Fn(usize) -> u32) -> Block {
    // Written out, which compilers inline where they do not inline `array::from_fn`.
    let term = |c: usize, row: usize| {
        let byte = state[(c + row * step) % 4] >> (8 * row) & 0xff;
        column(byte as usize).rotate_left(8 * row as u32)
    };
    let sum = |c| term(c, 0) ^ term(c, 1) ^ term(c, 2) ^ term(c, 3);
    [sum(0), sum(1), sum(2), sum(3)]
}

#[inline(always)]
fn encrypt_middle(state: Block) -> Block {
    round(state, 1, |byte| ENC_COLUMN[byte])
}

#[inline(always)]
fn encrypt_final(state: Block) -> Block {
    round(state, 1, |byte| u32::from(SBOX[byte]))
}

/// A middle round with InvMixColumns, without AddRoundKey. Three columns to the left are one to the right.
#[inline(always)]
fn decrypt_middle(state: Block) -> Block {
    round(state, 3, |byte| DEC_COLUMN[byte])
}

#[inline(always)]
fn decrypt_final(state: Block) -> Block {
    round(state, 3, |byte| u32::from(INV_SBOX[byte]))
}

#[inline(always)]
fn inv_mix_columns(state: Block) -> Block {
    round(state, 0, |byte| INV_MIX[byte])
}

struct KeyOf128;

impl Step for KeyOf128 {
    type Group = Block;

    #[inline(always)]
    fn step(_: Block, current: Block, _: Block, immediate: u32) -> Block {
        expand(current, KeyStep::of_aes_128(immediate).mixed(current[3]))
    }
}

struct KeyOf256;

impl Step for KeyOf256 {
    type Group = Block;

    #[inline(always)]
    fn step(previous: Block, current: Block, _: Block, immediate: u32) -> Block {
        expand(previous, KeyStep::of_aes_256(immediate).mixed(current[3]))
    }
}

/// What a step of a key schedule does to the last word of the current round key (FIPS 197 §5.2).
#[derive(Clone, Copy)]
struct KeyStep {
    /// RotWord comes before SubWord.
    rotates: bool,
    constant: u32,
}

impl KeyStep {
    const CONSTANTS: [u32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

    /// The round number from the immediate, values out of range being brought into it by inverting bit 3.
    #[inline(always)]
    fn number(immediate: u32, first: u32, last: u32) -> usize {
        let number = immediate & 15;
        (if (first..=last).contains(&number) { number } else { number ^ 8 }) as usize
    }

    #[inline(always)]
    fn of_aes_128(immediate: u32) -> Self {
        Self { rotates: true, constant: Self::CONSTANTS[Self::number(immediate, 1, 10) - 1] }
    }

    /// Even rounds are as in AES-128, odd ones only substitute.
    #[inline(always)]
    fn of_aes_256(immediate: u32) -> Self {
        let number = Self::number(immediate, 2, 14);
        let rotates = number.is_multiple_of(2);
        Self { rotates, constant: if rotates { Self::CONSTANTS[number / 2 - 1] } else { 0 } }
    }

    #[inline(always)]
    fn mixed(self, last: u32) -> u32 {
        let word = if self.rotates { last.rotate_right(8) } else { last };
        u32::from_le_bytes(word.to_le_bytes().map(|byte| SBOX[usize::from(byte)])) ^ self.constant
    }
}

/// Four words of a schedule, each the one before it xored with that of the key Nk words earlier.
#[inline(always)]
fn expand(earlier: Block, mut word: u32) -> Block {
    earlier.map(|key| {
        word ^= key;
        word
    })
}
