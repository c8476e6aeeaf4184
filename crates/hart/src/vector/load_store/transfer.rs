//! Accesses that move a part of the register file and of memory as it is, or field by field, for compiled code.

use isa::operands::{AccessKind, Shape, Site};

use super::segment::Segment;
use super::whole;
use crate::vector::check;
use crate::vector::fields::Fields;
use crate::vector::state::{VectorUnit, Vtype};

/// What a plain access moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Transfer {
    /// Offset in the register file.
    pub register: usize,
    /// How many bytes of each field.
    pub bytes: u64,
    /// End of a load's tail from the beginning of a field's registers, 0 if it stays.
    pub tail_end: usize,
    /// Fields of a segment; with one, memory is as the register file is.
    pub fields: usize,
    /// Bytes of the register file from one field to the next.
    pub distance: usize,
    /// log2 of the bytes of an element.
    pub width: u8,
    /// Elements whose bits of v0 are not set are neither loaded nor stored.
    pub masked: bool,
    /// It is a store.
    pub stores: bool,
}

/// What an access of one field by indices moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indices {
    /// Offset of the indices in the register file.
    pub group: usize,
    /// log2 of the bytes of an index.
    pub width: u8,
    /// Offset of the data, which are of SEW.
    pub data: usize,
    /// It is a store.
    pub stores: bool,
}

impl VectorUnit {
    /// What an unmasked access of one field by indices moves under a `vtype`; `None` if it is another, or illegal, or fills a
    /// tail.
    pub fn indices(&self, site: &Site<'_>, vtype: Vtype) -> Option<Indices> {
        let [access] = &site.effects.memory[..] else { return None };
        let fields = Fields(site.word);
        let is_indexed = matches!(access.shape, Shape::Indexed | Shape::IndexedOrdered);
        if !is_indexed || fields.fields() > 1 || self.entry(site, vtype).is_none() {
            return None;
        }
        let [group, data] = [fields.vs2(), fields.vd()].map(|register| register as usize * self.vlenb);
        Some(Indices { group, width: fields.width(), data, stores: access.kind == AccessKind::Store })
    }

    /// What a unit-stride access of `vl` elements or segments, fault-only-first or not, or a whole-register access moves
    /// under a `vtype`; `None` if it is another, or illegal, or depends on a `vl` that is not known.
    pub fn transfer(&self, site: &Site<'_>, vtype: Vtype, vl: Option<u64>) -> Option<Transfer> {
        let [access] = &site.effects.memory[..] else { return None };
        let (fields, stores) = (Fields(site.word), access.kind == AccessKind::Store);
        let plain = Transfer {
            register: fields.vd() as usize * self.vlenb,
            stores,
            fields: 1,
            ..Transfer::default()
        };
        match access.shape {
            Shape::UnitStride | Shape::FaultOnlyFirst => {
                let masked = fields.masked();
                if masked && (access.shape == Shape::FaultOnlyFirst || self.fills()) {
                    return None;
                }
                let width = fields.width();
                check::supported(vtype).ok()?;
                let segment = Segment::under(self, vtype, fields, width).ok()?;
                let group = Vtype { lmul: vtype.lmul + width as i8 - vtype.sew as i8, ..vtype };
                Some(Transfer {
                    bytes: vl? << width,
                    tail_end: if stores { 0 } else { self.tail_end(group) },
                    fields: segment.count as usize,
                    distance: segment.registers() as usize * self.vlenb,
                    width,
                    masked,
                    ..plain
                })
            }
            Shape::WholeRegister => {
                Some(Transfer { bytes: whole::bytes(self, fields).ok()? as u64, ..plain })
            }
            _ => None,
        }
    }
}
