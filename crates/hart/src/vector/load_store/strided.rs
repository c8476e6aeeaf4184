//! Constant-stride accesses, of segments too ("Vector Constant-Stride Instructions").

use super::element_by_element::{Access, Fault};
use super::regular;
use super::segment::Segment;
use crate::core::Core;
use crate::unit::Trap;
use crate::vector::check;
use crate::vector::element::{Element, for_sew};
use crate::vector::fields::Fields;

/// `vlse<eew>.v`, `vlsseg<nf>e<eew>.v`.
pub fn load(core: &mut Core, word: u32) -> Result<(), Trap> {
    check::configured(core)?;
    let fields = Fields(word);
    let segment = Segment::of(&core.vector, fields, fields.width())?;
    core.vector.spares_mask(fields)?;
    for_sew!(fields.width(), E => load_elements::<E>(core, Access::new(core, fields, segment)))
}

fn load_elements<E: Element>(core: &mut Core, access: Access) -> Result<(), Trap> {
    let (segment, stride) = (access.segment, stride(core, &access));
    if !access.elements.is_empty() {
        let fill = core.vector.fills_inactive(false);
        if !regular::load::<E>(core, &access, stride) {
            access.load::<E>(core, |_, index| stride.wrapping_mul(index as u64), fill, Fault::Traps)?;
        }
        segment.finish::<E>(core, false);
    }
    core.vector.vstart = 0;
    Ok(())
}

/// `vsse<eew>.v`, `vssseg<nf>e<eew>.v`.
pub fn store(core: &mut Core, word: u32) -> Result<(), Trap> {
    check::configured(core)?;
    let fields = Fields(word);
    let segment = Segment::of(&core.vector, fields, fields.width())?;
    segment.readable(&core.vector, fields, None)?;
    for_sew!(fields.width(), E => store_elements::<E>(core, Access::new(core, fields, segment)))
}

fn store_elements<E: Element>(core: &mut Core, access: Access) -> Result<(), Trap> {
    let stride = stride(core, &access);
    if !regular::store::<E>(core, &access, stride) {
        access.store::<E>(core, |_, index| stride.wrapping_mul(index as u64))?;
    }
    core.vector.vstart = 0;
    Ok(())
}

/// Bytes from one element to the next. On RV32 the upper half is lost where addresses wrap.
fn stride(core: &Core, access: &Access) -> u64 {
    core.x(access.fields.vs2() as u16)
}
