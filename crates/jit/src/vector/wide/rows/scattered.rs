//! Rows of segments at a stride or at indices. Of each segment, as many bytes are loaded as have room in a row.

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

use super::super::assembler::at;
use super::{BITS, INDICES, MEMORY, Moves, PART, STRIDE, Spots, WHOLE, zmm};

/// Segments whose addresses are computed from one address.
const BLOCK: usize = 8;
/// Odd multiples of the stride, which are no part of an address that the host computes.
const THREE: Register = Register::R8;
const FIVE: Register = Register::R9;
const SEVEN: Register = Register::R10;

/// An index, and loads of one of each width.
const INDEX: [Register; 2] = [Register::R8D, Register::R8];
const LOADS: [Code; 4] = [Code::Movzx_r32_rm8, Code::Movzx_r32_rm16, Code::Mov_r32_rm32, Code::Mov_r64_rm64];

/// Loads of all lanes with the bytes of a segment of elements of each width but the greatest.
const SPREAD: [Code; 3] = [
    Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
    Code::EVEX_Vbroadcasti32x4_zmm_k1z_m128,
    Code::EVEX_Vbroadcasti64x4_zmm_k1z_m256,
];

impl Moves<'_> {
    /// Computes those multiples.
    pub(super) fn multiples(&mut self) -> Result<(), IcedError> {
        for (multiple, base, scale) in [(THREE, STRIDE, 2), (FIVE, STRIDE, 4), (SEVEN, THREE, 4)] {
            let sum = MemoryOperand::with_base_index_scale(base, STRIDE, scale);
            self.code.put(Instruction::with2(Code::Lea_r64_m, multiple, sum))?;
        }
        Ok(())
    }

    /// Bits of the lanes of each segment of a row but the first. Where there is another mask, they do not outlive a column.
    pub(super) fn lanes_of_segments(&mut self, column: usize) -> Result<(), IcedError> {
        if column > 0 && !self.rows.masked {
            return Ok(());
        }
        for segment in 1..self.rows.segments() {
            self.code.put(Instruction::with2(Code::Mov_r32_imm32, BITS, self.lanes(segment)))?;
            self.code.put(Instruction::with2(Code::VEX_Kmovd_kr_r32, Register::K0 + segment as u32, BITS))?;
        }
        Ok(())
    }

    /// Bits of the lanes of a segment in a row, of eight bytes or, of halfwords, of four.
    fn lanes(&self, segment: usize) -> u32 {
        let per_segment = if self.rows.width == 1 { 4 } else { 1 << self.rows.width };
        ((1 << per_segment) - 1) << (segment * per_segment)
    }

    /// Loads the segments of a row and brings its parts side by side.
    pub(super) fn gather_row(&mut self, row: usize, register: usize) -> Result<(), IcedError> {
        let segments = self.rows.segments();
        for segment in 0..segments {
            let number = row * segments + segment;
            let memory = self.segment(number)?;
            let Some(&code) = SPREAD.get(usize::from(self.rows.width)) else {
                let load = Instruction::with2(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, zmm(register), memory);
                self.code.put_where(WHOLE, true, load)?;
                continue;
            };
            let load = Instruction::with2(code, zmm(register), memory);
            match segment {
                0 => self.code.put(load)?,
                _ => self.code.put_where(Register::K0 + segment as u32, false, load)?,
            }
        }
        debug_assert!(segments <= PART, "there are masks for so many");
        self.ordered(register)
    }

    /// Where the segment of a number is, after those before it.
    fn segment(&mut self, number: usize) -> Result<MemoryOperand, IcedError> {
        let Spots::Indices(width) = self.rows.spots else {
            if number > 0 && number.is_multiple_of(BLOCK) {
                let next = MemoryOperand::with_base_index_scale(MEMORY, STRIDE, BLOCK as u32);
                self.code.put(Instruction::with2(Code::Lea_r64_m, MEMORY, next))?;
            }
            return Ok(multiple(number % BLOCK));
        };
        let [low, index] = INDEX;
        let to = if width == 3 { index } else { low };
        self.code.put(Instruction::with2(LOADS[usize::from(width & 3)], to, at(INDICES, number << width)))?;
        Ok(MemoryOperand::with_base_index(MEMORY, index))
    }
}

/// So many strides beyond an address.
fn multiple(by: usize) -> MemoryOperand {
    let of = MemoryOperand::with_base_index_scale;
    match by {
        0 => MemoryOperand::with_base(MEMORY),
        1 | 2 | 4 => of(MEMORY, STRIDE, by as u32),
        3 | 6 => of(MEMORY, THREE, by as u32 / 3),
        5 => of(MEMORY, FIVE, 1),
        _ => of(MEMORY, SEVEN, 1),
    }
}
