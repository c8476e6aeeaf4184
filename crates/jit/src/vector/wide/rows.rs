//! Machine code that takes segments apart and puts them together in rows, each of as many segments as have eight bytes of a
//! field, whatever the width of its elements. Four rows have thirty-two bytes of each field.
//!
//! One instruction brings the eight bytes of each field in a row side by side. Then the four rows of at most eight such
//! parts are transposed.

use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

use super::COLUMN;
use super::registers::Assembled;

/// Bytes of a register.
const BYTES: usize = 64;
/// Bytes of a field in a row.
const PART: usize = 8;
/// Rows that are transposed at a time.
const ROWS: usize = COLUMN / PART;

/// The parameters in the host's calling convention: where the first field is, the memory, and v0.
const FIELDS: Register = Register::RDI;
const MEMORY: Register = Register::RSI;
const V0: Register = Register::RDX;

/// Bits of the mask, what they are spread by, and what comes of them.
const BITS: [Register; 2] = [Register::EAX, Register::RAX];
const SPREAD: Register = Register::RCX;
const SPREAD_BITS: [Register; 2] = [Register::R8D, Register::R8];

/// The parts of a row that are a segment's; and elements that keep what they have, or those of a row that are stored.
const WHOLE: Register = Register::K1;
const SOME: Register = Register::K2;

/// Registers from this one on need not be cleared for instructions of sixteen bytes to be fast.
const FIRST: Register = Register::ZMM16;
const ORDER: usize = 15;
const PAIRS: [usize; 2] = [13, 14];

/// Which parts of two registers make the columns of two fields, from the first lane or the third on.
const OF_PAIRS: [[u64; PART]; 2] = [[0, 1, 8, 9, 2, 3, 10, 11], [4, 5, 12, 13, 6, 7, 14, 15]];
/// Which lanes of two registers of sixteen bytes are the first and the third, and the second and the fourth.
const EVEN_LANES: u32 = 0b10_00_10_00;
const ODD_LANES: u32 = 0b11_01_11_01;

/// Fields that are the first of two in a register; the other is the next but one.
const FIRST_OF_PAIRS: [usize; 4] = [0, 1, 4, 5];

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
}

impl Rows {
    /// Bytes of a row.
    const fn row(&self) -> usize {
        PART * self.fields
    }

    /// Segments of a row.
    const fn segments(&self) -> usize {
        PART >> self.width
    }

    /// Which byte of a row is each of the parts of its fields, side by side.
    fn apart(&self, byte: usize) -> usize {
        let (field, within) = (byte / PART, byte % PART);
        let (segment, rest) = (within >> self.width, within & ((1 << self.width) - 1));
        let from = ((segment * self.fields + field) << self.width) + rest;
        if field < self.fields { from } else { 0 }
    }

    /// Which byte of these is each of a row.
    fn together(&self, byte: usize) -> usize {
        let (element, rest) = (byte >> self.width, byte & ((1 << self.width) - 1));
        let (segment, field) = (element / self.fields, element % self.fields);
        if byte < self.row() { field * PART + (segment << self.width) + rest } else { 0 }
    }

    /// A bit for each field of a segment.
    const fn segment_bits(&self) -> u64 {
        (1 << self.fields) - 1
    }

    /// The lowest of these of each segment of a row.
    fn lowest_bits(&self) -> u64 {
        (0..self.segments()).fold(0, |bits, segment| bits | 1 << (segment * self.fields))
    }
}

struct Assembler<'a> {
    rows: &'a Rows,
    encoder: Encoder,
    /// Where the next instruction is.
    next: u64,
}

/// The machine code of `fn(fields, memory, v0)`, which loads or stores.
pub fn assemble(rows: &Rows, stores: bool) -> Result<Assembled, IcedError> {
    let order = std::array::from_fn::<_, BYTES, _>(|byte| {
        (if stores { rows.together(byte) } else { rows.apart(byte) }) as u8
    });
    let mut bytes = order.to_vec();
    if !stores {
        bytes.extend(OF_PAIRS.iter().flatten().flat_map(|index| index.to_le_bytes()));
    }
    let entry = bytes.len();
    let mut assembler = Assembler { rows, encoder: Encoder::new(64), next: entry as u64 };
    if stores {
        assembler.store()?
    } else {
        assembler.load()?
    }
    bytes.append(&mut assembler.encoder.take_buffer());
    Ok(Assembled { bytes, entry })
}

impl Assembler<'_> {
    fn load(&mut self) -> Result<(), IcedError> {
        self.constant(ORDER, 0)?;
        for (index, pair) in PAIRS.into_iter().enumerate() {
            self.constant(pair, index + 1)?;
        }
        self.whole()?;
        for column in 0..self.rows.bytes / COLUMN {
            if self.rows.masked {
                self.bits_of(column * ROWS)?;
                self.encode(Instruction::with1(Code::Not_rm32, BITS[0])?)?;
                self.encode(Instruction::with2(Code::VEX_Kmovd_kr_r32, SOME, BITS[0])?)?;
            }
            for row in 0..ROWS {
                self.load_row(column * ROWS + row, row)?;
            }
            // The parts of the even fields of the first two rows, of the odd ones, and those of the others.
            for (to, from, code) in
                [(4, 0, UNPACK[0]), (5, 0, UNPACK[1]), (6, 2, UNPACK[0]), (7, 2, UNPACK[1])]
            {
                self.encode(Instruction::with3(code, zmm(to), zmm(from), zmm(from + 1))?)?;
            }
            for field in FIRST_OF_PAIRS.into_iter().filter(|&field| field < self.rows.fields) {
                let (parity, half) = (field % 2, field / 4);
                let mut pair = 4 + parity;
                if half == 0 && field + 4 < self.rows.fields {
                    pair = 8 + parity;
                    self.encode(Instruction::with2(
                        Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
                        zmm(pair),
                        zmm(4 + parity),
                    )?)?;
                }
                let code = Code::EVEX_Vpermt2q_zmm_k1z_zmm_zmmm512b64;
                self.encode(Instruction::with3(code, zmm(pair), zmm(PAIRS[half]), zmm(6 + parity))?)?;
                self.set_pair(field, column, pair)?;
            }
        }
        self.encode(Instruction::with(Code::Retnq))
    }

    fn store(&mut self) -> Result<(), IcedError> {
        self.constant(ORDER, 0)?;
        self.whole()?;
        if self.rows.masked {
            self.encode(Instruction::with2(Code::Mov_r64_imm64, SPREAD, self.rows.lowest_bits())?)?;
        }
        for column in 0..self.rows.bytes / COLUMN {
            for field in FIRST_OF_PAIRS.into_iter().filter(|&field| field < self.rows.fields) {
                self.get_pair(field, column)?;
            }
            // The parts of the even fields in the first two rows, those in the others, and the same of the odd fields.
            for parity in [0, 1] {
                for (to, lanes) in [(4 + parity, EVEN_LANES), (6 + parity, ODD_LANES)] {
                    let (a, b) = (zmm(parity), zmm(2 + parity));
                    let code = Code::EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8;
                    self.encode(Instruction::with4(code, zmm(to), a, b, lanes)?)?;
                }
            }
            for row in 0..ROWS {
                let from = 4 + row / 2 * 2;
                self.encode(Instruction::with3(UNPACK[row % 2], zmm(8 + row), zmm(from), zmm(from + 1))?)?;
                self.store_row(column * ROWS + row, 8 + row)?;
            }
        }
        self.encode(Instruction::with(Code::Retnq))
    }

    /// Loads a row and brings its parts side by side. Nothing past the last row is read.
    fn load_row(&mut self, row: usize, register: usize) -> Result<(), IcedError> {
        let (memory, register) = (at(MEMORY, row * self.rows.row()), zmm(register));
        let is_within = row * self.rows.row() + BYTES <= self.rows.bytes * self.rows.fields;
        let orders = self.rows.segments() > 1;
        let order = Code::EVEX_Vpermb_zmm_k1z_zmm_zmmm512;
        if is_within && orders {
            return self.encode(Instruction::with3(order, register, zmm(ORDER), memory)?);
        }
        let mut load = Instruction::with2(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, register, memory)?;
        if !is_within {
            load.set_op_mask(WHOLE);
            load.set_zeroing_masking(true);
        }
        self.encode(load)?;
        if orders { self.encode(Instruction::with3(order, register, zmm(ORDER), register)?) } else { Ok(()) }
    }

    /// Stores a row of such parts.
    fn store_row(&mut self, row: usize, register: usize) -> Result<(), IcedError> {
        let (memory, register) = (at(MEMORY, row * self.rows.row()), zmm(register));
        if self.rows.segments() > 1 {
            let order = Code::EVEX_Vpermb_zmm_k1z_zmm_zmmm512;
            self.encode(Instruction::with3(order, register, zmm(ORDER), register)?)?;
        }
        if self.rows.masked {
            self.bits_of(row)?;
            let [_, bits] = BITS;
            let [_, spread] = SPREAD_BITS;
            self.encode(Instruction::with3(Code::VEX_Pdep_r64_r64_rm64, spread, bits, SPREAD)?)?;
            let all = self.rows.segment_bits() as i32;
            self.encode(Instruction::with3(Code::Imul_r64_rm64_imm32, spread, spread, all)?)?;
            self.encode(Instruction::with2(Code::VEX_Kmovq_kr_r64, SOME, spread)?)?;
            let code = STORES[usize::from(self.rows.width & 3)];
            let mut store = Instruction::with2(code, memory, register)?;
            store.set_op_mask(SOME);
            return self.encode(store);
        }
        let mut store = Instruction::with2(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, memory, register)?;
        if self.rows.row() < BYTES {
            store.set_op_mask(WHOLE);
        }
        self.encode(store)
    }

    /// Stores a column of a field and of the next but one, if there is one.
    fn set_pair(&mut self, field: usize, column: usize, pair: usize) -> Result<(), IcedError> {
        let high = self.rows.fields > field + 2;
        let places = [field, field + 2].map(|field| self.place(field, column));
        let store = Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm;
        let extract = Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
        if !self.rows.masked {
            self.encode(Instruction::with2(store, places[0], ymm(pair))?)?;
            return if high {
                self.encode(Instruction::with3(extract, places[1], zmm(pair), 1)?)
            } else {
                Ok(())
            };
        }
        if high {
            self.encode(Instruction::with3(extract, ymm(12), zmm(pair), 1)?)?;
        }
        for (register, place) in [pair, 12].into_iter().zip(places).take(1 + usize::from(high)) {
            let code = KEPT[usize::from(self.rows.width & 3)];
            let mut keep = Instruction::with2(code, ymm(register), place)?;
            keep.set_op_mask(SOME);
            self.encode(keep)?;
            self.encode(Instruction::with2(store, place, ymm(register))?)?;
        }
        Ok(())
    }

    /// Loads a column of a field and of the next but one, if there is one, by sixteen bytes, as they may just have been stored.
    fn get_pair(&mut self, field: usize, column: usize) -> Result<(), IcedError> {
        let register = field / 4 * 2 + field % 2;
        let low = self.place(field, column);
        self.encode(Instruction::with2(Code::EVEX_Vmovdqu64_xmm_k1z_xmmm128, xmm(register), low)?)?;
        for quarter in 1..if field + 2 < self.rows.fields { 4 } else { 2 } {
            let mut place = self.place(field + quarter / 2 * 2, column);
            place.displacement += (quarter as i64 % 2) * 16;
            let code = Code::EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8;
            self.encode(Instruction::with4(code, zmm(register), zmm(register), place, quarter as u32)?)?;
        }
        Ok(())
    }

    /// Makes the bits of v0 from those of a row's segments on the lowest ones.
    fn bits_of(&mut self, row: usize) -> Result<(), IcedError> {
        let first = row * self.rows.segments();
        self.encode(Instruction::with2(Code::Mov_r32_rm32, BITS[0], at(V0, first / 8))?)?;
        if first % 8 > 0 {
            self.encode(Instruction::with2(Code::Shr_rm32_imm8, BITS[0], first as u32 % 8)?)?;
        }
        Ok(())
    }

    /// Bits of all parts of a row.
    fn whole(&mut self) -> Result<(), IcedError> {
        let all = self.rows.segment_bits() as u32;
        self.encode(Instruction::with2(Code::Mov_r32_imm32, BITS[0], all)?)?;
        self.encode(Instruction::with2(Code::VEX_Kmovd_kr_r32, WHOLE, BITS[0])?)
    }

    /// Loads a constant.
    fn constant(&mut self, register: usize, index: usize) -> Result<(), IcedError> {
        let memory = at(Register::RIP, index * BYTES);
        self.encode(Instruction::with2(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, zmm(register), memory)?)
    }

    fn place(&self, field: usize, column: usize) -> MemoryOperand {
        at(FIELDS, field * self.rows.distance + column * COLUMN)
    }

    fn encode(&mut self, instruction: Instruction) -> Result<(), IcedError> {
        self.next += self.encoder.encode(&instruction, self.next)? as u64;
        Ok(())
    }
}

/// Parts of two registers in turn, of the first and of the second half of each lane.
const UNPACK: [Code; 2] =
    [Code::EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64];
/// Loads of a column's elements of each width that a mask says.
const KEPT: [Code; 4] = [
    Code::EVEX_Vmovdqu8_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu16_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu32_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu64_ymm_k1z_ymmm256,
];
/// Stores of a row's.
const STORES: [Code; 4] = [
    Code::EVEX_Vmovdqu8_zmmm512_k1z_zmm,
    Code::EVEX_Vmovdqu16_zmmm512_k1z_zmm,
    Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
    Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
];

fn zmm(register: usize) -> Register {
    FIRST + register as u32
}

fn ymm(register: usize) -> Register {
    Register::YMM16 + register as u32
}

fn xmm(register: usize) -> Register {
    Register::XMM16 + register as u32
}

const fn at(base: Register, offset: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, offset as i64)
}
