//! Accesses that move a part of the register file and of memory as it is, for compiled code.

use isa::operands::{AccessKind, Shape, Site};

use super::fields::Fields;
use super::state::{VectorUnit, Vtype};

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
    /// What a unit-stride access of `vl` elements or a whole-register access moves under a legal `vtype`; `None`
    /// if it is another, or illegal, or depends on a `vl` that is not known.
    pub fn transfer(&self, site: &Site<'_>, vtype: Vtype, vl: Option<u64>) -> Option<Transfer> {
        let [access] = site.effects.memory[..] else { return None };
        let (fields, stores) = (Fields(site.word), access.kind == AccessKind::Store);
        let register = fields.vd() as usize * self.vlenb;
        match access.shape {
            Shape::UnitStride if fields.fields() == 1 => {
                let width = fields.width();
                let emul = vtype.lmul + width as i8 - vtype.sew as i8;
                let is_group = (-3..=3).contains(&emul) && self.aligned(fields.vd(), emul).is_ok();
                let is_legal = is_group && width <= self.elen && !vtype.illegal;
                let tail_end = if stores { 0 } else { self.tail_end(Vtype { lmul: emul, ..vtype }) };
                (is_legal && !fields.masked()).then_some(Transfer {
                    register,
                    bytes: vl? << width,
                    tail_end,
                    stores,
                })
            }
            Shape::WholeRegister => {
                let is_legal = fields.vd().is_multiple_of(fields.fields()) && fields.width() <= self.elen;
                let bytes = u64::from(fields.fields()) * self.vlenb as u64;
                is_legal.then_some(Transfer { register, bytes, tail_end: 0, stores })
            }
            _ => None,
        }
    }
}
