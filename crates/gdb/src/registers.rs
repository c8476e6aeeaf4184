//! Registers under the numbers gdb has for them (`gdb/riscv-tdep.h`), and their values as it wants them:
//! little-endian bytes.

use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};
use hart::Hart;
use hart::csr::{Clock, Privilege, number};
use isa::Isa;

/// `mstatus.FS` and `mstatus.VS`.
const UNITS: u64 = 3 << 13 | 3 << 9;
/// Bytes of `fcsr`, whatever XLEN is.
const FCSR_BYTES: usize = 4;

/// A register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Register {
    /// Integer.
    X(u16),
    /// Program counter.
    Pc,
    /// Floating-point.
    F(u32),
    /// Control and status.
    Csr(u16),
    /// Vector.
    V(usize),
}

impl Register {
    /// gdb's number.
    pub fn number(self) -> usize {
        match self {
            Self::X(register) => register.into(),
            Self::Pc => 32,
            Self::F(register) => 33 + register as usize,
            Self::Csr(csr) => 65 + usize::from(csr),
            Self::V(register) => 4162 + register,
        }
    }

    /// Its size in bytes; `None` if the hart has no such register.
    fn size(self, hart: &Hart, isa: &Isa) -> Option<usize> {
        match self {
            Self::Csr(csr) if is_float(csr) => Some(FCSR_BYTES),
            Self::X(_) | Self::Pc | Self::Csr(_) => Some(isa.xlen().bits() as usize / 8),
            Self::F(_) => flen(isa),
            Self::V(_) => Some(hart.vector.vlenb()).filter(|&bytes| bytes > 0),
        }
    }

    /// Its value; `None` if the hart has no such register.
    pub fn read(self, hart: &mut Hart, isa: &Isa) -> Option<Vec<u8>> {
        let size = self.size(hart, isa)?;
        let value = match self {
            Self::X(register) => hart.x(register),
            Self::Pc => hart.pc().0,
            Self::F(register) => hart.float.raw(register),
            Self::Csr(csr) => read_csr(hart, csr)?,
            Self::V(register) => return Some(hart.vector.register(register).to_vec()),
        };
        Some(value.to_le_bytes()[..size].to_vec())
    }

    /// Sets its value; `None` if that cannot be.
    pub fn write(self, hart: &mut Hart, isa: &Isa, bytes: &[u8]) -> Option<()> {
        if bytes.len() != self.size(hart, isa)? {
            return None;
        }
        let mut value = [0; 8];
        if let Some(low) = value.get_mut(..bytes.len()) {
            low.copy_from_slice(bytes);
        }
        let value = u64::from_le_bytes(value);
        match self {
            Self::X(register) => hart.set_x(register, value),
            // Instructions lie at even addresses.
            Self::Pc => hart.set_pc(value & !1),
            // Narrower values are boxed in registers of 64 bits.
            Self::F(register) if bytes.len() == 4 => hart.float.set_raw(register, value | !0 << 32),
            Self::F(register) => hart.float.set_raw(register, value),
            Self::Csr(csr) => write_csr(hart, csr, value)?,
            Self::V(register) => hart.vector.register_mut(register).copy_from_slice(bytes),
        }
        Some(())
    }
}

/// Bytes of a floating-point register.
pub fn flen(isa: &Isa) -> Option<usize> {
    match (isa.has("d"), isa.has("f")) {
        (true, _) => Some(8),
        (false, true) => Some(4),
        _ => None,
    }
}

/// True for `fcsr` and its fields.
pub const fn is_float(csr: u16) -> bool {
    matches!(csr, number::FFLAGS..=number::FCSR)
}

/// True for the CSRs of the vector unit.
const fn is_vector(csr: u16) -> bool {
    matches!(csr, number::VSTART..=number::VXRM | number::VCSR | number::VL..=number::VLENB)
}

/// Reads a CSR whatever the mode and whether or not its unit is on, without a trace in the hart.
fn read_csr(hart: &mut Hart, csr: u16) -> Option<u64> {
    // Reading it moves the entropy source on.
    if csr == number::SEED {
        return None;
    }
    let clock = hart.clock(0);
    as_machine(hart, |hart| {
        let status = hart.csrs.read(number::MSTATUS.into(), clock).ok()?;
        hart.csrs.write(number::MSTATUS.into(), status | UNITS, clock).ok()?;
        let value = hart.read_csr(csr.into(), clock).ok();
        hart.csrs.write(number::MSTATUS.into(), status, clock).ok()?;
        value
    })
}

fn write_csr(hart: &mut Hart, csr: u16, value: u64) -> Option<()> {
    // Counters written by an instruction hold the value for the next one; here there is none.
    let before = Clock::of_instructions(hart.retired().wrapping_sub(1));
    let unit_is_off =
        is_float(csr) && !hart.csrs.has_float_csrs() || is_vector(csr) && !hart.csrs.vector_is_on();
    if unit_is_off {
        return None;
    }
    as_machine(hart, |hart| hart.write_csr(csr.into(), value, before).ok())
}

fn as_machine<T>(hart: &mut Hart, access: impl FnOnce(&mut Hart) -> T) -> T {
    let privilege = std::mem::replace(&mut hart.csrs.privilege, Privilege::Machine);
    let value = access(hart);
    hart.csrs.privilege = privilege;
    value
}

impl RegId for Register {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        let register = match id {
            0..=31 => Self::X(id as u16),
            32 => Self::Pc,
            33..=64 => Self::F((id - 33) as u32),
            65..=4160 => Self::Csr((id - 65) as u16),
            4162..=4193 => Self::V(id - 4162),
            _ => return None,
        };
        Some((register, None))
    }

    fn to_raw_id(&self) -> Option<usize> {
        Some(self.number())
    }
}

/// The registers that are sent together: x0 to x31 and pc. gdb asks for the others one by one.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct General(pub Vec<u8>);

impl General {
    /// Which registers, in order.
    pub fn order() -> impl Iterator<Item = Register> {
        (0..32).map(Register::X).chain([Register::Pc])
    }
}

impl Registers for General {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        let mut pc = [0; 8];
        let word = self.0.len() / 33;
        for (target, &byte) in pc.iter_mut().zip(self.0.iter().skip(32 * word)) {
            *target = byte;
        }
        u64::from_le_bytes(pc)
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        self.0.iter().for_each(|&byte| write_byte(Some(byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.0 = bytes.to_vec();
        Ok(())
    }
}

/// RISC-V of either width: addresses are those of the wider.
#[derive(Debug)]
pub enum RiscV {}

impl Arch for RiscV {
    type Usize = u64;
    type Registers = General;
    type BreakpointKind = usize;
    type RegId = Register;
}
