//! Reductions of integers: columns are combined, then the halves of what is left.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use engine::uop::Uop;
use hart::vector::compiled::{Operation, Reduction};

use super::cache::COLUMN;
use super::flags;
use super::lanes::{LONGEST, lanes_of_width};
use crate::builder::{Builder, Place};

/// Whether elements become twice as wide before, with their signs or not.
const fn doubles(reduction: Reduction) -> Option<bool> {
    match reduction {
        Reduction::VWREDSUMU => Some(false),
        Reduction::VWREDSUM => Some(true),
        _ => None,
    }
}

/// What changes no result, as an element of so many bits.
const fn neutral(reduction: Reduction, bits: u32) -> u64 {
    let ones = u64::MAX >> (64 - bits);
    match reduction {
        Reduction::VREDAND | Reduction::VREDMINU => ones,
        Reduction::VREDMIN => ones >> 1,
        Reduction::VREDMAX => ones ^ ones >> 1,
        Reduction::VREDSUM
        | Reduction::VREDOR
        | Reduction::VREDXOR
        | Reduction::VREDMAXU
        | Reduction::VWREDSUMU
        | Reduction::VWREDSUM => 0,
    }
}

impl Builder<'_, '_> {
    /// Compiles a legal reduction of a short body of whole columns that fills no tail; false if it is not one.
    pub(super) fn reduced(
        &mut self,
        operation: &Operation,
        reduction: Reduction,
        uop: Uop,
        place: Place,
    ) -> bool {
        let unit = self.region.vector;
        let (Some(vtype), Some(vl)) = (self.vector.vtype, self.vector.vl) else { return false };
        let Some(registers) = operation.registers(unit, uop.word(), vtype) else { return false };
        let body = vl << vtype.sew;
        let is_short = body > 0 && body <= LONGEST && body.is_multiple_of(COLUMN as u64);
        if !is_short || registers.tail_end > 0 || unit.vlenb() < COLUMN {
            return false;
        }
        self.expect(Some(vtype), place);
        let ([d, a, b], is_masked) = (registers.of, registers.masked_off.is_some());
        let mut columns = Vec::new();
        for column in (0..body as usize).step_by(COLUMN) {
            let mut lanes = self.column(a + column, lanes_of_width(vtype.sew));
            if is_masked {
                lanes = self.neutral_where_masked_off(reduction, lanes, column, vtype.sew);
            }
            match doubles(reduction) {
                Some(signed) => {
                    columns.extend([false, true].map(|is_high| self.widened(lanes, signed, is_high)));
                }
                None => columns.push(lanes),
            }
        }
        let Some(all) = columns.into_iter().reduce(|a, b| self.combined(reduction, a, b)) else {
            return false;
        };
        let lane = self.ins.func.dfg.value_type(all).lane_type().bytes() as usize;
        let all = self.combined_lanes(reduction, all);
        let first = self.column(b, lanes_of_width(lane.ilog2() as u8));
        let value = self.combined(reduction, first, all);
        let [value, others] = [value, self.column(d, types::I8X16)].map(|lanes| self.as_bytes(lanes));
        let from = |byte: usize| if byte < lane { COLUMN + byte } else { byte };
        let value = self.chosen(others, value, from);
        self.set_column(d, value);
        self.settle_columns();
        true
    }

    /// A column of elements of a width (log2 of bytes), of which those that are masked off change nothing.
    fn neutral_where_masked_off(
        &mut self,
        reduction: Reduction,
        lanes: Value,
        column: usize,
        sew: u8,
    ) -> Value {
        let ty = lanes_of_width(sew);
        let active = self.bits_of_mask(0, column >> sew, ty);
        match neutral(reduction, ty.lane_bits()) {
            0 => self.ins.ins().band(lanes, active),
            other => {
                let other = self.lanes_constant(other, ty);
                self.ins.ins().bitselect(active, lanes, other)
            }
        }
    }

    /// All lanes of a column combined, in each of them.
    pub(super) fn combined_lanes(&mut self, reduction: Reduction, mut lanes: Value) -> Value {
        let ty = self.ins.func.dfg.value_type(lanes);
        let mut distance = COLUMN / 2;
        while distance >= ty.lane_type().bytes() as usize {
            let bytes = self.as_bytes(lanes);
            let moved = self.chosen(bytes, bytes, |byte| (byte + distance) % COLUMN);
            let moved = self.ins.ins().bitcast(ty, flags(), moved);
            lanes = self.combined(reduction, lanes, moved);
            distance /= 2;
        }
        lanes
    }

    pub(super) fn combined(&mut self, reduction: Reduction, a: Value, b: Value) -> Value {
        let is_wide = self.ins.func.dfg.value_type(a) == types::I64X2;
        let (condition, narrow): (_, fn(&mut Self, Value, Value) -> Value) = match reduction {
            Reduction::VREDSUM | Reduction::VWREDSUMU | Reduction::VWREDSUM => {
                return self.ins.ins().iadd(a, b);
            }
            Reduction::VREDAND => return self.ins.ins().band(a, b),
            Reduction::VREDOR => return self.ins.ins().bor(a, b),
            Reduction::VREDXOR => return self.ins.ins().bxor(a, b),
            Reduction::VREDMINU => (IntCC::UnsignedLessThan, |builder, a, b| builder.ins.ins().umin(a, b)),
            Reduction::VREDMIN => (IntCC::SignedLessThan, |builder, a, b| builder.ins.ins().smin(a, b)),
            Reduction::VREDMAXU => (IntCC::UnsignedGreaterThan, |builder, a, b| builder.ins.ins().umax(a, b)),
            Reduction::VREDMAX => (IntCC::SignedGreaterThan, |builder, a, b| builder.ins.ins().smax(a, b)),
        };
        if !is_wide {
            return narrow(self, a, b);
        }
        // Few hosts have it for doublewords.
        let is_first = self.ins.ins().icmp(condition, a, b);
        self.ins.ins().bitselect(is_first, a, b)
    }
}
