//! Operand fields that only vector instructions have ("Vector Instruction Formats").

pub use crate::unit::Fields;

impl Fields {
    /// Destination register, or data register of a store.
    pub const fn vd(self) -> u32 {
        self.rd()
    }

    /// Second source.
    pub const fn vs2(self) -> u32 {
        self.rs2()
    }

    /// True if v0 masks the instruction (`vm` = 0).
    pub const fn masked(self) -> bool {
        self.0 >> 25 & 1 == 0
    }

    /// log2 of the width in bytes that a load or store names, of its data or its indices.
    pub const fn width(self) -> u8 {
        match self.0 >> 12 & 7 {
            0 => 0,
            width => (width - 4) as u8,
        }
    }

    /// Number of fields of a segment, 1 to 8; of whole-register moves and accesses, of registers.
    pub const fn fields(self) -> u32 {
        (self.0 >> 29 & 7) + 1
    }
}

/// What the field of the second operand holds if it names no register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Immediate {
    /// A number to be sign-extended.
    Signed,
    /// A number to be zero-extended.
    Unsigned,
    /// The same, with a sixth bit in funct6.
    SixBits,
    /// A part of the operation, whatever the category.
    Nothing,
    /// A number without a sign, whatever the category.
    Field,
    /// A part of the operation; the operand is 1 if the instruction is masked.
    Masked,
}

/// The second operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Second {
    /// The register group that begins here.
    Group(u32),
    /// This integer register, sign-extended.
    Register(u16),
    /// This floating-point register.
    Float(u16),
    /// This number.
    Immediate(u64),
}

impl Second {
    /// By the instruction's category (`funct3`).
    #[inline(always)]
    pub const fn of(fields: Fields, immediate: Immediate) -> Self {
        match (immediate, fields.0 >> 12 & 7) {
            (Immediate::Nothing, _) => Self::Immediate(0),
            (Immediate::Field, _) => Self::Immediate(fields.rs1() as u64),
            (Immediate::Masked, _) => Self::Immediate(fields.masked() as u64),
            (_, 0..=2) => Self::Group(fields.rs1()),
            (Immediate::Signed, 3) => Self::Immediate(((fields.0 as i32) << 12 >> 27) as u64),
            (Immediate::Unsigned, 3) => Self::Immediate(fields.rs1() as u64),
            (Immediate::SixBits, 3) => Self::Immediate((fields.rs1() | (fields.0 >> 26 & 1) << 5) as u64),
            (_, 5) => Self::Float(fields.rs1() as u16),
            _ => Self::Register(fields.rs1() as u16),
        }
    }
}
