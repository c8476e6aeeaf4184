//! Accesses whose length is not `vl`: whole registers ("Vector Load/Store Whole Register Instructions")
//! and masks ("Unit-stride mask load and store" in "Vector Unit-Stride Instructions").

use std::ops::Range;

use super::contiguous;
use super::element_by_element::{Access, Fault};
use super::segment::Segment;
use crate::hart::Hart;
use crate::unit::Trap;
use crate::vector::check::{self, rule};
use crate::vector::element::{Element, for_sew};
use crate::vector::fields::Fields;
use crate::vector::state::AgnosticFill;

/// `vl<n>re<eew>.v`.
pub fn load_registers(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    let fields = Fields(word);
    check::enabled(hart)?;
    rule(
        fields.width() <= hart.vector.elen,
        "every operand's element width must be supported: from 8 bits to ELEN",
    )?;
    let bytes = registers(hart, fields)?;
    for_sew!(fields.width(), E => load::<E>(hart, fields, bytes / E::BYTES))
}

/// `vs<n>r.v`.
pub fn store_registers(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    check::enabled(hart)?;
    let fields = Fields(word);
    let bytes = registers(hart, fields)?;
    store(hart, fields, bytes)
}

/// How many bytes the instruction's registers have.
fn registers(hart: &Hart, fields: Fields) -> Result<usize, Trap> {
    rule(
        fields.vd().is_multiple_of(fields.fields()),
        "whole registers must begin at a register number that is a multiple of how many they are",
    )?;
    Ok(fields.fields() as usize * hart.vector.vlenb)
}

/// `vlm.v`.
pub fn load_mask(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let fields = Fields(word);
    let end = hart.vector.vl.div_ceil(8);
    let any = hart.vector.vstart < end;
    load::<u8>(hart, fields, end)?;
    if any && hart.vector.fill == AgnosticFill::Ones {
        hart.vector.register_mut(fields.vd() as usize)[end..].fill(0xff);
    }
    Ok(())
}

/// `vsm.v`.
pub fn store_mask(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let end = hart.vector.vl.div_ceil(8);
    store(hart, Fields(word), end)
}

/// Loads the elements from `vstart` to `end`.
#[inline(always)]
fn load<E: Element>(hart: &mut Hart, fields: Fields, end: usize) -> Result<(), Trap> {
    let start = hart.vector.vstart;
    if start < end && !contiguous::load(hart, fields, start * E::BYTES..end * E::BYTES) {
        let access = access(hart, fields, start..end);
        access.load::<E>(hart, |_, index| (index * E::BYTES) as u64, false, Fault::Traps)?;
    }
    hart.vector.vstart = 0;
    Ok(())
}

/// Stores the bytes from `vstart` to `end`.
#[inline(always)]
fn store(hart: &mut Hart, fields: Fields, end: usize) -> Result<(), Trap> {
    let start = hart.vector.vstart;
    if start < end && !contiguous::store(hart, fields, start..end) {
        access(hart, fields, start..end).store::<u8>(hart, |_, index| index as u64)?;
    }
    hart.vector.vstart = 0;
    Ok(())
}

fn access(hart: &Hart, fields: Fields, elements: Range<usize>) -> Access {
    Access { elements, ..Access::new(hart, fields, Segment::whole(fields)) }
}
