//! Host implementations of operations whose plain form, a loop over bits or bytes, would be slow to
//! interpret. Lowering uses one only where a description's function is, node for node, the
//! plain form this repository's own descriptions give; a property test compares the two.

/// Carry-less product, 127 bits.
pub fn clmul(a: u64, b: u64) -> u128 {
    let mut product = 0u128;
    let mut rest = b;
    while rest != 0 {
        product ^= u128::from(a) << rest.trailing_zeros();
        rest &= rest - 1;
    }
    product
}

/// `div` of 32-bit operands.
pub fn div32(a: u64, b: u64) -> u64 {
    let (a, b) = (a as u32 as i32, b as u32 as i32);
    u64::from(if b == 0 { u32::MAX } else { a.wrapping_div(b) as u32 })
}

/// `rem` of 32-bit operands.
pub fn rem32(a: u64, b: u64) -> u64 {
    let (a, b) = (a as u32 as i32, b as u32 as i32);
    u64::from(if b == 0 { a as u32 } else { a.wrapping_rem(b) as u32 })
}

fn map_bytes(value: u64, f: impl Fn(u8) -> u8) -> u64 {
    u64::from_le_bytes(value.to_le_bytes().map(f))
}

/// Every nonzero byte becomes 0xff.
pub fn orc_b(a: u64) -> u64 {
    map_bytes(a, |byte| if byte == 0 { 0 } else { 0xff })
}

/// Byte `i` is byte `b[i]` of `a`, 0 if there is none. An RV32 operand is zero-extended, which gives
/// the zero of an index past its end.
pub fn xperm8(a: u64, b: u64) -> u64 {
    map_bytes(b, |index| if index < 8 { (a >> (8 * index)) as u8 } else { 0 })
}

/// Nibble `i` is nibble `b[i]` of `a`.
pub fn xperm4(a: u64, b: u64) -> u64 {
    let nibble = |index: u8| ((a >> (4 * (index & 15))) & 15) as u8;
    map_bytes(b, |pair| nibble(pair) | nibble(pair >> 4) << 4)
}

/// Interleaves the halves of a 32-bit word: bit `i` of the low half goes to bit `2 i`.
pub fn zip32(a: u64) -> u64 {
    (0..16).fold(0, |word, i| word | ((a >> i) & 1) << (2 * i) | ((a >> (i + 16)) & 1) << (2 * i + 1))
}

/// Inverse of [`zip32`].
pub fn unzip32(a: u64) -> u64 {
    (0..16).fold(0, |word, i| word | ((a >> (2 * i)) & 1) << i | ((a >> (2 * i + 1)) & 1) << (i + 16))
}

/// Multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 §4.2).
const fn xtime(byte: u8) -> u8 {
    (byte << 1) ^ (0x1b & (byte >> 7).wrapping_neg())
}

const fn gf_mul(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 != 0 {
            product ^= a;
        }
        a = xtime(a);
        b >>= 1;
    }
    product
}

/// S-box of FIPS 197 §5.1.1, computed: `p` runs through the powers of 3 and `q` through their inverses.
pub const SBOX: [u8; 256] = {
    let mut table = [0x63; 256];
    let (mut p, mut q) = (1u8, 1u8);
    loop {
        p ^= xtime(p);
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        q ^= 0x09 & (q >> 7).wrapping_neg();
        table[p as usize] =
            q ^ q.rotate_left(1) ^ q.rotate_left(2) ^ q.rotate_left(3) ^ q.rotate_left(4) ^ 0x63;
        if p == 1 {
            break table;
        }
    }
};

/// Inverse of [`SBOX`].
pub const INV_SBOX: [u8; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        table[SBOX[index] as usize] = index as u8;
        index += 1;
    }
    table
};

/// Column that a byte contributes to after SubBytes and MixColumns (coefficients 2, 1, 1, 3).
pub const ENC_COLUMN: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let s = SBOX[index];
        table[index] = u32::from_le_bytes([xtime(s), s, s, xtime(s) ^ s]);
        index += 1;
    }
    table
};

/// InvMixColumns of a byte in row 0 (coefficients 14, 9, 13, 11).
pub const INV_MIX: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let s = index as u8;
        table[index] = u32::from_le_bytes([gf_mul(s, 14), gf_mul(s, 9), gf_mul(s, 13), gf_mul(s, 11)]);
        index += 1;
    }
    table
};

fn byte(value: u64, index: u32) -> usize {
    ((value >> (8 * index)) & 0xff) as usize
}

/// The low half of the state after ShiftRows, the state being `high:low`.
fn shift_rows(low: u64, high: u64) -> u64 {
    pack([(low, 0), (low, 5), (high, 2), (high, 7), (low, 4), (high, 1), (high, 6), (low, 3)])
}

/// The low half of the state after InvShiftRows.
fn inv_shift_rows(low: u64, high: u64) -> u64 {
    pack([(low, 0), (high, 5), (high, 2), (low, 7), (low, 4), (low, 1), (high, 6), (high, 3)])
}

fn pack(source: [(u64, u32); 8]) -> u64 {
    u64::from_le_bytes(source.map(|(value, index)| byte(value, index) as u8))
}

fn mix(value: u64, column: impl Fn(usize) -> u32) -> u64 {
    let half =
        |base: u32| (0..4).fold(0, |word, row| word ^ column(byte(value, base + row)).rotate_left(8 * row));
    u64::from(half(0)) | u64::from(half(4)) << 32
}

/// `aes64es`: ShiftRows and SubBytes of the low half.
pub fn aes64es(rs1: u64, rs2: u64) -> u64 {
    map_bytes(shift_rows(rs1, rs2), |b| SBOX[usize::from(b)])
}

/// `aes64esm`: a middle round without AddRoundKey.
pub fn aes64esm(rs1: u64, rs2: u64) -> u64 {
    mix(shift_rows(rs1, rs2), |b| ENC_COLUMN[b])
}

/// `aes64ds`: InvShiftRows and InvSubBytes of the low half.
pub fn aes64ds(rs1: u64, rs2: u64) -> u64 {
    map_bytes(inv_shift_rows(rs1, rs2), |b| INV_SBOX[usize::from(b)])
}

/// `aes64dsm`: a middle round of the equivalent inverse cipher without AddRoundKey.
pub fn aes64dsm(rs1: u64, rs2: u64) -> u64 {
    mix(inv_shift_rows(rs1, rs2), |b| INV_MIX[usize::from(INV_SBOX[b])])
}

/// `aes64im`: InvMixColumns of two columns.
pub fn aes64im(rs1: u64) -> u64 {
    mix(rs1, |b| INV_MIX[b])
}

/// `aes64ks1i` for `rnum` up to 10.
pub fn aes64ks1i(rs1: u64, rnum: u64) -> u64 {
    const RCON: [u32; 11] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36, 0];
    let word = (rs1 >> 32) as u32;
    let rotated = if rnum == 10 { word } else { word.rotate_right(8) };
    let sub = u32::from_le_bytes(rotated.to_le_bytes().map(|b| SBOX[usize::from(b)]));
    let result = u64::from(sub ^ RCON.get(rnum as usize).copied().unwrap_or(0));
    result | result << 32
}

fn at_byte(rs2: u64, bs: u64, column: impl Fn(usize) -> u32) -> u64 {
    let index = (bs & 3) as u32;
    u64::from(column(byte(rs2, index)).rotate_left(8 * index))
}

/// `aes32esi` before the xor with `rs1`.
pub fn aes32esi(rs2: u64, bs: u64) -> u64 {
    at_byte(rs2, bs, |b| u32::from(SBOX[b]))
}

/// `aes32esmi` before the xor with `rs1`.
pub fn aes32esmi(rs2: u64, bs: u64) -> u64 {
    at_byte(rs2, bs, |b| ENC_COLUMN[b])
}

/// `aes32dsi` before the xor with `rs1`.
pub fn aes32dsi(rs2: u64, bs: u64) -> u64 {
    at_byte(rs2, bs, |b| u32::from(INV_SBOX[b]))
}

/// `aes32dsmi` before the xor with `rs1`.
pub fn aes32dsmi(rs2: u64, bs: u64) -> u64 {
    at_byte(rs2, bs, |b| INV_MIX[usize::from(INV_SBOX[b])])
}
