//! Rows of memory put together from columns of fields.

use iced_x86::{Code, IcedError, Instruction, Register};

use super::super::COLUMN;
use super::super::assembler::{Assembled, at};
use super::{BYTES, MEMORY, Moves, ROWS, Rows, SOME, UNPACK, WHOLE, xmm, zmm};

/// Fields that are the first of two in a register; the other is the next but one.
const FIRST_OF_PAIRS: [usize; 4] = [0, 1, 4, 5];
/// Which lanes of two registers of sixteen bytes are the first and the third, and the second and the fourth.
const EVEN_LANES: u32 = 0b10_00_10_00;
const ODD_LANES: u32 = 0b11_01_11_01;

/// Bits of v0, what they are spread by, and what comes of that.
const BITS: Register = Register::RAX;
const LOWEST: Register = Register::RCX;
const SPREAD: Register = Register::R8;

/// Stores of a row's elements of each width that a mask says.
const STORES: [Code; 4] = [
    Code::EVEX_Vmovdqu8_zmmm512_k1z_zmm,
    Code::EVEX_Vmovdqu16_zmmm512_k1z_zmm,
    Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
    Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
];

/// The machine code of a store.
pub fn assemble(rows: &Rows) -> Result<Assembled, IcedError> {
    let mut moves = Moves::new(rows, (0..BYTES).map(|byte| rows.together(byte) as u8).collect())?;
    moves.whole()?;
    if rows.masked {
        moves.code.put(Instruction::with2(Code::Mov_r64_imm64, LOWEST, rows.lowest_bits()))?;
    }
    for column in 0..rows.bytes / COLUMN {
        moves.store(column)?;
    }
    moves.code.end()
}

impl Moves<'_> {
    /// Stores a column of each field.
    fn store(&mut self, column: usize) -> Result<(), IcedError> {
        for field in FIRST_OF_PAIRS.into_iter().filter(|&field| field < self.rows.fields) {
            self.get_pair(field, column)?;
        }
        // The parts of the even fields in the first two rows, those in the others, and the same of the odd fields.
        for parity in [0, 1] {
            for (to, lanes) in [(4 + parity, EVEN_LANES), (6 + parity, ODD_LANES)] {
                let code = Code::EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8;
                self.code.put(Instruction::with4(code, zmm(to), zmm(parity), zmm(2 + parity), lanes))?;
            }
        }
        for row in 0..ROWS {
            let from = 4 + row / 2 * 2;
            self.code.put(Instruction::with3(UNPACK[row % 2], zmm(8 + row), zmm(from), zmm(from + 1)))?;
            self.store_row(column * ROWS + row, 8 + row)?;
        }
        Ok(())
    }

    /// Stores a row of such parts. Nothing past it is written, and nothing that is masked off.
    fn store_row(&mut self, row: usize, register: usize) -> Result<(), IcedError> {
        if self.rows.segments() > 1 {
            self.ordered(register)?;
        }
        let memory = at(MEMORY, row * self.rows.row());
        if self.rows.masked {
            self.bits_of(row)?;
            self.code.put(Instruction::with3(Code::VEX_Pdep_r64_r64_rm64, SPREAD, BITS, LOWEST))?;
            let all = self.rows.segment_bits();
            self.code.put(Instruction::with3(Code::Imul_r64_rm64_imm32, SPREAD, SPREAD, all))?;
            self.code.put(Instruction::with2(Code::VEX_Kmovq_kr_r64, SOME, SPREAD))?;
            let store = Instruction::with2(self.of_width(STORES), memory, zmm(register));
            return self.code.put_where(SOME, false, store);
        }
        let store = Instruction::with2(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, memory, zmm(register));
        if self.rows.row() < BYTES { self.code.put_where(WHOLE, false, store) } else { self.code.put(store) }
    }

    /// Loads a column of a field and of the next but one, if there is one: by sixteen bytes, as they may just have been stored.
    fn get_pair(&mut self, field: usize, column: usize) -> Result<(), IcedError> {
        let register = field / 4 * 2 + field % 2;
        let first = self.place(field, column);
        self.code.put(Instruction::with2(Code::EVEX_Vmovdqu64_xmm_k1z_xmmm128, xmm(register), first))?;
        for quarter in 1..if field + 2 < self.rows.fields { 4 } else { 2 } {
            let mut place = self.place(field + quarter / 2 * 2, column);
            place.displacement += (quarter % 2 * 16) as i64;
            let code = Code::EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8;
            self.code.put(Instruction::with4(code, zmm(register), zmm(register), place, quarter as u32))?;
        }
        Ok(())
    }
}
