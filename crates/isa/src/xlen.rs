//! Register widths.

/// Register width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Xlen {
    /// 32 bits.
    Rv32,
    /// 64 bits.
    Rv64,
}

impl Xlen {
    /// Bits.
    pub const fn bits(self) -> u16 {
        match self {
            Self::Rv32 => 32,
            Self::Rv64 => 64,
        }
    }

    /// Ones in every bit of a register.
    pub const fn mask(self) -> u64 {
        match self {
            Self::Rv32 => 0xffff_ffff,
            Self::Rv64 => u64::MAX,
        }
    }
}
