//! Accesses whose length is not `vl`: whole registers ("Vector Load/Store Whole Register Instructions")
//! and masks ("Unit-stride mask load and store" in "Vector Unit-Stride Instructions").

use std::ops::Range;

use super::contiguous;
use super::element_by_element::{Access, Fault};
use super::segment::Segment;
use crate::hart::Hart;
use crate::port::Port;
use crate::unit::Trap;
use crate::vector::check::{self, rule};
use crate::vector::element::{Element, for_sew};
use crate::vector::fields::Fields;
use crate::vector::state::{AgnosticFill, VectorUnit};

/// `vl<n>re<eew>.v`.
pub fn load_registers(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    let fields = Fields(word);
    check::enabled(hart)?;
    let bytes = bytes(&hart.vector, fields)?;
    for_sew!(fields.width(), E => load::<E>(hart, port, fields, bytes / E::BYTES))
}

/// `vs<n>r.v`.
pub fn store_registers(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    check::enabled(hart)?;
    let fields = Fields(word);
    let bytes = bytes(&hart.vector, fields)?;
    store(hart, port, fields, bytes)
}

/// How many bytes the instruction's registers have. A store names no width but that of bytes.
///
/// # Errors
/// If it may not name them.
pub fn bytes(unit: &VectorUnit, fields: Fields) -> Result<usize, &'static str> {
    rule(
        fields.width() <= unit.elen,
        "every operand's element width must be supported: from 8 bits to ELEN",
    )?;
    rule(
        fields.vd().is_multiple_of(fields.fields()),
        "whole registers must begin at a register number that is a multiple of how many they are",
    )?;
    Ok(fields.fields() as usize * unit.vlenb)
}

/// `vlm.v`.
pub fn load_mask(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let fields = Fields(word);
    let end = hart.vector.vl.div_ceil(8);
    let any = hart.vector.vstart < end;
    load::<u8>(hart, port, fields, end)?;
    if any && hart.vector.fill == AgnosticFill::Ones {
        hart.vector.register_mut(fields.vd() as usize)[end..].fill(0xff);
    }
    Ok(())
}

/// `vsm.v`.
pub fn store_mask(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let end = hart.vector.vl.div_ceil(8);
    store(hart, port, Fields(word), end)
}

/// Loads the elements from `vstart` to `end`.
#[inline(always)]
fn load<E: Element>(hart: &mut Hart, port: &mut Port<'_>, fields: Fields, end: usize) -> Result<(), Trap> {
    let start = hart.vector.vstart;
    if start < end && !contiguous::load(hart, port, fields, start * E::BYTES..end * E::BYTES) {
        let access = access(hart, fields, start..end);
        access.load::<E>(hart, port, |_, index| (index * E::BYTES) as u64, false, Fault::Traps)?;
    }
    hart.vector.vstart = 0;
    Ok(())
}

/// Stores the bytes from `vstart` to `end`.
#[inline(always)]
fn store(hart: &mut Hart, port: &mut Port<'_>, fields: Fields, end: usize) -> Result<(), Trap> {
    let start = hart.vector.vstart;
    if start < end && !contiguous::store(hart, port, fields, start..end) {
        access(hart, fields, start..end).store::<u8>(hart, port, |_, index| index as u64)?;
    }
    hart.vector.vstart = 0;
    Ok(())
}

fn access(hart: &Hart, fields: Fields, elements: Range<usize>) -> Access {
    Access { elements, ..Access::new(hart, fields, Segment::whole(fields)) }
}
