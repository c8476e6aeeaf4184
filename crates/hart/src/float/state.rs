//! State of the floating-point unit.

use isa::Isa;

use softfloat::environment::{Flags, Rounding};
use softfloat::format::Format;

/// Bytes of [`FloatUnit::state`].
const STATE: usize = FCSR + 8;
/// Where `fcsr` is.
const FCSR: usize = 32 * 8;

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
#[derive(Clone, Default)]
pub struct FloatUnit {
    registers: [u64; 32],
    /// `fflags`.
    pub(super) flags: Flags,
    /// `frm`, reserved values too.
    pub(super) rounding: u8,
}

impl FloatUnit {
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

    /// A value of a format; the canonical NaN if the register holds none that is boxed as such.
    #[inline(always)]
    pub(super) const fn get<F: Format>(&self, register: u32) -> u64 {
        let bits = self.raw(register);
        if bits & F::BOX == F::BOX { bits & F::MASK } else { F::NAN }
    }

    /// Registers, then `fcsr`, little-endian: `struct __riscv_d_ext_state` of Linux.
    pub fn state(&self) -> [u8; STATE] {
        let mut bytes = [0; STATE];
        for (target, register) in bytes.chunks_mut(8).zip(self.registers) {
            target.copy_from_slice(&register.to_le_bytes());
        }
        bytes[FCSR] = self.rounding << 5 | self.flags.0;
        bytes
    }

    /// Restores what [`FloatUnit::state`] gave.
    pub fn set_state(&mut self, bytes: &[u8; STATE]) {
        for (register, source) in self.registers.iter_mut().zip(bytes.as_chunks().0) {
            *register = u64::from_le_bytes(*source);
        }
        self.flags = Flags(bytes[FCSR] & 0x1f);
        self.rounding = bytes[FCSR] >> 5;
    }

    /// What a trace shows of a register that was written.
    pub(crate) fn effect(&self, register: u16, isa: &Isa) -> FloatEffect {
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
