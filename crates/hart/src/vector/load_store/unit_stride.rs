//! Unit-stride accesses, of segments too, and fault-only-first loads ("Vector Unit-Stride Instructions").

use super::contiguous;
use super::element_by_element::{Access, Fault};
use super::regular;
use super::segment::Segment;
use crate::hart::Hart;
use crate::port::Port;
use crate::unit::Trap;
use crate::vector::check;
use crate::vector::element::{Element, for_sew};
use crate::vector::fields::Fields;

/// `vle<eew>.v`, `vlseg<nf>e<eew>.v`.
pub fn load(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    load_with(hart, port, word, Fault::Traps)
}

/// `vle<eew>ff.v`, `vlseg<nf>e<eew>ff.v`.
pub fn load_first(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    load_with(hart, port, word, Fault::Trims)
}

#[inline(always)]
fn load_with(hart: &mut Hart, port: &mut Port<'_>, word: u32, fault: Fault) -> Result<(), Trap> {
    check::configured(hart)?;
    let fields = Fields(word);
    let segment = Segment::of(&hart.vector, fields, fields.width())?;
    hart.vector.spares_mask(fields)?;
    for_sew!(fields.width(), E => load_elements::<E>(hart, port, fields, segment, fault))
}

#[inline(always)]
fn load_elements<E: Element>(
    hart: &mut Hart,
    port: &mut Port<'_>,
    fields: Fields,
    segment: Segment,
    fault: Fault,
) -> Result<(), Trap> {
    let (start, vl) = (hart.vector.vstart, hart.vector.vl);
    if start < vl {
        let plain = !fields.masked() && segment.count == 1;
        if !(plain && contiguous::load(hart, port, fields, start * E::BYTES..vl * E::BYTES)) {
            load_one_by_one::<E>(hart, port, fields, segment, fault)?;
        }
        segment.finish::<E>(hart, false);
    }
    hart.vector.vstart = 0;
    Ok(())
}

#[inline(never)]
fn load_one_by_one<E: Element>(
    hart: &mut Hart,
    port: &mut Port<'_>,
    fields: Fields,
    segment: Segment,
    fault: Fault,
) -> Result<(), Trap> {
    let fill = hart.vector.fills_inactive(false);
    let access = Access::new(hart, fields, segment);
    if regular::load::<E>(hart, port, &access, segment.bytes()) {
        return Ok(());
    }
    access.load::<E>(hart, port, |_, index| index as u64 * segment.bytes(), fill, fault)
}

/// `vse<eew>.v`, `vsseg<nf>e<eew>.v`.
pub fn store(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let fields = Fields(word);
    let segment = Segment::of(&hart.vector, fields, fields.width())?;
    segment.readable(&hart.vector, hart.vector.vtype, fields, None)?;
    for_sew!(fields.width(), E => store_elements::<E>(hart, port, fields, segment))
}

#[inline(always)]
fn store_elements<E: Element>(
    hart: &mut Hart,
    port: &mut Port<'_>,
    fields: Fields,
    segment: Segment,
) -> Result<(), Trap> {
    let (start, vl) = (hart.vector.vstart, hart.vector.vl);
    if start < vl {
        let plain = !fields.masked() && segment.count == 1;
        if !(plain && contiguous::store(hart, port, fields, start * E::BYTES..vl * E::BYTES)) {
            store_one_by_one::<E>(hart, port, fields, segment)?;
        }
    }
    hart.vector.vstart = 0;
    Ok(())
}

#[inline(never)]
fn store_one_by_one<E: Element>(
    hart: &mut Hart,
    port: &mut Port<'_>,
    fields: Fields,
    segment: Segment,
) -> Result<(), Trap> {
    let access = Access::new(hart, fields, segment);
    if regular::store::<E>(hart, port, &access, segment.bytes()) {
        return Ok(());
    }
    access.store::<E>(hart, port, |_, index| index as u64 * segment.bytes())
}
