//! Accesses that move a part of the register file and of memory as it is, for compiled code.

use isa::operands::{AccessKind, Shape, Site};

use super::segment::Segment;
use super::whole;
use crate::vector::check;
use crate::vector::fields::Fields;
use crate::vector::state::{VectorUnit, Vtype};

/// What a plain access moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// Offset in the register file.
    pub register: usize,
    /// How many bytes.
    pub bytes: u64,
    /// End of a load's tail from the first register's beginning, 0 if it stays.
    pub tail_end: usize,
    /// It is a store.
    pub stores: bool,
}

impl VectorUnit {
    /// What a unit-stride access of `vl` elements, fault-only-first or not, or a whole-register access moves under a `vtype`; `None` if it
    /// is another, or illegal, or depends on a `vl` that is not known.
    pub fn transfer(&self, site: &Site<'_>, vtype: Vtype, vl: Option<u64>) -> Option<Transfer> {
        let [access] = &site.effects.memory[..] else { return None };
        let (fields, stores) = (Fields(site.word), access.kind == AccessKind::Store);
        let (bytes, tail_end) = match access.shape {
            Shape::UnitStride | Shape::FaultOnlyFirst if fields.fields() == 1 && !fields.masked() => {
                let width = fields.width();
                check::supported(vtype).ok()?;
                Segment::under(self, vtype, fields, width).ok()?;
                let group = Vtype { lmul: vtype.lmul + width as i8 - vtype.sew as i8, ..vtype };
                (vl? << width, if stores { 0 } else { self.tail_end(group) })
            }
            Shape::WholeRegister => (whole::bytes(self, fields).ok()? as u64, 0),
            _ => return None,
        };
        Some(Transfer { register: fields.vd() as usize * self.vlenb, bytes, tail_end, stores })
    }
}
