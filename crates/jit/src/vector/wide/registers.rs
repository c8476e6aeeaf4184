//! Operations as machine code: which register of the host's holds what, and when it is stored.

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

use super::assembler::{Assembled, Assembler, at};
use super::operations::{Constant, Operation, Operations, Place, SCALAR, Second};

/// Registers, and their bytes.
const COUNT: usize = 16;
const BYTES: usize = 32;
/// How much sooner a place has to be read that can be loaded again than one that has to be stored before.
const CHEAPER: usize = 3;

/// The first two parameters in the host's calling convention: the register file, and the scalars.
const FILE: Register = Register::RDI;
const SCALARS: Register = Register::RSI;

/// What becomes of a place after an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// It is read, so many operations on.
    Read(usize),
    /// It is written without being read, or of no use any more.
    Dead,
    /// It has to be in the register file at the end.
    Kept,
}

#[derive(Clone, Copy)]
struct Held {
    place: Place,
    is_stored: bool,
}

struct Registers<'a> {
    operations: &'a [Operation],
    held: [Option<Held>; COUNT],
    code: Assembler,
}

/// The machine code of `fn(file, scalars)`, which executes operations on elements of a width (log2 of bytes).
pub fn assemble(Operations { all, constants, .. }: &Operations, sew: u8) -> Result<Assembled, IcedError> {
    let doubled = |constant: &Constant| [*constant; 2].into_iter().flatten().flat_map(u64::to_le_bytes);
    let code = Assembler::new(constants.iter().flat_map(doubled).collect());
    let mut registers = Registers { operations: all, held: [None; COUNT], code };
    for index in 0..all.len() {
        registers.operation(index, sew)?;
    }
    for register in 0..COUNT {
        registers.store(register)?;
    }
    // Instructions of sixteen bytes would otherwise wait for the upper halves.
    registers.encode(Instruction::with(Code::VEX_Vzeroupper))?;
    registers.code.end()
}

impl Registers<'_> {
    fn operation(&mut self, index: usize, sew: u8) -> Result<(), IcedError> {
        let Operation { code, to, first, second } = self.operations[index];
        let other = if let Second::Place(second) = second { self.find(second) } else { None };
        let a = self.load(index, first, sew, other.as_slice())?;
        if second == Second::None {
            let d = self.room(index, to, &[a])?;
            if d != a {
                self.encode(Instruction::with2(code, ymm(d), ymm(a))?)?;
            }
            return Ok(());
        }
        if let Second::Bits(bits) = second {
            let d = self.room(index, to, &[a])?;
            return self.encode(Instruction::with3(code, ymm(d), ymm(a), bits)?);
        }
        let Second::Place(second) = second else { return Ok(()) };
        if let (None, Some(memory)) = (self.find(second), in_memory(second))
            && !matches!(self.reading(index, second), Next::Read(_))
        {
            let d = self.room(index, to, &[a])?;
            return self.encode(Instruction::with3(code, ymm(d), ymm(a), memory)?);
        }
        let b = self.load(index, second, sew, &[a])?;
        let d = self.room(index, to, &[a, b])?;
        let b = if matches!(second, Place::Count(_)) { Register::XMM0 + b as u32 } else { ymm(b) };
        self.encode(Instruction::with3(code, ymm(d), ymm(a), b)?)
    }

    /// The register that holds a place, which it is loaded into if there is none.
    fn load(&mut self, index: usize, place: Place, sew: u8, pinned: &[usize]) -> Result<usize, IcedError> {
        if let Some(register) = self.find(place) {
            return Ok(register);
        }
        let register = self.free(index, pinned)?;
        let splat = [
            Code::VEX_Vpbroadcastb_ymm_xmmm8,
            Code::VEX_Vpbroadcastw_ymm_xmmm16,
            Code::VEX_Vpbroadcastd_ymm_xmmm32,
            Code::VEX_Vpbroadcastq_ymm_xmmm64,
        ];
        let instruction = match (place, in_memory(place)) {
            (_, Some(memory)) => Instruction::with2(Code::VEX_Vmovdqu_ymm_ymmm256, ymm(register), memory)?,
            (Place::Splat(scalar), None) => {
                Instruction::with2(splat[usize::from(sew & 3)], ymm(register), at(SCALARS, scalar * SCALAR))?
            }
            (Place::Count(scalar), None) => {
                let low = Register::XMM0 + register as u32;
                Instruction::with2(Code::VEX_Vmovq_xmm_xmmm64, low, at(SCALARS, scalar * SCALAR))?
            }
            // Written before it is read.
            _ => return Ok(register),
        };
        self.encode(instruction)?;
        self.held[register] = Some(Held { place, is_stored: true });
        Ok(register)
    }

    /// The register for what an operation writes: one that it reads, if that is not needed any more.
    fn room(&mut self, index: usize, to: Place, operands: &[usize]) -> Result<usize, IcedError> {
        let is_free =
            |held: Option<Held>| held.is_none_or(|held| held.place == to || self.is_useless(index, held));
        let reused = operands.iter().copied().find(|&register| is_free(self.held[register]));
        let register = match reused {
            Some(register) => register,
            None => self.free(index, operands)?,
        };
        let before = self.find(to).filter(|&before| before != register);
        if let Some(before) = before {
            self.held[before] = None;
        }
        let is_stored = !matches!(to, Place::Column(_));
        self.held[register] = Some(Held { place: to, is_stored });
        Ok(register)
    }

    /// A register for something else.
    fn free(&mut self, index: usize, pinned: &[usize]) -> Result<usize, IcedError> {
        let worth = |register: &usize| match self.held[*register] {
            None => usize::MAX,
            Some(held) if self.is_useless(index, held) => usize::MAX,
            Some(held) => match self.reading(index, held.place) {
                Next::Read(distance) => (distance + 1) * if held.is_stored { CHEAPER } else { 1 },
                Next::Dead | Next::Kept => usize::MAX - 1,
            },
        };
        let others = (0..COUNT).filter(|register| !pinned.contains(register));
        let register = others.max_by_key(worth).unwrap_or_default();
        if self.held[register].is_some_and(|held| !self.is_useless(index, held)) {
            self.store(register)?;
        }
        self.held[register] = None;
        Ok(register)
    }

    fn find(&self, place: Place) -> Option<usize> {
        self.held.iter().position(|held| held.is_some_and(|held| held.place == place))
    }

    /// True if nobody needs what a register holds after an operation.
    fn is_useless(&self, index: usize, held: Held) -> bool {
        match self.reading(index, held.place) {
            Next::Read(_) => false,
            Next::Dead => true,
            Next::Kept => held.is_stored,
        }
    }

    /// What becomes of a place after an operation.
    fn reading(&self, index: usize, place: Place) -> Next {
        for (distance, operation) in self.operations[index + 1..].iter().enumerate() {
            if operation.first == place || operation.second == Second::Place(place) {
                return Next::Read(distance);
            }
            if operation.to == place {
                return Next::Dead;
            }
        }
        if matches!(place, Place::Column(_)) { Next::Kept } else { Next::Dead }
    }

    fn store(&mut self, register: usize) -> Result<(), IcedError> {
        if let Some(Held { place: Place::Column(offset), is_stored: false }) = self.held[register].take() {
            self.encode(Instruction::with2(Code::VEX_Vmovdqu_ymmm256_ymm, at(FILE, offset), ymm(register))?)?;
        }
        Ok(())
    }

    fn encode(&mut self, instruction: Instruction) -> Result<(), IcedError> {
        self.code.put(Ok(instruction))
    }
}

fn ymm(register: usize) -> Register {
    Register::YMM0 + register as u32
}

/// Where all of a register's bytes are, of a place that has them in memory.
fn in_memory(place: Place) -> Option<MemoryOperand> {
    match place {
        Place::Column(offset) => Some(at(FILE, offset)),
        Place::Constant(index) => Some(at(Register::RIP, index * BYTES)),
        Place::Splat(_) | Place::Count(_) | Place::Scratch(_) => None,
    }
}
