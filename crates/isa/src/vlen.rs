//! Vector register lengths (chapter "V", "Implementation-defined Constant Parameters").

use thiserror::Error;

use crate::string::Isa;

/// Vector register length in bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Vlen(u32);

impl Vlen {
    /// The least that the V extension allows, and what a hart has if nobody says otherwise.
    pub const DEFAULT: Self = Self(128);

    /// A length in bits: a power of two from 32 to 65 536.
    pub const fn new(bits: u32) -> Option<Self> {
        if bits.is_power_of_two() && bits >= 32 && bits <= 65_536 { Some(Self(bits)) } else { None }
    }

    /// Bits.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Bytes.
    pub const fn bytes(self) -> usize {
        self.0 as usize / 8
    }
}

/// Why a hart cannot have a vector register length.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum VlenError {
    /// Not a length at all.
    #[error("VLEN {0} is not a power of two from 32 to 65536")]
    NotALength(u32),
    /// Nothing of the ISA uses it.
    #[error("VLEN {vlen} was given, but {isa} has no vector extension; add v or zve32x with --isa")]
    NoVectorUnit {
        /// Length asked for.
        vlen: u32,
        /// The ISA.
        isa: String,
    },
    /// Elements would be wider than a register.
    #[error("ELEN above VLEN: {extension} has elements of {elen} bits, VLEN is {vlen}")]
    BelowElen {
        /// Length asked for.
        vlen: u32,
        /// Widest element in bits.
        elen: u32,
        /// What asks for elements so wide.
        extension: &'static str,
    },
    /// The V extension has a least length of its own.
    #[error("VLEN {vlen} is below 128, the least that extension v allows; for less use zve32x or zve64x")]
    BelowV {
        /// Length asked for.
        vlen: u32,
    },
    /// The ISA string promises more.
    #[error("VLEN {vlen} is below zvl{least}b of {isa}")]
    BelowNamed {
        /// Length asked for.
        vlen: u32,
        /// Largest `zvl*b`.
        least: u32,
        /// The ISA.
        isa: String,
    },
}

impl Isa {
    /// Widest vector element in bits; `None` without vector instructions.
    pub fn elen(&self) -> Option<u32> {
        match (self.has("zve64x"), self.has("zve32x")) {
            (true, _) => Some(64),
            (_, true) => Some(32),
            _ => None,
        }
    }

    /// The vector register length of a hart: `asked`, else the largest `zvl*b`, but at least
    /// [`Vlen::DEFAULT`]; `None` without vector instructions.
    ///
    /// # Errors
    /// If the ISA excludes the length asked for.
    pub fn vlen_of_hart(&self, asked: Option<u32>) -> Result<Option<Vlen>, VlenError> {
        let isa = || self.to_string();
        let least = self.vlen();
        let Some(vlen) = asked else {
            return Ok(self.elen().map(|_| least.unwrap_or(Vlen::DEFAULT).max(Vlen::DEFAULT)));
        };
        let length = Vlen::new(vlen).ok_or(VlenError::NotALength(vlen))?;
        let elen = self.elen().ok_or_else(|| VlenError::NoVectorUnit { vlen, isa: isa() })?;
        if vlen < elen {
            let extension = if self.has("v") { "v" } else { "zve64x" };
            return Err(VlenError::BelowElen { vlen, elen, extension });
        }
        if self.has("v") && length < Vlen::DEFAULT {
            return Err(VlenError::BelowV { vlen });
        }
        match least {
            Some(least) if length < least => {
                Err(VlenError::BelowNamed { vlen, least: least.bits(), isa: isa() })
            }
            _ => Ok(Some(length)),
        }
    }
}
