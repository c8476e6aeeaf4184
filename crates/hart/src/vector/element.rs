//! Vector elements as Rust integers.

use crate::fault::{Access, MemoryFault};
use crate::memory::{Address, Memory, WriteEvent};

/// An unsigned integer as wide as an element.
pub trait Element: Copy + Eq + Ord + Send + Sync + 'static {
    /// Bytes.
    const BYTES: usize;
    /// Bits.
    const BITS: u32;
    /// All bits set.
    const ONES: Self;

    /// The element in these bytes, little-endian; `bytes` holds [`Self::BYTES`].
    fn load(bytes: &[u8]) -> Self;
    /// Puts the element into these bytes.
    fn store(self, bytes: &mut [u8]);
    /// The element at this address.
    ///
    /// # Errors
    /// As [`Memory::read`].
    fn read(memory: &Memory, address: u64) -> Result<Self, MemoryFault>;
    /// Puts the element to this address.
    ///
    /// # Errors
    /// As [`Memory::write`].
    fn write(self, memory: &mut Memory, address: u64) -> Result<(), WriteEvent>;
    /// The low bits of a 64-bit value.
    fn truncate(value: u64) -> Self;
    /// Zero-extended.
    fn zero_extend(self) -> u64;
    /// Sign-extended.
    fn sign_extend(self) -> i64;
}

macro_rules! elements {
    ($($unsigned:ident $signed:ident;)*) => {
        $(
            impl Element for $unsigned {
                const BYTES: usize = size_of::<Self>();
                const BITS: u32 = Self::BITS;
                const ONES: Self = Self::MAX;

                #[inline(always)]
                fn load(bytes: &[u8]) -> Self {
                    let mut buffer = [0; size_of::<Self>()];
                    buffer.copy_from_slice(bytes);
                    Self::from_le_bytes(buffer)
                }

                #[inline(always)]
                fn store(self, bytes: &mut [u8]) {
                    bytes.copy_from_slice(&self.to_le_bytes());
                }

                #[inline(always)]
                fn read(memory: &Memory, address: u64) -> Result<Self, MemoryFault> {
                    memory.read(Address(address), Access::Load).map(Self::from_le_bytes)
                }

                #[inline(always)]
                fn write(self, memory: &mut Memory, address: u64) -> Result<(), WriteEvent> {
                    memory.write(Address(address), self.to_le_bytes())
                }

                #[inline(always)]
                fn truncate(value: u64) -> Self {
                    value as Self
                }

                #[inline(always)]
                fn zero_extend(self) -> u64 {
                    u64::from(self)
                }

                #[inline(always)]
                fn sign_extend(self) -> i64 {
                    i64::from(self as $signed)
                }
            }
        )*
    };
}

elements! {
    u8 i8;
    u16 i16;
    u32 i32;
    u64 i64;
}

/// Calls a generic function with the element type of a width: `for_sew!(log2 of bytes, E => call::<E>())`.
macro_rules! for_sew {
    ($sew:expr, $element:ident => $call:expr) => {
        match $sew {
            0 => {
                type $element = u8;
                $call
            }
            1 => {
                type $element = u16;
                $call
            }
            2 => {
                type $element = u32;
                $call
            }
            _ => {
                type $element = u64;
                $call
            }
        }
    };
}
pub(crate) use for_sew;
