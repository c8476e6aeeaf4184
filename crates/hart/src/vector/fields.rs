//! Operand fields that only vector instructions have ("Vector Instruction Formats").

pub use crate::unit::Fields;

impl Fields {
    /// Destination register, or data register of a store.
    pub const fn vd(self) -> u32 {
        self.rd()
    }

    /// The 5-bit immediate, sign-extended.
    pub const fn simm5(self) -> i64 {
        ((self.0 as i32) << 12 >> 27) as i64
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
