//! Accesses whose length is not `vl`: whole registers ("Vector Load/Store Whole Register Instructions")
//! and masks ("Unit-stride mask load and store" in "Vector Unit-Stride Instructions").

use std::ops::Range;

use super::contiguous;
use super::element_by_element::{Access, Fault};
use super::segment::Segment;
use crate::core::Core;
use crate::unit::Trap;
use crate::vector::check::{self, rule};
use crate::vector::element::{Element, for_sew};
use crate::vector::fields::Fields;
use crate::vector::state::AgnosticFill;

/// `vl<n>re<eew>.v`.
pub fn load_registers(core: &mut Core, word: u32) -> Result<(), Trap> {
    let fields = Fields(word);
    check::enabled(core)?;
    rule(
        fields.width() <= core.vector.elen,
        "every operand's element width must be supported: from 8 bits to ELEN",
    )?;
    let bytes = registers(core, fields)?;
    for_sew!(fields.width(), E => load::<E>(core, fields, bytes / E::BYTES))
}

/// `vs<n>r.v`.
pub fn store_registers(core: &mut Core, word: u32) -> Result<(), Trap> {
    check::enabled(core)?;
    let fields = Fields(word);
    let bytes = registers(core, fields)?;
    store(core, fields, bytes)
}

/// How many bytes the instruction's registers have.
fn registers(core: &Core, fields: Fields) -> Result<usize, Trap> {
    rule(
        fields.vd().is_multiple_of(fields.fields()),
        "whole registers must begin at a register number that is a multiple of how many they are",
    )?;
    Ok(fields.fields() as usize * core.vector.vlenb)
}

/// `vlm.v`.
pub fn load_mask(core: &mut Core, word: u32) -> Result<(), Trap> {
    check::configured(core)?;
    let fields = Fields(word);
    let end = core.vector.vl.div_ceil(8);
    let any = core.vector.vstart < end;
    load::<u8>(core, fields, end)?;
    if any && core.vector.fill == AgnosticFill::Ones {
        core.vector.register_mut(fields.vd() as usize)[end..].fill(0xff);
    }
    Ok(())
}

/// `vsm.v`.
pub fn store_mask(core: &mut Core, word: u32) -> Result<(), Trap> {
    check::configured(core)?;
    let end = core.vector.vl.div_ceil(8);
    store(core, Fields(word), end)
}

/// Loads the elements from `vstart` to `end`.
#[inline(always)]
fn load<E: Element>(core: &mut Core, fields: Fields, end: usize) -> Result<(), Trap> {
    let start = core.vector.vstart;
    if start < end && !contiguous::load(core, fields, start * E::BYTES..end * E::BYTES) {
        let access = access(core, fields, start..end);
        access.load::<E>(core, |_, index| (index * E::BYTES) as u64, false, Fault::Traps)?;
    }
    core.vector.vstart = 0;
    Ok(())
}

/// Stores the bytes from `vstart` to `end`.
#[inline(always)]
fn store(core: &mut Core, fields: Fields, end: usize) -> Result<(), Trap> {
    let start = core.vector.vstart;
    if start < end && !contiguous::store(core, fields, start..end) {
        access(core, fields, start..end).store::<u8>(core, |_, index| index as u64)?;
    }
    core.vector.vstart = 0;
    Ok(())
}

fn access(core: &Core, fields: Fields, elements: Range<usize>) -> Access {
    Access { elements, ..Access::new(core, fields, Segment::whole(fields)) }
}
