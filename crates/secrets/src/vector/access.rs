//! Loads and stores of vectors: where their elements are, and what moves.

use hart::unit::Fields;
use isa::operands::{AccessKind, Shape};

use super::Instruction;
use super::walk::Active;
use crate::bits::{self, Bits, ones};
use crate::finding::Kind;
use crate::shadow::{Secret, Shadow};

/// Where the elements of an access are.
struct Places {
    /// Bytes of an element, elements, fields of a segment, and registers of a field.
    bytes: usize,
    elements: std::ops::Range<usize>,
    fields: usize,
    registers: usize,
    /// Bytes of an index, if it has indices.
    index: Option<usize>,
    /// From one element to the next.
    stride: u64,
    /// Whether v0 and `vl` are about them.
    is_masked: bool,
}

impl Shadow {
    pub(super) fn access(&mut self, instruction: &Instruction<'_>) {
        let [access] = &instruction.site.effects.memory[..] else { return self.whole(instruction) };
        let (fields, hart) = (Fields(instruction.site.word), instruction.hart);
        let is_load = access.kind == AccessKind::Load;
        let kind = if is_load { Kind::LoadAddress } else { Kind::StoreAddress };
        let places = self.places(instruction, access.shape);
        let (mask, xlen) = (self.xlen.mask(), u32::from(self.xlen.bits()));
        let base = self.slot(fields.rs1() as u16);
        let base_bits = Bits { value: hart.x(fields.rs1() as u16), secret: base.bits };
        let mut hidden = Secret { bits: base.bits & mask, trail: base.trail };
        let mut seen = self.seen(base.bits) != 0 && !places.elements.is_empty();
        if access.shape == Shape::Strided {
            let stride = self.slot(fields.rs2() as u16);
            // Any multiple of a secret number may reach any bit above its lowest.
            seen |= self.seen(!ones(stride.bits.trailing_zeros()) & mask) != 0 && stride.bits != 0;
            hidden = hidden.or(stride);
        }
        let length = self.vectors.length;
        if length.bits != 0 && access.shape != Shape::WholeRegister {
            self.find(Kind::VectorLength, length.trail);
            hidden = hidden.or(length);
        }
        if seen {
            self.find(kind, hidden.trail);
        }
        let data = instruction.vd() as usize * instruction.vlenb;
        let size = places.registers * instruction.vlenb;
        let mut pending = std::mem::take(&mut self.pending);
        if is_load {
            pending.begin(&self.vectors, instruction.vd(), places.fields * places.registers);
        }
        pending.is_active = true;
        let mut moved = hidden;
        for element in places.elements.clone() {
            let active = if places.is_masked { self.active(instruction, element) } else { Active::Yes };
            let mut secret = hidden;
            match active {
                Active::No => continue,
                Active::Yes => {}
                Active::Secret => {
                    secret = Secret { bits: u64::MAX, trail: self.vectors.trail(0) };
                    self.find(kind, secret.trail);
                }
            }
            let mut address =
                hart.x(fields.rs1() as u16).wrapping_add(places.stride.wrapping_mul(element as u64));
            if let Some(bytes) = places.index {
                let at = fields.rs2() as usize * instruction.vlenb + element * bytes;
                let offset =
                    Bits { value: instruction.value(at, bytes), secret: self.vectors.get(at, bytes) };
                address = address.wrapping_add(offset.value);
                if offset.secret != 0 {
                    let trail = self.vectors.trail(at);
                    if self.seen(bits::add(base_bits, offset, xlen)) != 0 {
                        self.find(kind, trail);
                    }
                    secret = secret.or(Secret { bits: offset.secret, trail });
                }
            }
            for field in 0..places.fields {
                let address = address.wrapping_add((field * places.bytes) as u64);
                let at = field * size + element * places.bytes;
                if is_load {
                    let mut found = secret;
                    for byte in 0..places.bytes {
                        let (bits, trail) = self.memory.byte(address.wrapping_add(byte as u64) & mask);
                        found = found.or(Secret { bits: bits.into(), trail });
                        let bits = if secret.bits != 0 { 0xff } else { bits };
                        // Where only the first element may fault, others may not be loaded.
                        let before = u64::from(pending.bytes.get(at + byte).copied().unwrap_or(0));
                        let kept = if access.shape == Shape::FaultOnlyFirst { before } else { 0 };
                        pending.set(at + byte, 1, u64::from(bits) | kept);
                    }
                    moved = moved.or(found);
                } else {
                    for byte in 0..places.bytes {
                        let held = self.vectors.get(data + at + byte, 1);
                        moved = moved.or(Secret { bits: held, trail: self.vectors.trail(data + at + byte) });
                        let bits = if secret.bits != 0 { 0xff } else { held as u8 };
                        pending.stores.push((address.wrapping_add(byte as u64) & mask, bits));
                    }
                    moved = moved.or(secret);
                }
            }
        }
        pending.trail = Some(moved.trail).filter(|_| moved.bits != 0);
        self.pending = pending;
    }

    fn places(&self, instruction: &Instruction<'_>, shape: Shape) -> Places {
        let fields = Fields(instruction.site.word);
        let (named, sew, vl) = (fields.width(), instruction.sew, instruction.vl);
        let registers = |width: u8| 1 << (instruction.lmul + width as i8 - sew as i8).max(0);
        let element = 1 << named;
        let segments = Places {
            bytes: element,
            elements: instruction.body(),
            fields: fields.fields() as usize,
            registers: registers(named),
            index: None,
            stride: (element * fields.fields() as usize) as u64,
            is_masked: true,
        };
        match shape {
            Shape::UnitStride | Shape::FaultOnlyFirst => segments,
            Shape::Strided => {
                let stride = instruction.hart.x(fields.rs2() as u16);
                let stride = bits::sign_extended(stride, self.xlen.bits().into());
                Places { stride, ..segments }
            }
            Shape::Indexed | Shape::IndexedOrdered => Places {
                bytes: 1 << sew,
                registers: registers(sew),
                index: Some(element),
                stride: 0,
                ..segments
            },
            Shape::WholeRegister => {
                let registers = fields.fields() as usize;
                let bytes = registers * instruction.vlenb;
                let skipped = instruction.vstart << named;
                Places {
                    bytes: 1,
                    elements: skipped.min(bytes)..bytes,
                    fields: 1,
                    registers,
                    index: None,
                    stride: 1,
                    is_masked: false,
                }
            }
            Shape::Mask => Places {
                bytes: 1,
                elements: instruction.vstart..vl.div_ceil(8),
                fields: 1,
                registers: 1,
                index: None,
                stride: 1,
                is_masked: false,
            },
            // Those of integer registers are none of a unit's.
            Shape::Scalar => Places { elements: 0..0, ..segments },
        }
    }
}
