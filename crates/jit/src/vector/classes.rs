//! Classes of floating-point numbers: the bounds that a magnitude reaches are counted, and a table has the class of each
//! count.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::cache::COLUMN;
use super::flags;
use super::formats::Format;
use crate::builder::Builder;

/// Bytes of classes. Each has one bit of ten, and only NaNs have one in the second byte.
const TABLE: [u8; COLUMN] = [
    // Zero, subnormal and normal numbers, infinities.
    1 << 4,
    1 << 5,
    1 << 6,
    1 << 7,
    // NaNs; the second bytes of others.
    0,
    0,
    // The second bytes of signaling and quiet NaNs.
    1,
    2,
    // The same of the other sign: NaNs have none.
    1 << 3,
    1 << 2,
    1 << 1,
    1,
    0,
    0,
    0,
    0,
];
/// Where the classes of negative numbers are.
const NEGATIVE: u64 = 8;
/// Places for the bytes of a number that has reached no bound, the first of which is the table's.
const FIRST: u64 = 0x0505_0505_0505_0500;

impl Builder<'_, '_> {
    /// The classes of numbers, a bit of ten each.
    pub(super) fn class_of(&mut self, number: Value, format: &Format) -> Value {
        let &Format { bits: ty, sign, least, most, .. } = format;
        let bits = self.as_lanes(number, ty);
        let magnitude = self.lanes_constant(!sign, ty);
        let magnitude = self.ins.ins().band(bits, magnitude);
        let quiet = most | least >> 1;
        let mut reached = |first: u64| {
            let last = self.lanes_constant(first - 1, ty);
            self.ins.ins().icmp(IntCC::SignedGreaterThan, magnitude, last)
        };
        let [subnormal, normal, infinite] = [1, least, most].map(&mut reached);
        let [signaling, quiet] = [most + 1, quiet].map(reached);
        // A lane of ones is -1.
        let among_numbers = self.ins.ins().iadd(subnormal, normal);
        let among_nans = self.ins.ins().iadd(signaling, quiet);
        let all = self.ins.ins().iadd(among_numbers, infinite);
        let all = self.ins.ins().iadd(all, among_nans);
        let second = self.ins.ins().ishl_imm_u(among_nans, 8);
        let all = self.ins.ins().iadd(all, second);
        let places = self.lanes_constant(FIRST, ty);
        let places = self.ins.ins().isub(places, all);
        let negative = self.ins.ins().ushr_imm_u(bits, i64::from(ty.lane_bits()) - 4);
        let is_negative = self.lanes_constant(NEGATIVE, ty);
        let negative = self.ins.ins().band(negative, is_negative);
        let places = self.ins.ins().bor(places, negative);
        let places = self.ins.ins().bitcast(types::I8X16, flags(), places);
        let table = self.ins.func.dfg.constants.insert(TABLE.to_vec().into());
        let table = self.ins.ins().vconst(types::I8X16, table);
        let classes = self.ins.ins().swizzle(table, places);
        self.ins.ins().bitcast(ty, flags(), classes)
    }
}
