//! Constant-stride accesses, of segments too ("Vector Constant-Stride Instructions").

use super::element_by_element::{Access, Fault};
use super::regular;
use super::segment::Segment;
use crate::hart::Hart;
use crate::port::Port;
use crate::unit::Trap;
use crate::vector::check;
use crate::vector::element::{Element, for_sew};
use crate::vector::fields::Fields;

/// `vlse<eew>.v`, `vlsseg<nf>e<eew>.v`.
pub fn load(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let fields = Fields(word);
    let segment = Segment::of(&hart.vector, fields, fields.width())?;
    hart.vector.spares_mask(fields)?;
    for_sew!(fields.width(), E => load_elements::<E>(hart, port, Access::new(hart, fields, segment)))
}

fn load_elements<E: Element>(hart: &mut Hart, port: &mut Port<'_>, access: Access) -> Result<(), Trap> {
    let (segment, stride) = (access.segment, stride(hart, &access));
    if !access.elements.is_empty() {
        let fill = hart.vector.fills_inactive(false);
        if !regular::load::<E>(hart, port, &access, stride) {
            access.load::<E>(hart, port, |_, index| stride.wrapping_mul(index as u64), fill, Fault::Traps)?;
        }
        segment.finish::<E>(hart, false);
    }
    hart.vector.vstart = 0;
    Ok(())
}

/// `vsse<eew>.v`, `vssseg<nf>e<eew>.v`.
pub fn store(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    check::configured(hart)?;
    let fields = Fields(word);
    let segment = Segment::of(&hart.vector, fields, fields.width())?;
    segment.readable(&hart.vector, hart.vector.vtype, fields, None)?;
    for_sew!(fields.width(), E => store_elements::<E>(hart, port, Access::new(hart, fields, segment)))
}

fn store_elements<E: Element>(hart: &mut Hart, port: &mut Port<'_>, access: Access) -> Result<(), Trap> {
    let stride = stride(hart, &access);
    if !regular::store::<E>(hart, port, &access, stride) {
        access.store::<E>(hart, port, |_, index| stride.wrapping_mul(index as u64))?;
    }
    hart.vector.vstart = 0;
    Ok(())
}

/// Bytes from one element to the next. On RV32 the upper half is lost where addresses wrap.
pub fn stride(hart: &Hart, access: &Access) -> u64 {
    hart.x(access.fields.vs2() as u16)
}
