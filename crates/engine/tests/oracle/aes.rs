//! Zkne and Zknd: AES. The S-box is computed from its definition (FIPS 197, section 5.1.1), not taken
//! from a table.

use super::Operands;

pub(crate) fn compute(mnemonic: &str, o: Operands) -> Option<u64> {
    if o.xlen == 32 { rv32(mnemonic, o).map(u64::from) } else { rv64(mnemonic, o) }
}

fn rv32(mnemonic: &str, o: Operands) -> Option<u32> {
    let (rs1, rs2) = o.words();
    let shamt = 8 * o.imm as u32;
    let selected = (rs2 >> shamt) as u8;
    let contribution = match mnemonic {
        "aes32esi" => u32::from(sub(selected)),
        "aes32esmi" => mix_byte(sub(selected), [2, 1, 1, 3]),
        "aes32dsi" => u32::from(inverse_sub(selected)),
        "aes32dsmi" => mix_byte(inverse_sub(selected), [0xe, 0x9, 0xd, 0xb]),
        _ => return None,
    };
    Some(rs1 ^ contribution.rotate_left(shamt))
}

fn rv64(mnemonic: &str, o: Operands) -> Option<u64> {
    let Operands { a: rs1, b: rs2, .. } = o;
    // Bytes of the state in FIPS 197's order: byte r + 4c is row r of column c.
    let mut state = [0; 16];
    state[..8].copy_from_slice(&rs1.to_le_bytes());
    state[8..].copy_from_slice(&rs2.to_le_bytes());
    Some(match mnemonic {
        "aes64es" => pack(shift_rows(&state, 1).map(sub)),
        "aes64esm" => pack(mix_columns(shift_rows(&state, 1).map(sub), [2, 1, 1, 3])),
        "aes64ds" => pack(shift_rows(&state, 3).map(inverse_sub)),
        "aes64dsm" => pack(mix_columns(shift_rows(&state, 3).map(inverse_sub), [0xe, 0x9, 0xd, 0xb])),
        "aes64im" => pack(mix_columns(rs1.to_le_bytes(), [0xe, 0x9, 0xd, 0xb])),
        "aes64ks1i" => return key_schedule_1(rs1, o.imm),
        "aes64ks2" => {
            let low = (rs1 >> 32) as u32 ^ rs2 as u32;
            let high = low ^ (rs2 >> 32) as u32;
            u64::from(high) << 32 | u64::from(low)
        }
        _ => return None,
    })
}

fn key_schedule_1(rs1: u64, round: u64) -> Option<u64> {
    let last = (rs1 >> 32) as u32;
    let (rotated, constant) = match round {
        0..=9 => (last.rotate_right(8), (0..round).fold(1, |power, _| gf_mul(power, 2))),
        10 => (last, 0),
        _ => return None,
    };
    let word = u32::from_le_bytes(rotated.to_le_bytes().map(sub)) ^ u32::from(constant);
    Some(u64::from(word) << 32 | u64::from(word))
}

fn pack(columns: [u8; 8]) -> u64 {
    u64::from_le_bytes(columns)
}

/// Columns 0 and 1 of the state after row r has moved left by `step * r` columns.
fn shift_rows(state: &[u8; 16], step: usize) -> [u8; 8] {
    std::array::from_fn(|i| {
        let (row, column) = (i % 4, i / 4);
        state[row + 4 * ((column + step * row) % 4)]
    })
}

/// Two columns, each multiplied by the circulant matrix whose first column is `circulant`.
fn mix_columns(bytes: [u8; 8], circulant: [u8; 4]) -> [u8; 8] {
    std::array::from_fn(|i| {
        let (row, column) = (i % 4, i / 4);
        (0..4).fold(0, |sum, k| sum ^ gf_mul(bytes[4 * column + k], circulant[(row + 4 - k) % 4]))
    })
}

/// What a byte in row 0 contributes to its column.
fn mix_byte(byte: u8, circulant: [u8; 4]) -> u32 {
    u32::from_le_bytes(circulant.map(|factor| gf_mul(byte, factor)))
}

/// Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
pub(crate) fn gf_mul(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = if a & 0x80 == 0 { a << 1 } else { a << 1 ^ 0x1b };
        b >>= 1;
    }
    product
}

/// SubBytes of one byte: the multiplicative inverse, then an affine map.
pub(crate) fn sub(x: u8) -> u8 {
    let inverse = (1..=255).find(|&y| gf_mul(x, y) == 1).unwrap_or(0);
    (0..5).fold(0x63, |sum, k| sum ^ inverse.rotate_left(k))
}

/// InvSubBytes of one byte.
pub(crate) fn inverse_sub(y: u8) -> u8 {
    (0..=255).find(|&x| sub(x) == y).expect("the S-box is a permutation")
}
