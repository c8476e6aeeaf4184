//! Carries, borrows and merges as SIMD instructions of the host. The bits of v0 become masks of lanes.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use hart::vector::Vtype;
use hart::vector::compiled::{Carry, Resolved, Source};

use super::cache::COLUMN;
use super::flags;
use super::lanes::lanes_of_width;
use crate::builder::Builder;

impl Builder<'_, '_> {
    /// Compiles a legal instruction of a short body of whole columns; false if it is not one.
    pub(super) fn carried(&mut self, carry: Carry, resolved: &Resolved, vtype: Vtype) -> bool {
        let Some(body) = self.short_body(resolved, vtype) else { return false };
        let ty = lanes_of_width(vtype.sew);
        let same = self.same(resolved.b, ty);
        let vlenb = self.region.vector.vlenb();
        for column in (0..body).step_by(COLUMN) {
            let mask = self.bits_of_mask(0, column >> vtype.sew, ty);
            let a = self.column(resolved.a + column, ty);
            let b = match (resolved.b, same) {
                (Source::Group(register), _) => self.column(register as usize * vlenb + column, ty),
                (_, Some(same)) => same,
                _ => a,
            };
            // A lane of ones is -1.
            let value = match carry {
                Carry::VADC => {
                    let sum = self.ins.ins().iadd(a, b);
                    self.ins.ins().isub(sum, mask)
                }
                Carry::VSBC => {
                    let difference = self.ins.ins().isub(a, b);
                    self.ins.ins().iadd(difference, mask)
                }
                Carry::VMERGE => self.ins.ins().bitselect(mask, b, a),
            };
            self.set_column(resolved.d + column, value);
        }
        self.settle_columns();
        true
    }

    /// A second operand that is the same for all columns.
    pub(super) fn same(&mut self, second: Source, ty: Type) -> Option<Value> {
        if let Source::Group(_) = second {
            return None;
        }
        let value = self.second(second);
        Some(self.splat(value, ty))
    }

    /// Ones in the lanes whose bits of the mask at an offset are set, from a bit on. A short body needs no bits past the
    /// first column.
    pub(super) fn bits_of_mask(&mut self, mask: usize, first: usize, ty: Type) -> Value {
        let mask = self.column(mask, types::I8X16);
        self.lanes_of_bits(mask, first, ty)
    }

    /// The same of a mask whose first column is a value.
    pub(super) fn lanes_of_bits(&mut self, mask: Value, first: usize, ty: Type) -> Value {
        let bytes = self.bytes_of_bits(mask, first, ty);
        self.set_in(bytes, first, ty)
    }

    /// The same of so many columns side by side. Some have all their bits in one byte, and what comes of that once.
    pub(super) fn masks_in(&mut self, ty: Type, columns: usize) -> Vec<Value> {
        let (mask, count) = (self.column(0, types::I8X16), ty.lane_count() as usize);
        let mut bytes: Option<(usize, Value)> = None;
        let of = |first: usize| {
            let all = match bytes {
                Some((byte, all)) if byte == first / 8 && count < 8 => all,
                _ => self.bytes_of_bits(mask, first, ty),
            };
            bytes = Some((first / 8, all));
            self.set_in(all, first, ty)
        };
        (0..columns * count).step_by(count).map(of).collect()
    }

    /// In each lane, the byte of a mask that has its bit, from a bit on.
    fn bytes_of_bits(&mut self, mask: Value, first: usize, ty: Type) -> Value {
        let lane = ty.lane_type().bytes() as usize;
        let byte_of = |byte: usize| ((first + byte / lane) / 8) as u8;
        let order: [u8; COLUMN] = std::array::from_fn(byte_of);
        let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
        let bytes = self.ins.ins().shuffle(mask, mask, order);
        self.ins.ins().bitcast(ty, flags(), bytes)
    }

    /// Ones in the lanes that have their bits set in such bytes.
    fn set_in(&mut self, bytes: Value, first: usize, ty: Type) -> Value {
        let lane = ty.lane_type().bytes() as usize;
        let bit_of =
            |byte: usize| if byte.is_multiple_of(lane) { 1_u8 << ((first + byte / lane) % 8) } else { 0 };
        let bits: [u8; COLUMN] = std::array::from_fn(bit_of);
        let constant = self.ins.func.dfg.constants.insert(bits.to_vec().into());
        let bits = self.ins.ins().vconst(ty, constant);
        let set = self.ins.ins().band(bytes, bits);
        self.ins.ins().icmp(IntCC::Equal, set, bits)
    }
}
