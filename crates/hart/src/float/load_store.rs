//! Loads and stores, compressed ones too ("F" Extension, "Single-Precision Load and Store Instructions";
//! "C" Extension, "Load and Store Instructions"). They move bits: no value is looked at.

use super::unit::Fields;
use crate::fault::{Access, Exception};
use crate::hart::Hart;
use crate::memory::{Address, WriteEvent};
use crate::port::Port;
use crate::unit::{MemoryBody, Trap};
use softfloat::format::{Double, Format, Half, Single};

/// The body of an instruction of this module.
pub fn memory_body(name: &str) -> Option<MemoryBody> {
    Some(match name {
        "FLH" => |hart, port, word| load::<Half>(hart, port, Fields(word).rd(), based(word, upper(word))),
        "FLW" => |hart, port, word| load::<Single>(hart, port, Fields(word).rd(), based(word, upper(word))),
        "FLD" => |hart, port, word| load::<Double>(hart, port, Fields(word).rd(), based(word, upper(word))),
        "FSH" => |hart, port, word| store::<Half>(hart, port, Fields(word).rs2(), based(word, split(word))),
        "FSW" => |hart, port, word| store::<Single>(hart, port, Fields(word).rs2(), based(word, split(word))),
        "FSD" => |hart, port, word| store::<Double>(hart, port, Fields(word).rs2(), based(word, split(word))),
        "C__FLW" => {
            |hart, port, word| load::<Single>(hart, port, short(word >> 2), compact(word, words(word)))
        }
        "C__FLD" => {
            |hart, port, word| load::<Double>(hart, port, short(word >> 2), compact(word, doubles(word)))
        }
        "C__FSW" => {
            |hart, port, word| store::<Single>(hart, port, short(word >> 2), compact(word, words(word)))
        }
        "C__FSD" => {
            |hart, port, word| store::<Double>(hart, port, short(word >> 2), compact(word, doubles(word)))
        }
        "C__FLWSP" => |hart, port, word| {
            let offset = word >> 2 & 0x1c | word >> 7 & 0x20 | word << 4 & 0xc0;
            load::<Single>(hart, port, word >> 7 & 31, stacked(offset))
        },
        "C__FLDSP" => |hart, port, word| {
            let offset = word >> 2 & 0x18 | word >> 7 & 0x20 | word << 4 & 0x1c0;
            load::<Double>(hart, port, word >> 7 & 31, stacked(offset))
        },
        "C__FSWSP" => |hart, port, word| {
            store::<Single>(hart, port, word >> 2 & 31, stacked(word >> 7 & 0x3c | word >> 1 & 0xc0))
        },
        "C__FSDSP" => |hart, port, word| {
            store::<Double>(hart, port, word >> 2 & 31, stacked(word >> 7 & 0x38 | word >> 1 & 0x1c0))
        },
        _ => return None,
    })
}

/// An address: a base register and an offset.
struct Place {
    base: u16,
    offset: u64,
}

const fn based(word: u32, offset: u64) -> Place {
    Place { base: Fields(word).rs1() as u16, offset }
}

/// The immediate of a load.
const fn upper(word: u32) -> u64 {
    ((word as i32) >> 20) as u64
}

/// The immediate of a store.
const fn split(word: u32) -> u64 {
    ((word as i32 >> 25 << 5) | (word >> 7 & 31) as i32) as u64
}

/// One of the eight registers that three bits name.
const fn short(field: u32) -> u32 {
    8 + (field & 7)
}

const fn compact(word: u32, offset: u32) -> Place {
    Place { base: short(word >> 7) as u16, offset: offset as u64 }
}

const fn stacked(offset: u32) -> Place {
    Place { base: 2, offset: offset as u64 }
}

/// Offset in a CL or CS instruction that moves a word.
const fn words(word: u32) -> u32 {
    word >> 7 & 0x38 | word >> 4 & 4 | word << 1 & 0x40
}

/// Offset in a CL or CS instruction that moves a double word.
const fn doubles(word: u32) -> u32 {
    word >> 7 & 0x38 | word << 1 & 0xc0
}

impl Hart {
    const fn address(&self, place: &Place) -> u64 {
        self.slots[(place.base & 31) as usize].wrapping_add(place.offset) & self.csrs.xlen().mask()
    }
}

#[inline(always)]
fn load<F: Format>(hart: &mut Hart, port: &mut Port<'_>, register: u32, place: Place) -> Result<(), Trap> {
    hart.float_enabled()?;
    let address = hart.address(&place);
    let memory = &port.memory;
    let value = match F::BITS {
        16 => memory.read(Address(address), Access::Load).map(|bytes| u16::from_le_bytes(bytes).into()),
        32 => memory.read(Address(address), Access::Load).map(|bytes| u32::from_le_bytes(bytes).into()),
        _ => memory.read(Address(address), Access::Load).map(u64::from_le_bytes),
    };
    let value = value.map_err(Exception::from)?;
    port.note(address, F::BITS as usize / 8, None);
    hart.write_f::<F>(register, value);
    Ok(())
}

#[inline(always)]
fn store<F: Format>(hart: &mut Hart, port: &mut Port<'_>, register: u32, place: Place) -> Result<(), Trap> {
    hart.float_enabled()?;
    let address = hart.address(&place);
    let bits = hart.float.raw(register);
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
