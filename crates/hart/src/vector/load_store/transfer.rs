//! Accesses that move a part of the register file and of memory as it is, or field by field, for compiled code.

use isa::operands::{AccessKind, Shape, Site};

use super::segment::Segment;
use super::{indexed, whole};
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

/// Where the elements or segments of an access are that are not side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Places {
    /// So far from the base address as a group says.
    Indices {
        /// Its offset in the register file.
        group: usize,
        /// log2 of the bytes of an index.
        width: u8,
    },
    /// As far from each other as this register says.
    Stride(u16),
}

/// What such an access moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scattered {
    /// Register of the base address.
    pub base: u16,
    /// Where in memory.
    pub places: Places,
    /// Offset of the data in the register file.
    pub data: usize,
    /// Fields of a segment.
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

impl VectorUnit {
    /// What an access by indices or a stride moves under a `vtype`; `None` if it is another, or illegal, or agnostic elements
    /// become ones.
    pub fn scattered(&self, site: &Site<'_>, vtype: Vtype) -> Option<Scattered> {
        let [access] = &site.effects.memory[..] else { return None };
        let fields = Fields(site.word);
        let (width, stores) = (fields.width(), access.kind == AccessKind::Store);
        if self.fills() || check::supported(vtype).is_err() {
            return None;
        }
        let (places, width, segment) = match access.shape {
            Shape::Indexed | Shape::IndexedOrdered => {
                let group = fields.vs2() as usize * self.vlenb;
                let segment = match stores {
                    true => indexed::storable(self, vtype, fields).ok()?,
                    false => indexed::loadable(self, vtype, fields).ok()?.0,
                };
                (Places::Indices { group, width }, vtype.sew, segment)
            }
            Shape::Strided => {
                let segment = Segment::under(self, vtype, fields, width).ok()?;
                match stores {
                    true => segment.readable(self, vtype, fields, None).ok()?,
                    false => self.spares_mask(fields).ok()?,
                }
                (Places::Stride(fields.vs2() as u16), width, segment)
            }
            _ => return None,
        };
        Some(Scattered {
            base: fields.rs1() as u16,
            places,
            data: fields.vd() as usize * self.vlenb,
            fields: fields.fields() as usize,
            distance: segment.registers() as usize * self.vlenb,
            width,
            masked: fields.masked(),
            stores,
        })
    }

    /// What a unit-stride access of `vl` elements or segments, fault-only-first or not, or one of a mask or of whole registers
    /// moves under a `vtype`; `None` if it is another, or illegal, or depends on a `vl` that is not known.
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
                if masked && self.fills() {
                    return None;
                }
                let width = fields.width();
                check::supported(vtype).ok()?;
                let segment = Segment::under(self, vtype, fields, width).ok()?;
                match stores {
                    true => segment.readable(self, vtype, fields, None).ok()?,
                    false => self.spares_mask(fields).ok()?,
                }
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
            Shape::Mask => {
                check::supported(vtype).ok()?;
                // Masks are tail-agnostic whatever `vtype` says.
                let tail_end = if self.fills() && !stores { self.vlenb } else { 0 };
                Some(Transfer { bytes: vl?.div_ceil(8), tail_end, ..plain })
            }
            _ => None,
        }
    }
}
