//! Zbb, Zbs, Zbkb and Zbkx: bit manipulation.

use super::{Operands, sign_extend, sign_extend_word};

pub(crate) fn compute(mnemonic: &str, o: Operands) -> Option<u64> {
    logic(mnemonic, o)
        .or_else(|| single_bit(mnemonic, o))
        .or_else(|| permute(mnemonic, o))
        .or_else(|| if o.xlen == 32 { narrow(mnemonic, o) } else { wide(mnemonic, o) })
}

fn logic(mnemonic: &str, o: Operands) -> Option<u64> {
    let Operands { a, b, .. } = o;
    let (signed_a, signed_b) = (o.signed_a(), o.signed_b());
    Some(match mnemonic {
        "andn" => a & !b,
        "orn" => a | !b,
        "xnor" => !(a ^ b),
        "max" => signed_a.max(signed_b) as u64,
        "maxu" => a.max(b),
        "min" => signed_a.min(signed_b) as u64,
        "minu" => a.min(b),
        "sext.b" => sign_extend(a, 8),
        "sext.h" => sign_extend(a, 16),
        "zext.h" => a & 0xffff,
        "pack" => {
            let half = o.xlen / 2;
            let low = (1 << half) - 1;
            (b & low) << half | a & low
        }
        "packh" => (b & 0xff) << 8 | a & 0xff,
        _ => return None,
    })
}

fn single_bit(mnemonic: &str, o: Operands) -> Option<u64> {
    let (operation, index) = match mnemonic.strip_suffix('i') {
        Some(operation) => (operation, o.imm as u32),
        None => (mnemonic, o.shift()),
    };
    let bit = 1u64 << index;
    Some(match operation {
        "bclr" => o.a & !bit,
        "bext" => u64::from(o.a & bit != 0),
        "binv" => o.a ^ bit,
        "bset" => o.a | bit,
        _ => return None,
    })
}

/// Instructions that move bytes or parts of bytes, the same at any XLEN.
fn permute(mnemonic: &str, o: Operands) -> Option<u64> {
    let bytes = usize::from(o.xlen / 8);
    let source = o.a.to_le_bytes();
    let index = o.b.to_le_bytes();
    let mut result = [0; 8];
    match mnemonic {
        "orc.b" => {
            for i in 0..bytes {
                result[i] = if source[i] == 0 { 0 } else { 0xff };
            }
        }
        "brev8" => {
            for i in 0..bytes {
                result[i] = source[i].reverse_bits();
            }
        }
        "rev8" => {
            for i in 0..bytes {
                result[i] = source[bytes - 1 - i];
            }
        }
        "xperm8" => {
            for i in 0..bytes {
                let from = usize::from(index[i]);
                result[i] = if from < bytes { source[from] } else { 0 };
            }
        }
        "xperm4" => {
            let nibble = |from: u8| {
                let from = usize::from(from);
                if from < 2 * bytes { source[from / 2] >> (4 * (from % 2)) & 15 } else { 0 }
            };
            for i in 0..bytes {
                result[i] = nibble(index[i] & 15) | nibble(index[i] >> 4) << 4;
            }
        }
        _ => return None,
    }
    Some(u64::from_le_bytes(result))
}

fn narrow(mnemonic: &str, o: Operands) -> Option<u64> {
    let (a, b) = o.words();
    Some(u64::from(match mnemonic {
        "clz" => a.leading_zeros(),
        "ctz" => a.trailing_zeros(),
        "cpop" => a.count_ones(),
        "rol" => a.rotate_left(b & 31),
        "ror" => a.rotate_right(b & 31),
        "rori" => a.rotate_right(o.imm as u32),
        "zip" => interleave(a as u16) | interleave((a >> 16) as u16) << 1,
        "unzip" => u32::from(deinterleave(a)) | u32::from(deinterleave(a >> 1)) << 16,
        _ => return None,
    }))
}

fn wide(mnemonic: &str, o: Operands) -> Option<u64> {
    let Operands { a, imm, .. } = o;
    let (low_a, low_b) = o.words();
    Some(match mnemonic {
        "clz" => a.leading_zeros().into(),
        "ctz" => a.trailing_zeros().into(),
        "cpop" => a.count_ones().into(),
        "rol" => a.rotate_left(o.shift()),
        "ror" => a.rotate_right(o.shift()),
        "rori" => a.rotate_right(imm as u32),
        "clzw" => low_a.leading_zeros().into(),
        "ctzw" => low_a.trailing_zeros().into(),
        "cpopw" => low_a.count_ones().into(),
        "rolw" => sign_extend_word(low_a.rotate_left(low_b & 31)),
        "rorw" => sign_extend_word(low_a.rotate_right(low_b & 31)),
        "roriw" => sign_extend_word(low_a.rotate_right(imm as u32)),
        "packw" => sign_extend_word(low_b << 16 | low_a & 0xffff),
        _ => return None,
    })
}

/// Bit i of the half goes to bit 2i.
fn interleave(half: u16) -> u32 {
    (0..16).map(|i| u32::from(half >> i & 1) << (2 * i)).sum()
}

/// Bit 2i goes to bit i.
fn deinterleave(word: u32) -> u16 {
    (0..16).map(|i| ((word >> (2 * i) & 1) as u16) << i).sum()
}
