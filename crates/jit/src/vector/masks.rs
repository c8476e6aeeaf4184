//! Masks: comparisons of lanes of the host's registers, whose results are bits, and operations on bits.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use hart::vector::Vtype;
use hart::vector::compiled::{Compared, Comparison, Masking, Operation, Resolved, Source};
use isa::operands::{File, Site};

use super::cache::COLUMN;
use super::lanes::lanes_of_width;
use crate::builder::{Builder, Extension, Place};

/// Bits of a host's register.
const WORD: u64 = 64;
/// Bits of a column.
pub(super) const BITS: u64 = 8 * COLUMN as u64;
/// Most columns of masks that are done here.
const MOST: u64 = 8;

impl Builder<'_, '_> {
    /// Compiles a legal, unmasked comparison of a short body of whole columns and few elements; false if it is not one.
    pub(super) fn compared(&mut self, compared: Compared, resolved: &Resolved, vtype: Vtype) -> bool {
        let (Some(vl), Some(body)) = (self.vector.vl, self.short_body(resolved, vtype)) else { return false };
        if vl > WORD || !self.writes_masks() {
            return false;
        }
        let ty = lanes_of_width(vtype.sew);
        let same = self.same(resolved.b, ty);
        let vlenb = self.region.vector.vlenb();
        let lanes: Vec<Value> = (0..body)
            .step_by(COLUMN)
            .map(|column| {
                let a = self.column(resolved.a + column, ty);
                let b = match (resolved.b, same) {
                    (Source::Group(register), None) => self.column(register as usize * vlenb + column, ty),
                    (_, same) => same.unwrap_or(a),
                };
                let carry = compared.carries.then(|| self.bits_of_mask(0, column >> vtype.sew, ty));
                self.holds(compared.comparison, a, b, carry)
            })
            .collect();
        let bits = self.bits_of_lanes(&lanes);
        let value = self.with_bits(resolved.d, bits, vl);
        self.set_column(resolved.d, value);
        self.settle_columns();
        true
    }

    /// True if masks and scalars are written here: their tails stay, and their columns have no other registers in them.
    pub(super) fn writes_masks(&self) -> bool {
        !self.region.vector.fills() && self.region.vector.vlenb() >= COLUMN
    }

    /// Lanes of ones where a comparison holds; `carry` has ones where a bit of v0 is set.
    fn holds(&mut self, comparison: Comparison, a: Value, b: Value, carry: Option<Value>) -> Value {
        let condition = match comparison {
            Comparison::VMSEQ => IntCC::Equal,
            Comparison::VMSNE => IntCC::NotEqual,
            Comparison::VMSLTU | Comparison::VMSBC => IntCC::UnsignedLessThan,
            Comparison::VMSLT => IntCC::SignedLessThan,
            Comparison::VMSLEU => IntCC::UnsignedLessThanOrEqual,
            Comparison::VMSLE => IntCC::SignedLessThanOrEqual,
            Comparison::VMSGTU => IntCC::UnsignedGreaterThan,
            Comparison::VMSGT => IntCC::SignedGreaterThan,
            Comparison::VMADC => {
                let sum = self.ins.ins().iadd(a, b);
                let carries = self.ins.ins().icmp(IntCC::UnsignedLessThan, sum, a);
                // A sum of ones has not carried, and does with one more.
                return self.or_if_equal(carries, sum, carry, carry);
            }
        };
        let holds = self.ins.ins().icmp(condition, a, b);
        self.or_if_equal(holds, a, carry.map(|_| b), carry)
    }

    /// Lanes of ones where something holds, or where a carry comes to two equal lanes, if there are carries. One that is
    /// compared with a carry is ones.
    fn or_if_equal(&mut self, holds: Value, a: Value, b: Option<Value>, carry: Option<Value>) -> Value {
        let (Some(b), Some(carry)) = (b, carry) else { return holds };
        let are_equal = self.ins.ins().icmp(IntCC::Equal, a, b);
        let also = self.ins.ins().band(are_equal, carry);
        self.ins.ins().bor(holds, also)
    }

    /// A bit of each lane of ones, in the order of the columns, at most 64.
    pub(super) fn bits_of_lanes(&mut self, columns: &[Value]) -> Value {
        let mut bits = None;
        for (column, &lanes) in columns.iter().enumerate() {
            let first = column as u32 * self.ins.func.dfg.value_type(lanes).lane_count();
            let those = self.ins.ins().vhigh_bits(types::I64, lanes);
            bits = Some(match bits {
                Some(before) => {
                    let those = self.ins.ins().ishl_imm_u(those, i64::from(first));
                    self.ins.ins().bor(before, those)
                }
                None => those,
            });
        }
        bits.unwrap_or_else(|| self.constant(0))
    }

    /// A column with so many bits of a number first, at most 64. Bits of it beyond these are zero.
    pub(super) fn with_bits(&mut self, offset: usize, bits: Value, count: u64) -> Value {
        let lanes: Type = match count {
            ..=8 => types::I8X16,
            9..=16 => types::I16X8,
            17..=32 => types::I32X4,
            _ => types::I64X2,
        };
        let column = self.column(offset, lanes);
        let lane = lanes.lane_type();
        let mut bits = if lane == types::I64 { bits } else { self.ins.ins().ireduce(lane, bits) };
        if count < u64::from(lane.bits()) {
            let tail = self.ins.ins().extractlane(column, 0);
            let others = self
                .ins
                .ins()
                .iconst(lane, (u64::MAX << count & u64::MAX >> (WORD - u64::from(lane.bits()))) as i64);
            let tail = self.ins.ins().band(tail, others);
            bits = self.ins.ins().bor(bits, tail);
        }
        self.ins.ins().insertlane(column, bits, 0)
    }

    /// The same with those bits alone that v0 has, too.
    pub(super) fn with_active_bits(&mut self, offset: usize, bits: Value, count: u64) -> Value {
        let mask = self.column(0, types::I64X2);
        let mask = self.ins.ins().extractlane(mask, 0);
        let body = self.constant(u64::MAX >> (WORD - count));
        let active = self.ins.ins().band(mask, body);
        let column = self.column(offset, types::I64X2);
        let before = self.ins.ins().extractlane(column, 0);
        let bits = self.ins.ins().bitselect(active, bits, before);
        self.ins.ins().insertlane(column, bits, 0)
    }

    /// Compiles a legal instruction on masks; false if it is not one.
    pub(super) fn masks(
        &mut self,
        operation: &Operation,
        masking: Masking,
        site: Site<'_>,
        place: Place,
    ) -> bool {
        let (Some(vtype), Some(vl)) = (self.vector.vtype, self.vector.vl) else { return false };
        let registers = operation.registers(self.region.vector, site.word, vtype);
        let Some(registers) = registers.filter(|_| self.writes_masks()) else { return false };
        let ([d, a, b], is_masked) = (registers.of, registers.masked_off.is_some());
        let combine: fn(&mut Self, Value, Value) -> Value = match masking {
            Masking::VMAND => |builder, a, b| builder.ins.ins().band(a, b),
            Masking::VMNAND => |builder, a, b| {
                let both = builder.ins.ins().band(a, b);
                builder.ins.ins().bnot(both)
            },
            Masking::VMANDN => |builder, a, b| builder.ins.ins().band_not(a, b),
            Masking::VMXOR => |builder, a, b| builder.ins.ins().bxor(a, b),
            Masking::VMOR => |builder, a, b| builder.ins.ins().bor(a, b),
            Masking::VMNOR => |builder, a, b| {
                let either = builder.ins.ins().bor(a, b);
                builder.ins.ins().bnot(either)
            },
            Masking::VMORN => |builder, a, b| {
                let b = builder.ins.ins().bnot(b);
                builder.ins.ins().bor(a, b)
            },
            Masking::VMXNOR => |builder, a, b| {
                let differ = builder.ins.ins().bxor(a, b);
                builder.ins.ins().bnot(differ)
            },
            Masking::VCPOP | Masking::VFIRST | Masking::VMSBF | Masking::VMSIF | Masking::VMSOF => {
                if vl == 0 || vl > WORD {
                    return false;
                }
                self.expect(Some(vtype), place);
                self.first_bits(masking, [d, a], vl, site, is_masked);
                self.settle_columns();
                return true;
            }
        };
        if vl > MOST * BITS {
            return false;
        }
        self.expect(Some(vtype), place);
        for first in (0..vl).step_by(BITS as usize) {
            let at = (first / 8) as usize;
            let [a, b] = [a, b].map(|register| self.column(register + at, types::I64X2));
            let value = combine(self, a, b);
            let value = self.before_tail(value, d + at, vl - first);
            self.set_column(d + at, value);
        }
        self.settle_columns();
        true
    }

    /// The first bits of a column, and the others of the one at an offset.
    fn before_tail(&mut self, value: Value, offset: usize, count: u64) -> Value {
        if count >= BITS {
            return value;
        }
        let body: [u8; COLUMN] = (u128::MAX >> (BITS - count)).to_le_bytes();
        let body = self.ins.func.dfg.constants.insert(body.to_vec().into());
        let body = self.ins.ins().vconst(types::I64X2, body);
        let tail = self.column(offset, types::I64X2);
        self.ins.ins().bitselect(body, value, tail)
    }

    /// What depends on the first bit that is set, or on how many are, of at most 64.
    fn first_bits(&mut self, masking: Masking, [d, a]: [usize; 2], vl: u64, site: Site<'_>, is_masked: bool) {
        let word = |builder: &mut Self, offset| {
            let column = builder.column(offset, types::I64X2);
            builder.ins.ins().extractlane(column, 0)
        };
        let body = self.constant(u64::MAX >> (WORD - vl));
        let active = if is_masked {
            let mask = word(self, 0);
            self.ins.ins().band(mask, body)
        } else {
            body
        };
        let bits = word(self, a);
        let bits = self.ins.ins().band(bits, active);
        let one = self.constant(1);
        let value = match masking {
            Masking::VCPOP => self.ins.ins().popcnt(bits),
            Masking::VFIRST => {
                let first = self.ins.ins().ctz(bits);
                let none = self.constant(u64::MAX);
                self.ins.ins().select(bits, first, none)
            }
            Masking::VMSBF => {
                let below = self.ins.ins().isub(bits, one);
                self.ins.ins().band_not(below, bits)
            }
            Masking::VMSIF => {
                let below = self.ins.ins().isub(bits, one);
                self.ins.ins().bxor(below, bits)
            }
            _ => {
                let negative = self.ins.ins().ineg(bits);
                self.ins.ins().band(bits, negative)
            }
        };
        if matches!(masking, Masking::VCPOP | Masking::VFIRST) {
            let value = if self.rv32 { self.extend_low(value, Extension::Zero) } else { value };
            self.set(site.writes(File::X).flatten().next().unwrap_or(0), value);
        } else {
            let mut value = self.ins.ins().band(value, active);
            if is_masked {
                let before = word(self, d);
                let others = self.ins.ins().band_not(body, active);
                let before = self.ins.ins().band(before, others);
                value = self.ins.ins().bor(value, before);
            }
            let value = self.with_bits(d, value, vl);
            self.set_column(d, value);
        }
    }
}
