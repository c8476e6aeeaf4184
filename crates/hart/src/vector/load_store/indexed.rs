//! Indexed accesses, ordered or not, of segments too ("Vector Indexed Instructions"). Elements go to
//! memory in order whether they must or not.

use super::element_by_element::{Access, Fault};
use super::segment::Segment;
use crate::hart::Hart;
use crate::port::Port;
use crate::unit::Trap;
use crate::vector::check::{self, rule};
use crate::vector::element::{Element, for_sew};
use crate::vector::fields::Fields;
use crate::vector::group::{Group, Overlap};
use crate::vector::state::{VectorUnit, Vtype};

/// `vluxei<eew>.v`, `vloxei<eew>.v` and their forms for segments.
pub fn load(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let fields = Fields(word);
    let (segment, agnostic) = loadable(&hart.vector, hart.vector.vtype, fields)?;
    let access = Access::new(hart, fields, segment);
    for_sew!(hart.vector.vtype.sew, E => load_elements::<E>(hart, port, access, agnostic))
}

fn load_elements<E: Element>(
    hart: &mut Hart,
    port: &mut Port<'_>,
    access: Access,
    agnostic: bool,
) -> Result<(), Trap> {
    let (segment, fields) = (access.segment, access.fields);
    if !access.elements.is_empty() {
        let fill = hart.vector.fills_inactive(agnostic);
        for_sew!(fields.width(), I => access.load::<E>(hart, port, offset::<I>(fields), fill, Fault::Traps))?;
        segment.finish::<E>(hart, agnostic);
    }
    hart.vector.vstart = 0;
    Ok(())
}

/// `vsuxei<eew>.v`, `vsoxei<eew>.v` and their forms for segments.
pub fn store(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let fields = Fields(word);
    let segment = storable(&hart.vector, hart.vector.vtype, fields)?;
    let access = Access::new(hart, fields, segment);
    for_sew!(hart.vector.vtype.sew, E => store_elements::<E>(hart, port, access))
}

fn store_elements<E: Element>(hart: &mut Hart, port: &mut Port<'_>, access: Access) -> Result<(), Trap> {
    let fields = access.fields;
    for_sew!(fields.width(), I => access.store::<E>(hart, port, offset::<I>(fields)))?;
    hart.vector.vstart = 0;
    Ok(())
}

/// The data registers of a load that is legal under `vtype`, and whether it is agnostic whatever that says.
///
/// # Errors
/// Naming the rule that is broken.
pub fn loadable(unit: &VectorUnit, vtype: Vtype, fields: Fields) -> Result<(Segment, bool), &'static str> {
    let (segment, index) = operands(unit, vtype, fields)?;
    let mut agnostic = false;
    for group in segment.groups(unit, vtype) {
        let group = group?;
        index.alike_mask(fields)?;
        agnostic |= Overlap::ByWidth.with_mask(unit, fields, group)?;
        agnostic |= Overlap::ByWidth.with_source(group, index, true)?;
        if segment.count > 1 {
            rule(
                !group.overlaps(index),
                "the destination of an indexed segment load must not overlap its index registers",
            )?;
        }
    }
    Ok((segment, agnostic))
}

/// The data registers of a store that is legal under `vtype`.
///
/// # Errors
/// Naming the rule that is broken.
pub fn storable(unit: &VectorUnit, vtype: Vtype, fields: Fields) -> Result<Segment, &'static str> {
    let (segment, index) = operands(unit, vtype, fields)?;
    segment.readable(unit, vtype, fields, Some(index))?;
    Ok(segment)
}

/// Data registers, of SEW, and index registers, whose width is in the instruction.
fn operands(unit: &VectorUnit, vtype: Vtype, fields: Fields) -> Result<(Segment, Group), &'static str> {
    rule(
        8 << fields.width() <= unit.xlen.bits(),
        "the indices of an indexed load or store must not be wider than XLEN",
    )?;
    let segment = Segment::under(unit, vtype, fields, vtype.sew)?;
    Ok((segment, unit.group(vtype, fields.vs2(), fields.width() as i8)?))
}

fn offset<I: Element>(fields: Fields) -> impl Fn(&VectorUnit, usize) -> u64 {
    move |unit, index| unit.get::<I>(fields.vs2(), index).zero_extend()
}
