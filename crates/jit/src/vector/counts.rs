//! Running counts of the set bits of a mask, in lanes of the host's registers.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use hart::vector::Vtype;
use hart::vector::compiled::Resolved;

use super::cache::COLUMN;
use super::flags;
use super::lanes::lanes_of_width;
use crate::builder::Builder;

/// Lanes of bytes that one shift of doublewords moves.
const EIGHT: usize = 8;

impl Builder<'_, '_> {
    /// Compiles a legal `viota.m` of a short body of whole columns; false if it is not one.
    pub(super) fn counted(&mut self, resolved: &Resolved, vtype: Vtype) -> bool {
        let Some(body) = self.short_body(resolved, vtype) else { return false };
        let Some(is_masked) = resolved.keeps_masked_off() else { return false };
        if self.region.vector.vlenb() < COLUMN {
            return false;
        }
        let mut bits = self.column(resolved.a, types::I8X16);
        if is_masked {
            let active = self.column(0, types::I8X16);
            bits = self.ins.ins().band(bits, active);
        }
        let counts = self.counts(bits, body >> vtype.sew);
        for column in (0..body).step_by(COLUMN) {
            let part = column / COLUMN;
            // Which half of the bytes, which half of that, and so on.
            let widen = |value, step| self.widened(value, false, part >> step & 1 == 1);
            let mut value = (0..vtype.sew).rev().fold(counts[part >> vtype.sew], widen);
            if is_masked {
                value = self.where_active(value, resolved.d, column, vtype.sew);
            }
            self.set_column(resolved.d + column, value);
        }
        self.settle_columns();
        true
    }

    /// Compiles a legal, unmasked `vid.v` of a short body of whole columns; false if it is not one.
    pub(super) fn numbered(&mut self, resolved: &Resolved, vtype: Vtype) -> bool {
        let Some(body) = self.short_body(resolved, vtype) else { return false };
        let ty = lanes_of_width(vtype.sew);
        for column in (0..body).step_by(COLUMN) {
            let numbers = (column >> vtype.sew..(column + COLUMN) >> vtype.sew).map(|number| number as u64);
            let bytes: Vec<u8> =
                numbers.flat_map(|number| number.to_le_bytes().into_iter().take(1 << vtype.sew)).collect();
            let constant = self.ins.func.dfg.constants.insert(bytes.into());
            let value = self.ins.ins().vconst(ty, constant);
            self.set_column(resolved.d + column, value);
        }
        self.settle_columns();
        true
    }

    /// How many bits are set below each of the first ones of a column, at most 128, as bytes.
    fn counts(&mut self, bits: Value, count: usize) -> Vec<Value> {
        let mut before = None;
        let mut columns = Vec::new();
        for first in (0..count).step_by(COLUMN) {
            // A lane of ones is -1, and sums are negative.
            let set = self.lanes_of_bits(bits, first, types::I8X16);
            let mut sums = set;
            let mut lanes = 1;
            while lanes < EIGHT.min(count) {
                let wide = self.ins.ins().bitcast(types::I64X2, flags(), sums);
                let moved = self.ins.ins().ishl_imm_u(wide, 8 * lanes as i64);
                let moved = self.as_bytes(moved);
                sums = self.ins.ins().iadd(sums, moved);
                lanes *= 2;
            }
            if count > EIGHT {
                // The sum of the first eight comes to the others.
                let last = self.byte_in_all(sums, EIGHT - 1);
                let upper: [u8; COLUMN] = std::array::from_fn(|byte| if byte < EIGHT { 0 } else { 0xff });
                let upper = self.ins.func.dfg.constants.insert(upper.to_vec().into());
                let upper = self.ins.ins().vconst(types::I8X16, upper);
                let lower_sum = self.ins.ins().band(last, upper);
                sums = self.ins.ins().iadd(sums, lower_sum);
            }
            if let Some(before) = before {
                sums = self.ins.ins().iadd(sums, before);
            }
            columns.push(self.ins.ins().isub(set, sums));
            if first + COLUMN < count {
                before = Some(self.byte_in_all(sums, COLUMN - 1));
            }
        }
        columns
    }

    /// One byte of a column in all lanes.
    fn byte_in_all(&mut self, column: Value, byte: usize) -> Value {
        let order = self.ins.func.dfg.immediates.push(vec![byte as u8; COLUMN].into());
        self.ins.ins().shuffle(column, column, order)
    }
}
