//! Rows of memory taken apart into columns of fields.

use iced_x86::{Code, IcedError, Instruction, Register};

use super::super::COLUMN;
use super::super::assembler::{Assembled, at};
use super::{BITS, BYTES, MEMORY, Moves, ORDER, PART, ROWS, Rows, SOME, Spots, UNPACK, WHOLE, ymm, zmm};

/// Which parts of two registers make the columns of two fields, of the first two lanes or the last.
const OF_PAIRS: [[u64; PART]; 2] = [[0, 1, 8, 9, 2, 3, 10, 11], [4, 5, 12, 13, 6, 7, 14, 15]];
/// The registers that have them.
const PAIRS: [usize; 2] = [13, 14];
/// One for a column.
const SECOND: usize = 12;

/// All bits of a mask.
const ALL: Register = Register::RAX;
/// The same once more.
const AGAIN: Register = Register::R11;

/// Loads of elements of each width that a mask says, of two columns.
const KEPT: [Code; 4] = [
    Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512,
    Code::EVEX_Vmovdqu16_zmm_k1z_zmmm512,
    Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
    Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
];
/// The same of one.
const KEPT_OF_ONE: [Code; 4] = [
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
    if rows.spots == Spots::Stride {
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
        let is_scattered = self.rows.spots != Spots::SideBySide;
        if is_scattered {
            self.lanes_of_segments(column)?;
        }
        for row in 0..ROWS {
            if is_scattered {
                self.gather_row(column * ROWS + row, row)?;
            } else {
                self.load_row(column * ROWS + row, row)?;
            }
        }
        if self.rows.masked {
            self.keep(column)?;
        }
        // The parts of the first four fields of two rows, and those of the others.
        let halves = self.rows.fields.div_ceil(4);
        for (half, code) in UNPACK.into_iter().enumerate().take(halves) {
            for (to, from) in [(4, 0), (6, 2)] {
                self.code.put(Instruction::with3(code, zmm(to + half), zmm(from), zmm(from + 1)))?;
            }
        }
        for field in (0..self.rows.fields).step_by(2) {
            let (half, is_last) = (field / 4, field % 4 == 2 || field + 2 >= self.rows.fields);
            let mut pair = 4 + half;
            if !is_last {
                // It is read once more.
                pair = 8 + half;
                let copy = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
                self.code.put(Instruction::with2(copy, zmm(pair), zmm(4 + half)))?;
            }
            let code = Code::EVEX_Vpermt2q_zmm_k1z_zmm_zmmm512b64;
            self.code.put(Instruction::with3(code, zmm(pair), zmm(PAIRS[field % 4 / 2]), zmm(6 + half)))?;
            self.set_pair(field, column, pair)?;
        }
        Ok(())
    }

    /// The mask of those elements that keep what they have, in two columns.
    pub(super) fn keep(&mut self, column: usize) -> Result<(), IcedError> {
        let elements = COLUMN >> self.rows.width;
        self.bits_of(column * ROWS)?;
        self.code.put(Instruction::with1(Code::Not_rm32, BITS))?;
        if elements < 32 {
            self.code.put(Instruction::with2(Code::And_rm32_imm32, BITS, (1 << elements) - 1))?;
        }
        self.code.put(Instruction::with2(Code::Mov_r64_rm64, AGAIN, ALL))?;
        self.code.put(Instruction::with2(Code::Shl_rm64_imm8, AGAIN, elements as u32))?;
        self.code.put(Instruction::with2(Code::Or_r64_rm64, AGAIN, ALL))?;
        self.code.put(Instruction::with2(Code::VEX_Kmovq_kr_r64, SOME, AGAIN))
    }

    /// Loads a row and brings its parts side by side. Nothing past the last row is read.
    fn load_row(&mut self, row: usize, register: usize) -> Result<(), IcedError> {
        let memory = at(MEMORY, row * self.rows.row());
        let is_within = row * self.rows.row() + BYTES <= self.rows.bytes * self.rows.fields;
        if is_within {
            let code = Code::EVEX_Vpermb_zmm_k1z_zmm_zmmm512;
            return self.code.put(Instruction::with3(code, zmm(register), zmm(ORDER), memory));
        }
        let load = Instruction::with2(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, zmm(register), memory);
        self.code.put_where(WHOLE, true, load)?;
        self.ordered(register)
    }

    /// Stores a column of a field and of the next, if there is one.
    pub(super) fn set_pair(&mut self, field: usize, column: usize, pair: usize) -> Result<(), IcedError> {
        let has_second = self.rows.fields > field + 1;
        let places = [field, field + 1].map(|field| self.place(field, column));
        if has_second && self.rows.distance == COLUMN {
            if self.rows.masked {
                let keep = Instruction::with2(self.of_width(KEPT), zmm(pair), places[0]);
                self.code.put_where(SOME, false, keep)?;
            }
            let store = Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm;
            return self.code.put(Instruction::with2(store, places[0], zmm(pair)));
        }
        if has_second {
            let extract = Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
            self.code.put(Instruction::with3(extract, ymm(SECOND), zmm(pair), 1))?;
        }
        for (register, place) in [pair, SECOND].into_iter().zip(places).take(1 + usize::from(has_second)) {
            if self.rows.masked {
                let keep = Instruction::with2(self.of_width(KEPT_OF_ONE), ymm(register), place);
                self.code.put_where(SOME, false, keep)?;
            }
            let store = Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm;
            self.code.put(Instruction::with2(store, place, ymm(register)))?;
        }
        Ok(())
    }
}
