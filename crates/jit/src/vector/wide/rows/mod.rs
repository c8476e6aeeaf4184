//! Machine code that takes segments apart and puts them together in rows, each of as many segments as have eight bytes of a
//! field, whatever the width of its elements. Four rows have thirty-two bytes of each field.
//!
//! One instruction brings the eight bytes of each field in a row side by side. Then the four rows of at most eight such
//! parts are transposed.

mod load;
mod scattered;
mod store;
pub mod table;

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

use super::COLUMN;
use super::assembler::{Assembled, Assembler, at};

/// Bytes of a register.
const BYTES: usize = 64;
/// Bytes of a field in a row.
const PART: usize = 8;
/// Most fields.
const MOST: usize = 8;
/// Rows that are transposed at a time.
const ROWS: usize = COLUMN / PART;

/// The parameters in the host's calling convention: where the first field is, the memory, v0, and the stride or where the
/// indices are.
const FIELDS: Register = Register::RDI;
const MEMORY: Register = Register::RSI;
const V0: Register = Register::RDX;
const STRIDE: Register = Register::RCX;
const INDICES: Register = Register::RCX;

/// Bits of v0.
const BITS: Register = Register::EAX;
/// The parts of a row that are a segment's.
const WHOLE: Register = Register::K1;
/// Elements that keep what they have, or those of a row that are stored.
const SOME: Register = Register::K2;

/// The register that has the order of a row's bytes.
const ORDER: usize = 15;
/// Parts of two registers in turn, of the first and of the second half of each lane.
const UNPACK: [Code; 2] =
    [Code::EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64];

/// Where segments are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Spots {
    SideBySide,
    /// At multiples of a stride.
    Stride,
    /// At indices of a width (log2 of bytes).
    Indices(u8),
}

/// What is moved.
pub struct Rows {
    /// At most eight.
    pub fields: usize,
    /// log2 of the bytes of an element.
    pub width: u8,
    /// Bytes from one field's registers to the next one's.
    pub distance: usize,
    /// Bytes of each field, whole columns.
    pub bytes: usize,
    /// Elements whose bits of v0 are not set are left alone.
    pub masked: bool,
    /// Those that are not side by side are loaded alone.
    pub spots: Spots,
}

impl Rows {
    /// Bytes of a row of segments side by side.
    const fn row(&self) -> usize {
        PART * self.fields
    }

    /// Segments of a row.
    const fn segments(&self) -> usize {
        PART >> self.width
    }

    /// Bytes that are loaded of each segment that is not beside the next, at least its own: all that have room, unless it is
    /// alone in a row.
    pub const fn slot(&self) -> usize {
        if self.segments() == 1 { self.row() } else { MOST << self.width }
    }

    /// Which byte of a row is each of the parts of its fields, side by side: those of the first four in the even places, so
    /// that each takes turns with one of the others.
    fn apart(&self, byte: usize) -> usize {
        let (place, within) = (byte / PART, byte % PART);
        let field = place / 2 + place % 2 * (MOST / 2);
        let (segment, rest) = (within >> self.width, within & ((1 << self.width) - 1));
        let slot = if self.spots == Spots::SideBySide { self.fields } else { MOST };
        let from = ((segment * slot + field) << self.width) + rest;
        if field < self.fields { from } else { 0 }
    }

    /// Which byte of these is each of a row.
    fn together(&self, byte: usize) -> usize {
        let (element, rest) = (byte >> self.width, byte & ((1 << self.width) - 1));
        let (segment, field) = (element / self.fields, element % self.fields);
        if byte < self.row() { field * PART + (segment << self.width) + rest } else { 0 }
    }

    /// A bit for each field of a segment.
    const fn segment_bits(&self) -> u32 {
        (1 << self.fields) - 1
    }

    /// The lowest of these of each segment of a row.
    fn lowest_bits(&self) -> u64 {
        (0..self.segments()).fold(0, |bits, segment| bits | 1 << (segment * self.fields))
    }
}

/// Their code in the making.
struct Moves<'a> {
    rows: &'a Rows,
    code: Assembler,
}

/// The machine code of a function of these parameters, which loads or stores.
pub fn assemble(rows: &Rows, stores: bool) -> Result<Assembled, IcedError> {
    if stores { store::assemble(rows) } else { load::assemble(rows) }
}

impl<'a> Moves<'a> {
    /// Begins with constants: the first is [`ORDER`].
    fn new(rows: &'a Rows, constants: Vec<u8>) -> Result<Self, IcedError> {
        let mut code = Assembler::new(constants);
        code.constant(zmm(ORDER), 0)?;
        Ok(Self { rows, code })
    }

    /// Bits of all parts of a row.
    fn whole(&mut self) -> Result<(), IcedError> {
        self.code.put(Instruction::with2(Code::Mov_r32_imm32, BITS, self.rows.segment_bits()))?;
        self.code.put(Instruction::with2(Code::VEX_Kmovd_kr_r32, WHOLE, BITS))
    }

    /// Bytes of a row in their order.
    fn ordered(&mut self, register: usize) -> Result<(), IcedError> {
        let (code, register) = (Code::EVEX_Vpermb_zmm_k1z_zmm_zmmm512, zmm(register));
        self.code.put(Instruction::with3(code, register, zmm(ORDER), register))
    }

    /// Makes the bits of v0 from those of a row's segments on the lowest ones.
    fn bits_of(&mut self, row: usize) -> Result<(), IcedError> {
        self.code.bits(BITS, V0, row * self.rows.segments())
    }

    /// Where a column of a field is.
    fn place(&self, field: usize, column: usize) -> MemoryOperand {
        at(FIELDS, field * self.rows.distance + column * COLUMN)
    }

    /// The code for elements of this width.
    fn of_width(&self, codes: [Code; 4]) -> Code {
        codes[usize::from(self.rows.width & 3)]
    }
}

/// Registers from the sixteenth on need not be cleared for instructions of sixteen bytes to be fast.
fn zmm(register: usize) -> Register {
    Register::ZMM16 + register as u32
}

fn ymm(register: usize) -> Register {
    Register::YMM16 + register as u32
}

fn xmm(register: usize) -> Register {
    Register::XMM16 + register as u32
}
