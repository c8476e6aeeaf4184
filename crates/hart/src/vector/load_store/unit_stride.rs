//! Unit-stride accesses, of segments too, and fault-only-first loads ("Vector Unit-Stride Instructions").

use super::contiguous;
use super::element_by_element::{Access, Fault};
use super::regular;
use super::segment::Segment;
use crate::core::Core;
use crate::unit::Trap;
use crate::vector::check;
use crate::vector::element::{Element, for_sew};
use crate::vector::fields::Fields;

/// `vle<eew>.v`, `vlseg<nf>e<eew>.v`.
pub fn load(core: &mut Core, word: u32) -> Result<(), Trap> {
    load_with(core, word, Fault::Traps)
}

/// `vle<eew>ff.v`, `vlseg<nf>e<eew>ff.v`.
pub fn load_first(core: &mut Core, word: u32) -> Result<(), Trap> {
    load_with(core, word, Fault::Trims)
}

#[inline(always)]
fn load_with(core: &mut Core, word: u32, fault: Fault) -> Result<(), Trap> {
    check::configured(core)?;
    let fields = Fields(word);
    let segment = Segment::of(&core.vector, fields, fields.width())?;
    core.vector.spares_mask(fields)?;
    for_sew!(fields.width(), E => load_elements::<E>(core, fields, segment, fault))
}

#[inline(always)]
fn load_elements<E: Element>(
    core: &mut Core,
    fields: Fields,
    segment: Segment,
    fault: Fault,
) -> Result<(), Trap> {
    let (start, vl) = (core.vector.vstart, core.vector.vl);
    if start < vl {
        let plain = !fields.masked() && segment.count == 1;
        if !(plain && contiguous::load(core, fields, start * E::BYTES..vl * E::BYTES)) {
            load_one_by_one::<E>(core, fields, segment, fault)?;
        }
        segment.finish::<E>(core, false);
    }
    core.vector.vstart = 0;
    Ok(())
}

#[inline(never)]
fn load_one_by_one<E: Element>(
    core: &mut Core,
    fields: Fields,
    segment: Segment,
    fault: Fault,
) -> Result<(), Trap> {
    let fill = core.vector.fills_inactive(false);
    let access = Access::new(core, fields, segment);
    if regular::load::<E>(core, &access, segment.bytes()) {
        return Ok(());
    }
    access.load::<E>(core, |_, index| index as u64 * segment.bytes(), fill, fault)
}

/// `vse<eew>.v`, `vsseg<nf>e<eew>.v`.
pub fn store(core: &mut Core, word: u32) -> Result<(), Trap> {
    check::configured(core)?;
    let fields = Fields(word);
    let segment = Segment::of(&core.vector, fields, fields.width())?;
    segment.readable(&core.vector, fields, None)?;
    for_sew!(fields.width(), E => store_elements::<E>(core, fields, segment))
}

#[inline(always)]
fn store_elements<E: Element>(core: &mut Core, fields: Fields, segment: Segment) -> Result<(), Trap> {
    let (start, vl) = (core.vector.vstart, core.vector.vl);
    if start < vl {
        let plain = !fields.masked() && segment.count == 1;
        if !(plain && contiguous::store(core, fields, start * E::BYTES..vl * E::BYTES)) {
            store_one_by_one::<E>(core, fields, segment)?;
        }
    }
    core.vector.vstart = 0;
    Ok(())
}

#[inline(never)]
fn store_one_by_one<E: Element>(core: &mut Core, fields: Fields, segment: Segment) -> Result<(), Trap> {
    let access = Access::new(core, fields, segment);
    if regular::store::<E>(core, &access, segment.bytes()) {
        return Ok(());
    }
    access.store::<E>(core, |_, index| index as u64 * segment.bytes())
}
