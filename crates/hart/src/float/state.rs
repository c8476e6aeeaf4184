//! State of the floating-point unit.

use std::mem::offset_of;

use isa::Isa;

use softfloat::environment::{Flags, Rounding};
use softfloat::format::Format;

/// A floating-point register that an instruction wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatEffect {
    /// Register.
    pub register: u16,
    /// Its bits.
    pub bits: u64,
    /// FLEN: how many bits a register has.
    pub width: u32,
}

/// f0 to f31, 64 bits each whatever the widest format of the ISA since narrower values are boxed, and the
/// fields of `fcsr`.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct FloatUnit {
    registers: [u64; 32],
    /// `fflags`.
    pub(super) flags: Flags,
    /// `frm`, reserved values too.
    pub(super) rounding: u8,
}

impl FloatUnit {
    /// Where the registers, `fflags` and `frm` are in this structure, the last two a byte each.
    pub(crate) const PLACES: [usize; 3] =
        [offset_of!(Self, registers), offset_of!(Self, flags), offset_of!(Self, rounding)];

    /// All bits of a register.
    #[inline(always)]
    pub const fn raw(&self, register: u32) -> u64 {
        self.registers[(register & 31) as usize]
    }

    /// Sets all bits of a register.
    #[inline(always)]
    pub const fn set_raw(&mut self, register: u32, bits: u64) {
        self.registers[(register & 31) as usize] = bits;
    }

    /// The flags that are raised.
    #[inline(always)]
    pub(crate) const fn raised(&self) -> Flags {
        self.flags
    }

    /// A value of a format; the canonical NaN if the register holds none that is boxed as such.
    #[inline(always)]
    pub(crate) const fn get<F: Format>(&self, register: u32) -> u64 {
        let bits = self.raw(register);
        if bits & F::BOX == F::BOX { bits & F::MASK } else { F::NAN }
    }

    /// What a trace shows of a register that was written.
    pub fn effect(&self, register: u16, isa: &Isa) -> FloatEffect {
        let width = if isa.has("d") { 64 } else { 32 };
        let bits = self.raw(register.into()) & u64::MAX >> (64 - width);
        FloatEffect { register, bits, width }
    }

    /// The dynamic rounding mode, unless reserved.
    #[inline(always)]
    pub(super) const fn dynamic_rounding(&self) -> Option<Rounding> {
        Rounding::from_field(self.rounding as u32)
    }
}
