//! Rows of memory taken apart into columns of fields.

use iced_x86::{Code, IcedError, Instruction};

use super::super::COLUMN;
use super::super::assembler::{Assembled, at};
use super::{
    BITS, BYTES, FIRST_OF_PAIRS, MEMORY, Moves, ORDER, PART, ROWS, Rows, SOME, UNPACK, WHOLE, ymm, zmm,
};

/// Which parts of two registers make the columns of two fields, from the first lane or the third on.
const OF_PAIRS: [[u64; PART]; 2] = [[0, 1, 8, 9, 2, 3, 10, 11], [4, 5, 12, 13, 6, 7, 14, 15]];
/// The registers that have them.
const PAIRS: [usize; 2] = [13, 14];
/// One for a column.
const SECOND: usize = 12;

/// Loads of a column's elements of each width that a mask says.
const KEPT: [Code; 4] = [
    Code::EVEX_Vmovdqu8_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu16_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu32_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu64_ymm_k1z_ymmm256,
];

/// The machine code of a load.
pub fn assemble(rows: &Rows) -> Result<Assembled, IcedError> {
    let mut constants: Vec<u8> = (0..BYTES).map(|byte| rows.apart(byte) as u8).collect();
    constants.extend(OF_PAIRS.iter().flatten().flat_map(|index| index.to_le_bytes()));
    let mut moves = Moves::new(rows, constants)?;
    for (index, pair) in PAIRS.into_iter().enumerate() {
        moves.code.constant(zmm(pair), index + 1)?;
    }
    if rows.strided {
        moves.multiples()?;
    }
    moves.whole()?;
    for column in 0..rows.bytes / COLUMN {
        moves.load(column)?;
    }
    moves.code.end()
}

impl Moves<'_> {
    /// Loads a column of each field.
    fn load(&mut self, column: usize) -> Result<(), IcedError> {
        if self.rows.strided {
            self.lanes_of_segments(column)?;
        }
        for row in 0..ROWS {
            if self.rows.strided {
                self.gather_row(column * ROWS + row, row)?;
            } else {
                self.load_row(column * ROWS + row, row)?;
            }
        }
        if self.rows.masked {
            self.bits_of(column * ROWS)?;
            self.code.put(Instruction::with1(Code::Not_rm32, BITS))?;
            self.code.put(Instruction::with2(Code::VEX_Kmovd_kr_r32, SOME, BITS))?;
        }
        // The parts of the even fields of the first two rows, of the odd ones, and those of the others.
        for (to, from, code) in [(4, 0, UNPACK[0]), (5, 0, UNPACK[1]), (6, 2, UNPACK[0]), (7, 2, UNPACK[1])] {
            self.code.put(Instruction::with3(code, zmm(to), zmm(from), zmm(from + 1)))?;
        }
        for field in FIRST_OF_PAIRS.into_iter().filter(|&field| field < self.rows.fields) {
            let (parity, half) = (field % 2, field / 4);
            let mut pair = 4 + parity;
            if half == 0 && field + 4 < self.rows.fields {
                // It is read once more.
                pair = 8 + parity;
                let copy = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
                self.code.put(Instruction::with2(copy, zmm(pair), zmm(4 + parity)))?;
            }
            let code = Code::EVEX_Vpermt2q_zmm_k1z_zmm_zmmm512b64;
            self.code.put(Instruction::with3(code, zmm(pair), zmm(PAIRS[half]), zmm(6 + parity)))?;
            self.set_pair(field, column, pair)?;
        }
        Ok(())
    }

    /// Loads a row and brings its parts side by side. Nothing past the last row is read.
    fn load_row(&mut self, row: usize, register: usize) -> Result<(), IcedError> {
        let memory = at(MEMORY, row * self.rows.row());
        let is_within = row * self.rows.row() + BYTES <= self.rows.bytes * self.rows.fields;
        if is_within && self.rows.segments() > 1 {
            let code = Code::EVEX_Vpermb_zmm_k1z_zmm_zmmm512;
            return self.code.put(Instruction::with3(code, zmm(register), zmm(ORDER), memory));
        }
        let load = Instruction::with2(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, zmm(register), memory);
        if is_within {
            self.code.put(load)?;
        } else {
            self.code.put_where(WHOLE, true, load)?;
        }
        self.ordered(register)
    }

    /// Stores a column of a field and of the next but one, if there is one.
    fn set_pair(&mut self, field: usize, column: usize, pair: usize) -> Result<(), IcedError> {
        let has_second = self.rows.fields > field + 2;
        let places = [field, field + 2].map(|field| self.place(field, column));
        let store = Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm;
        let extract = Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
        if !self.rows.masked {
            self.code.put(Instruction::with2(store, places[0], ymm(pair)))?;
            if has_second {
                self.code.put(Instruction::with3(extract, places[1], zmm(pair), 1))?;
            }
            return Ok(());
        }
        if has_second {
            self.code.put(Instruction::with3(extract, ymm(SECOND), zmm(pair), 1))?;
        }
        for (register, place) in [pair, SECOND].into_iter().zip(places).take(1 + usize::from(has_second)) {
            let keep = Instruction::with2(self.of_width(KEPT), ymm(register), place);
            self.code.put_where(SOME, false, keep)?;
            self.code.put(Instruction::with2(store, place, ymm(register)))?;
        }
        Ok(())
    }
}
