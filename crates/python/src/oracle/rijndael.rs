//! Rijndael for every size of block and key (Daemen and Rijmen, *The Design of Rijndael*, chapter 3), because no
//! library has any but AES. Every step is written from its definition, tables included, and nothing is shared with
//! the kernels; the book's vectors for all sizes hold it (`tests/build/test_rijndael_oracle.py`).

/// A column of the state or of the expanded key, row 0 first.
type Column = [u8; 4];

/// How far each row moves left, by the columns of a block less four: table 3.1.
const OFFSETS: [[usize; 4]; 5] = [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 3, 4]];

const MIX: Column = [2, 3, 1, 1];
const INVERSE_MIX: Column = [14, 11, 13, 9];

const SBOX: [u8; 256] = sbox();
const INVERSE_SBOX: [u8; 256] = inverse(&SBOX);

/// An expanded key.
pub struct Rijndael {
    /// Columns of the block.
    columns: usize,
    round_keys: Vec<Vec<Column>>,
}

impl Rijndael {
    /// Blocks of `block_bits` under `key`; `None` unless both are 128 to 256 bits in steps of 32.
    pub fn new(block_bits: usize, key: &[u8]) -> Option<Self> {
        let allowed = |bits: usize| (128..=256).contains(&bits) && bits.is_multiple_of(32);
        let columns = block_bits / 32;
        let round_keys = || expand(key, columns).chunks_exact(columns).map(<[Column]>::to_vec).collect();
        (allowed(block_bits) && allowed(8 * key.len())).then(|| Self { columns, round_keys: round_keys() })
    }

    /// ECB; `None` if `data` is no whole number of blocks.
    pub fn encrypt(&self, data: &[u8]) -> Option<Vec<u8>> {
        self.each_block(data, |state| {
            for (round, key) in self.round_keys.iter().enumerate() {
                if round != 0 {
                    substitute(state, &SBOX);
                    shift_rows(state, |column, offset| column + offset);
                    if round != self.round_keys.len() - 1 {
                        mix_columns(state, MIX);
                    }
                }
                add(state, key);
            }
        })
    }

    /// ECB; `None` if `data` is no whole number of blocks.
    pub fn decrypt(&self, data: &[u8]) -> Option<Vec<u8>> {
        self.each_block(data, |state| {
            for (round, key) in self.round_keys.iter().enumerate().rev() {
                add(state, key);
                if round != 0 {
                    if round != self.round_keys.len() - 1 {
                        mix_columns(state, INVERSE_MIX);
                    }
                    shift_rows(state, |column, offset| column + self.columns - offset);
                    substitute(state, &INVERSE_SBOX);
                }
            }
        })
    }

    fn each_block(&self, data: &[u8], cipher: impl Fn(&mut [Column])) -> Option<Vec<u8>> {
        let (columns, rest) = data.as_chunks::<4>();
        let whole = rest.is_empty() && columns.len().is_multiple_of(self.columns);
        whole.then(|| {
            let mut output = columns.to_vec();
            output.chunks_exact_mut(self.columns).for_each(cipher);
            output.into_flattened()
        })
    }
}

/// Key expansion, 3.6.
fn expand(key: &[u8], block_columns: usize) -> Vec<Column> {
    let (given, _) = key.as_chunks::<4>();
    let key_columns = given.len();
    let rounds = block_columns.max(key_columns) + 6;
    let mut expanded = given.to_vec();
    let mut constant = 1;
    for i in key_columns..block_columns * (rounds + 1) {
        let mut column = expanded[i - 1];
        if i.is_multiple_of(key_columns) {
            column.rotate_left(1);
            column = column.map(|byte| SBOX[usize::from(byte)]);
            column[0] ^= constant;
            constant = multiply(constant, 2);
        } else if key_columns > 6 && i % key_columns == 4 {
            column = column.map(|byte| SBOX[usize::from(byte)]);
        }
        expanded.push(std::array::from_fn(|row| expanded[i - key_columns][row] ^ column[row]));
    }
    expanded
}

fn add(state: &mut [Column], key: &[Column]) {
    state.iter_mut().flatten().zip(key.iter().flatten()).for_each(|(byte, key)| *byte ^= key);
}

fn substitute(state: &mut [Column], table: &[u8; 256]) {
    state.iter_mut().flatten().for_each(|byte| *byte = table[usize::from(*byte)]);
}

/// Every byte from the column that `from` makes of its own and its row's offset, modulo the number of columns.
fn shift_rows(state: &mut [Column], from: impl Fn(usize, usize) -> usize) {
    let before = state.to_vec();
    let offsets = OFFSETS[state.len() - 4];
    for (column, bytes) in state.iter_mut().enumerate() {
        for (row, byte) in bytes.iter_mut().enumerate() {
            *byte = before[from(column, offsets[row]) % before.len()][row];
        }
    }
}

/// Multiply each column by the circulant matrix whose first row is `row`.
fn mix_columns(state: &mut [Column], row: Column) {
    for column in state {
        let before = *column;
        *column =
            std::array::from_fn(|i| (0..4).fold(0, |sum, j| sum ^ multiply(row[j], before[(i + j) % 4])));
    }
}

/// In GF(2⁸) modulo x⁸ + x⁴ + x³ + x + 1, 2.1.
const fn multiply(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 != 0 {
            product ^= a;
        }
        a = (a << 1) ^ if a & 0x80 != 0 { 0x1b } else { 0 };
        b >>= 1;
    }
    product
}

/// 3.4.1: the inverse in the field, as its 254th power, then the affine map.
const fn sbox() -> [u8; 256] {
    let mut table = [0; 256];
    let mut value = 0;
    while value < 256 {
        let mut inverse = 1;
        let mut power = 0;
        while power < 254 {
            inverse = multiply(inverse, value as u8);
            power += 1;
        }
        table[value] = inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4)
            ^ 0x63;
        value += 1;
    }
    table
}

const fn inverse(table: &[u8; 256]) -> [u8; 256] {
    let mut inverse = [0; 256];
    let mut value = 0;
    while value < 256 {
        inverse[table[value] as usize] = value as u8;
        value += 1;
    }
    inverse
}
