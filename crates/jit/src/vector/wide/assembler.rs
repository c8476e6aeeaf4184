//! Instructions of the host's one after the other, and what they take from beside them.

use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

/// Bytes of a constant.
const BYTES: usize = 64;

/// Machine code.
pub struct Assembled {
    /// Constants, and instructions after them.
    pub bytes: Vec<u8>,
    /// Where the first instruction is.
    pub entry: usize,
}

/// Machine code in the making.
pub struct Assembler {
    constants: Vec<u8>,
    encoder: Encoder,
    /// Where the next instruction is.
    next: u64,
}

impl Assembler {
    /// Nothing yet but constants.
    pub fn new(constants: Vec<u8>) -> Self {
        let next = constants.len() as u64;
        Self { constants, encoder: Encoder::new(64), next }
    }

    /// Adds an instruction, if it is one.
    pub fn put(&mut self, instruction: Result<Instruction, IcedError>) -> Result<(), IcedError> {
        self.next += self.encoder.encode(&instruction?, self.next)? as u64;
        Ok(())
    }

    /// The same of elements alone that a mask says: others of a register stay, or are zero.
    pub fn put_where(
        &mut self,
        mask: Register,
        zeroing: bool,
        instruction: Result<Instruction, IcedError>,
    ) -> Result<(), IcedError> {
        let mut instruction = instruction?;
        instruction.set_op_mask(mask);
        instruction.set_zeroing_masking(zeroing);
        self.put(Ok(instruction))
    }

    /// Loads a register of sixty-four bytes with the constant of a number.
    pub fn constant(&mut self, register: Register, number: usize) -> Result<(), IcedError> {
        let memory = at(Register::RIP, number * BYTES);
        self.put(Instruction::with2(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, register, memory))
    }

    /// Loads a register with the bits of v0, which is where another says, from one on; there are at least 25.
    pub fn bits(&mut self, register: Register, v0: Register, first: usize) -> Result<(), IcedError> {
        self.put(Instruction::with2(Code::Mov_r32_rm32, register, at(v0, first / 8)))?;
        if !first.is_multiple_of(8) {
            self.put(Instruction::with2(Code::Shr_rm32_imm8, register, first as u32 % 8))?;
        }
        Ok(())
    }

    /// Returns to the caller.
    pub fn end(mut self) -> Result<Assembled, IcedError> {
        self.put(Ok(Instruction::with(Code::Retnq)))?;
        let (mut bytes, entry) = (self.constants, 0);
        let entry = entry + bytes.len();
        bytes.append(&mut self.encoder.take_buffer());
        Ok(Assembled { bytes, entry })
    }
}

/// So many bytes beyond an address.
pub const fn at(base: Register, offset: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, offset as i64)
}
