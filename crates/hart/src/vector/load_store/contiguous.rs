//! Elements side by side in registers and in memory, transferred at once.

use std::ops::Range;

use crate::core::Core;
use crate::memory::Address;
use crate::vector::fields::Fields;

/// Loads bytes `bytes` of the register group `vd` from the same distance behind the base address; false,
/// with nothing done, if not all of them are there, or if a trace wants to see each element.
#[inline(always)]
pub fn load(core: &mut Core, fields: Fields, bytes: Range<usize>) -> bool {
    let address = Address(address(core, fields, bytes.start));
    if core.traced {
        return false;
    }
    let group = fields.vd() as usize * core.vector.vlenb;
    let Some(source) = core.memory.slice(address, bytes.len()) else { return false };
    core.vector.registers[group + bytes.start..group + bytes.end].copy_from_slice(source);
    true
}

/// Stores bytes `bytes` of the register group `vs3` at the same distance behind the base address; false,
/// with nothing done, if not all of them may be written, or if a trace wants to see each element.
#[inline(always)]
pub fn store(core: &mut Core, fields: Fields, bytes: Range<usize>) -> bool {
    let address = address(core, fields, bytes.start);
    let group = fields.vd() as usize * core.vector.vlenb;
    let source = &core.vector.registers[group + bytes.start..group + bytes.end];
    !core.traced && core.memory.write_slice(address, source)
}

#[inline(always)]
fn address(core: &Core, fields: Fields, offset: usize) -> u64 {
    core.x(fields.rs1() as u16).wrapping_add(offset as u64) & core.csrs.xlen().mask()
}
