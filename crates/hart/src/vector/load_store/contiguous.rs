//! Elements side by side in registers and in memory, transferred at once.

use std::ops::Range;

use crate::hart::Hart;
use crate::memory::Address;
use crate::port::Port;
use crate::vector::fields::Fields;

/// Loads bytes `bytes` of the register group `vd` from the same distance after the base address; false,
/// with nothing done, if not all of them are there, or if a trace wants to see each element.
#[inline(always)]
pub fn load(hart: &mut Hart, port: &mut Port<'_>, fields: Fields, bytes: Range<usize>) -> bool {
    let address = Address(address(hart, fields, bytes.start));
    if port.effects.is_some() {
        return false;
    }
    let group = fields.vd() as usize * hart.vector.vlenb;
    let Some(source) = port.memory.slice(address, bytes.len()) else { return false };
    hart.vector.registers[group + bytes.start..group + bytes.end].copy_from_slice(source);
    true
}

/// Stores bytes `bytes` of the register group `vs3` at the same distance after the base address; false,
/// with nothing done, if not all of them may be written, or if a trace wants to see each element.
#[inline(always)]
pub fn store(hart: &Hart, port: &mut Port<'_>, fields: Fields, bytes: Range<usize>) -> bool {
    let address = address(hart, fields, bytes.start);
    let group = fields.vd() as usize * hart.vector.vlenb;
    let source = &hart.vector.registers[group + bytes.start..group + bytes.end];
    port.effects.is_none() && port.memory.write_slice(Address(address), source)
}

#[inline(always)]
fn address(hart: &Hart, fields: Fields, offset: usize) -> u64 {
    hart.x(fields.rs1() as u16).wrapping_add(offset as u64) & hart.csrs.xlen().mask()
}
