//! Loads and stores ("F" Extension, "Single-Precision Load and Store Instructions"). They move bits: no value is
//! looked at. A compressed one is executed as the one it stands for.

use super::registers::{Float, Registers};
use super::unit::Fields;
use crate::fault::{Access, Exception};
use crate::hart::Hart;
use crate::memory::{Address, WriteEvent};
use crate::port::Port;
use crate::unit::{MemoryBody, Trap};
use isa::operands::{self, AccessKind, Class, Eew, Effects};
use softfloat::format::{Double, Format, Half, Single};

/// How an instruction that moves bits between a register and memory accesses this, and how many.
pub fn access(effects: &Effects) -> Option<(AccessKind, u16)> {
    let [operands::Access { kind, width: Eew::Bits(bits), .. }] = &effects.memory[..] else { return None };
    matches!(effects.class, Class::FpLoad | Class::FpStore).then_some((*kind, *bits))
}

/// The body of an instruction that accesses memory.
pub fn memory_body(effects: &Effects) -> Option<MemoryBody> {
    Some(match access(effects)? {
        (AccessKind::Load, 16) => load::<Half>,
        (AccessKind::Load, 32) => load::<Single>,
        (AccessKind::Load, 64) => load::<Double>,
        (AccessKind::Store, 16) => store::<Half>,
        (AccessKind::Store, 32) => store::<Single>,
        (AccessKind::Store, 64) => store::<Double>,
        _ => return None,
    })
}

/// The address of a load or store, whose immediates are sign-extended.
const fn address(hart: &Hart, fields: Fields, offset: i32) -> u64 {
    hart.slots[fields.rs1() as usize].wrapping_add(offset as u64) & hart.csrs.xlen().mask()
}

fn load<F: Format>(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    Float::enabled(hart)?;
    let fields = Fields(word);
    let address = address(hart, fields, word as i32 >> 20);
    let memory = &port.memory;
    let value = match F::BITS {
        16 => memory.read(Address(address), Access::Load).map(|bytes| u16::from_le_bytes(bytes).into()),
        32 => memory.read(Address(address), Access::Load).map(|bytes| u32::from_le_bytes(bytes).into()),
        _ => memory.read(Address(address), Access::Load).map(u64::from_le_bytes),
    };
    let value = value.map_err(Exception::from)?;
    port.note(address, F::BITS as usize / 8, None);
    hart.write_f::<F>(fields.rd(), value);
    Ok(())
}

fn store<F: Format>(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    Float::enabled(hart)?;
    let fields = Fields(word);
    let address = address(hart, fields, word as i32 >> 25 << 5 | fields.rd() as i32);
    let bits = hart.float.raw(fields.rs2());
    port.note(address, F::BITS as usize / 8, Some(bits & F::MASK));
    let memory = &mut port.memory;
    let written = match F::BITS {
        16 => memory.write(Address(address), (bits as u16).to_le_bytes()),
        32 => memory.write(Address(address), (bits as u32).to_le_bytes()),
        _ => memory.write(Address(address), bits.to_le_bytes()),
    };
    match written {
        // The machine asks the memory for the host-target interface's word itself.
        Ok(()) | Err(WriteEvent::Host) => Ok(()),
        Err(WriteEvent::Fault(fault)) => Err(Exception::from(fault).into()),
    }
}
