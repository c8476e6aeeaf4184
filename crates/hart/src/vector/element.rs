//! Vector elements as Rust integers.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Shl, Shr, Sub};

use crate::fault::{Access, MemoryFault};
use crate::memory::{Address, Memory, WriteEvent};

/// An unsigned integer as wide as an element.
pub trait Element: Copy + Default + Eq + Ord + BitOr<Output = Self> + Send + Sync + 'static {
    /// Bytes.
    const BYTES: usize;
    /// Bits.
    const BITS: u32;
    /// All bits set.
    const ONES: Self;

    /// A signed integer of twice the bits.
    type Wide: Wide;

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
    /// Zero-extended to twice the bits.
    fn unsigned(self) -> Self::Wide;
    /// Sign-extended to twice the bits.
    fn signed(self) -> Self::Wide;
}

/// A signed integer in which sums and products of elements fit, and no wider, so that hosts compute many at a time.
pub trait Wide:
    Copy
    + Default
    + Ord
    + From<bool>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<Output = Self>
    + Shr<Output = Self>
{
    /// A small number.
    fn of(number: i8) -> Self;
    /// The low bits of a 64-bit value.
    fn truncate(value: u64) -> Self;
    /// The low bits.
    fn low(self) -> u64;
    /// The low bits of a sum.
    fn plus(self, other: Self) -> Self;
    /// Shifted right as an unsigned integer.
    fn shift_right_unsigned(self, by: Self) -> Self;
    /// The lesser of two unsigned integers.
    fn min_unsigned(self, other: Self) -> Self;
}

macro_rules! wide {
    ($($wide:ident $unsigned:ident;)*) => {
        $(
            impl Wide for $wide {
                #[inline(always)]
                fn of(number: i8) -> Self {
                    number.into()
                }

                #[inline(always)]
                fn truncate(value: u64) -> Self {
                    value as Self
                }

                #[inline(always)]
                fn low(self) -> u64 {
                    self as u64
                }

                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    self.wrapping_add(other)
                }

                #[inline(always)]
                fn shift_right_unsigned(self, by: Self) -> Self {
                    (self as $unsigned >> by) as Self
                }

                #[inline(always)]
                fn min_unsigned(self, other: Self) -> Self {
                    (self as $unsigned).min(other as $unsigned) as Self
                }
            }
        )*
    };
}

wide! {
    i16 u16;
    i32 u32;
    i64 u64;
    i128 u128;
}

macro_rules! elements {
    ($($unsigned:ident $signed:ident $wide:ident;)*) => {
        $(
            impl Element for $unsigned {
                const BYTES: usize = size_of::<Self>();
                const BITS: u32 = Self::BITS;
                const ONES: Self = Self::MAX;

                type Wide = $wide;

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

                #[inline(always)]
                fn unsigned(self) -> $wide {
                    self.into()
                }

                #[inline(always)]
                fn signed(self) -> $wide {
                    (self as $signed).into()
                }
            }
        )*
    };
}

elements! {
    u8 i8 i16;
    u16 i16 i32;
    u32 i32 i64;
    u64 i64 i128;
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
