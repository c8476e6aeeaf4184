//! Segments of bytes at indices that are bytes, too, chosen from all that those reach: sixty-four are chosen from at a time, for
//! a field and the next one at once, whose indices are one greater.

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

use super::super::COLUMN;
use super::super::assembler::{Assembled, Assembler, at};
use super::{BYTES, INDICES, MEMORY, Moves, Rows, xmm, ymm, zmm};

/// How many bytes indices reach.
const REACH: usize = 256;

/// The indices into the table of each field, and what else is needed to make them.
const PLACES: usize = 0;
const TWICE: usize = 1;
/// What is chosen for the first field and the next; for the others, in those after it.
const CHOSEN: usize = 2;

/// Places in the odd quarters of the table, in its second half, in both, and just past it.
const ODD: Register = Register::K3;
const HIGH: Register = Register::K4;
const LAST: Register = Register::K5;
const PAST: Register = Register::K6;
/// A comparison of unsigned numbers.
const IS_BELOW: u32 = 1;

/// The machine code of a function of the parameters of [`super::assemble`], which loads a column of each field.
pub fn assemble(rows: &Rows) -> Result<Assembled, IcedError> {
    debug_assert!(rows.width == 0 && rows.bytes == COLUMN, "a column of bytes");
    // Added to the places of two fields.
    let next = (0..BYTES).map(|byte| u8::from(byte >= COLUMN));
    let mut moves = Moves { rows, code: Assembler::new(next.collect()) };
    moves.places()?;
    if rows.masked {
        moves.keep(0)?;
    }
    for field in (0..rows.fields).step_by(2) {
        let chosen = CHOSEN + field / 2;
        moves.choose(field, chosen)?;
        moves.set_pair(field, 0, chosen)?;
    }
    moves.code.end()
}

impl Moves<'_> {
    /// Makes [`PLACES`], and the masks that say where they are.
    fn places(&mut self) -> Result<(), IcedError> {
        let (places, twice) = (zmm(PLACES), zmm(TWICE));
        // Each half by itself: they may just have been stored.
        let (load, join) =
            (Code::EVEX_Vmovdqu64_xmm_k1z_xmmm128, Code::EVEX_Vinserti32x4_ymm_k1z_ymm_xmmm128_imm8);
        self.code.put(Instruction::with2(load, xmm(PLACES), at(INDICES, 0)))?;
        let second = at(INDICES, COLUMN / 2);
        self.code.put(Instruction::with4(join, ymm(PLACES), ymm(PLACES), second, 1))?;
        let has_pairs = self.rows.fields > 1;
        if has_pairs {
            let (insert, next) = (Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, at(Register::RIP, 0));
            self.code.put(Instruction::with4(insert, places, places, ymm(PLACES), 1))?;
            self.code.put(Instruction::with3(Code::EVEX_Vpaddb_zmm_k1z_zmm_zmmm512, places, places, next))?;
            // Nothing but a sum that wrapped is below what was added.
            let compare = Code::EVEX_Vpcmpub_kr_k1_zmm_zmmm512_imm8;
            self.code.put(Instruction::with4(compare, PAST, places, next, IS_BELOW))?;
        }
        self.code.put(Instruction::with3(Code::EVEX_Vpaddb_zmm_k1z_zmm_zmmm512, twice, places, places))?;
        for (mask, of) in [(ODD, twice), (HIGH, places)] {
            self.code.put(Instruction::with2(Code::EVEX_Vpmovb2m_kr_zmm, mask, of))?;
        }
        self.code.put(Instruction::with3(Code::VEX_Kandq_kr_kr_kr, LAST, ODD, HIGH))
    }

    /// Chooses the bytes of a field, and of the next one if there is one. Nothing past the last segment is read.
    fn choose(&mut self, field: usize, to: usize) -> Result<(), IcedError> {
        let quarters = [None, Some(ODD), Some(HIGH), Some(LAST)];
        for (number, mask) in quarters.into_iter().enumerate() {
            let table = at(MEMORY, field + number * BYTES);
            let choose = Code::EVEX_Vpermb_zmm_k1z_zmm_zmmm512;
            let choice = Instruction::with3(choose, zmm(to), zmm(PLACES), table);
            match mask {
                None => self.code.put(choice)?,
                Some(mask) => self.code.put_where(mask, false, choice)?,
            }
        }
        if self.rows.fields > field + 1 {
            let past: MemoryOperand = at(MEMORY, field + REACH);
            let broadcast = Code::EVEX_Vpbroadcastb_zmm_k1z_xmmm8;
            self.code.put_where(PAST, false, Instruction::with2(broadcast, zmm(to), past))?;
        }
        Ok(())
    }
}
