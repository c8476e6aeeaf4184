//! Loads and stores, compressed ones too ("F" Extension, "Single-Precision Load and Store Instructions";
//! "C" Extension, "Load and Store Instructions"). They move bits: no value is looked at.

use super::format::{Double, Format, Half, Single};
use super::unit::Fields;
use crate::core::Core;
use crate::fault::{Access, Exception};
use crate::memory::WriteEvent;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "FLH" => |core, word| load::<Half>(core, Fields(word).rd(), based(word, upper(word))),
        "FLW" => |core, word| load::<Single>(core, Fields(word).rd(), based(word, upper(word))),
        "FLD" => |core, word| load::<Double>(core, Fields(word).rd(), based(word, upper(word))),
        "FSH" => |core, word| store::<Half>(core, Fields(word).rs2(), based(word, split(word))),
        "FSW" => |core, word| store::<Single>(core, Fields(word).rs2(), based(word, split(word))),
        "FSD" => |core, word| store::<Double>(core, Fields(word).rs2(), based(word, split(word))),
        "C__FLW" => |core, word| load::<Single>(core, short(word >> 2), compact(word, words(word))),
        "C__FLD" => |core, word| load::<Double>(core, short(word >> 2), compact(word, doubles(word))),
        "C__FSW" => |core, word| store::<Single>(core, short(word >> 2), compact(word, words(word))),
        "C__FSD" => |core, word| store::<Double>(core, short(word >> 2), compact(word, doubles(word))),
        "C__FLWSP" => |core, word| {
            let offset = word >> 2 & 0x1c | word >> 7 & 0x20 | word << 4 & 0xc0;
            load::<Single>(core, word >> 7 & 31, stacked(offset))
        },
        "C__FLDSP" => |core, word| {
            let offset = word >> 2 & 0x18 | word >> 7 & 0x20 | word << 4 & 0x1c0;
            load::<Double>(core, word >> 7 & 31, stacked(offset))
        },
        "C__FSWSP" => {
            |core, word| store::<Single>(core, word >> 2 & 31, stacked(word >> 7 & 0x3c | word >> 1 & 0xc0))
        }
        "C__FSDSP" => {
            |core, word| store::<Double>(core, word >> 2 & 31, stacked(word >> 7 & 0x38 | word >> 1 & 0x1c0))
        }
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

impl Core {
    const fn address(&self, place: &Place) -> u64 {
        self.slots[(place.base & 31) as usize].wrapping_add(place.offset) & self.csrs.xlen().mask()
    }
}

#[inline(always)]
fn load<F: Format>(core: &mut Core, register: u32, place: Place) -> Result<(), Trap> {
    core.float_enabled()?;
    let address = core.address(&place);
    let memory = &core.memory;
    let value = match F::BITS {
        16 => memory.read(address, Access::Load).map(|bytes| u16::from_le_bytes(bytes).into()),
        32 => memory.read(address, Access::Load).map(|bytes| u32::from_le_bytes(bytes).into()),
        _ => memory.read(address, Access::Load).map(u64::from_le_bytes),
    };
    let value = value.map_err(Exception::from)?;
    core.trace_access(address, F::BITS as usize / 8, None);
    core.write_f::<F>(register, value);
    Ok(())
}

#[inline(always)]
fn store<F: Format>(core: &mut Core, register: u32, place: Place) -> Result<(), Trap> {
    core.float_enabled()?;
    let address = core.address(&place);
    let bits = core.float.raw(register);
    core.trace_access(address, F::BITS as usize / 8, Some(bits & F::MASK));
    let memory = &mut core.memory;
    let written = match F::BITS {
        16 => memory.write(address, (bits as u16).to_le_bytes()),
        32 => memory.write(address, (bits as u32).to_le_bytes()),
        _ => memory.write(address, bits.to_le_bytes()),
    };
    match written {
        // The machine asks the memory for the host-target interface's word itself.
        Ok(()) | Err(WriteEvent::Host) => Ok(()),
        Err(WriteEvent::Fault(fault)) => Err(Exception::from(fault).into()),
    }
}
