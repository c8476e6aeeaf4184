//! Element indices, and running counts of a mask's set bits.

use super::super::check;
use super::super::element::{Element, for_sew};
use super::super::element_wise::walk_indexed;
use super::super::fields::Fields;
use super::super::group::Group;
use crate::unit::Body;

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "VIOTA__M" => |core, word| {
            let fields = Fields(word);
            check::configured(core)?;
            let unit = &mut core.vector;
            check::restarted(unit)?;
            unit.spares_mask(fields)?;
            unit.plain_group(fields.vd())?.apart_from(Group::mask(fields.vs2()))?;
            let mut count = 0;
            for_sew!(unit.vtype.sew, E => walk_indexed(unit, fields, 0, |unit, index| {
                let before = E::truncate(count);
                count += u64::from(unit.mask_bit(fields.vs2(), index));
                before
            }));
            Ok(())
        },
        "VID__V" => |core, word| {
            let fields = Fields(word);
            check::configured(core)?;
            let unit = &mut core.vector;
            unit.spares_mask(fields)?;
            unit.plain_group(fields.vd())?;
            for_sew!(unit.vtype.sew, E => walk_indexed(unit, fields, 0, |_, index| E::truncate(index as u64)));
            Ok(())
        },
        _ => return None,
    })
}
