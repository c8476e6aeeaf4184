//! Reductions of floating-point numbers: sums in the order of the elements, the least and the greatest of them.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hart::vector::compiled::Second;

use super::cache::COLUMN;
use super::doubles::Half;
use super::formats::{DOUBLE, Format, Numbers};
use super::guarded::{Computed, Guarded};
use crate::builder::Builder;

impl Builder<'_, '_> {
    /// The first element of `vs1` in all lanes.
    fn first(&mut self, guarded: &Guarded, format: &Format) -> Value {
        let register = match guarded.operands.b {
            Second::Group(register) => register as usize,
            _ => 0,
        };
        let column = self.column(register * self.region.vector.vlenb(), format.numbers);
        let first = self.ins.ins().extractlane(column, 0);
        self.ins.ins().splat(format.numbers, first)
    }

    /// The column of `vd` with the first lane of another.
    fn with_first(&mut self, guarded: &Guarded, format: &Format, lanes: Value) -> Value {
        let lanes = self.as_lanes(lanes, format.numbers);
        let first = self.ins.ins().extractlane(lanes, 0);
        let column = self.column(guarded.operands.d, format.numbers);
        self.ins.ins().insertlane(column, first, 0)
    }

    /// Numbers where they are active, and elsewhere what adds nothing to any: −0.
    fn addends(&mut self, numbers: &[Value], masks: &[Value], format: &Format) -> Vec<Value> {
        let of = |(index, &numbers): (usize, &Value)| match masks.get(index) {
            Some(&mask) => {
                let none = self.lanes_constant(format.sign, format.bits);
                let bits = self.as_lanes(numbers, format.bits);
                let bits = self.ins.ins().bitselect(mask, bits, none);
                self.as_lanes(bits, format.numbers)
            }
            None => numbers,
        };
        numbers.iter().enumerate().map(of).collect()
    }

    /// The sum of the first element of `vs1` and of all lanes, one after the other, if it is finite: an infinity or a NaN in
    /// between would still be there at the end.
    fn in_order(&mut self, guarded: &Guarded, columns: &[Value], format: &Format) -> Computed {
        let first = self.first(guarded, format);
        let mut sum = self.ins.ins().extractlane(first, 0);
        for &column in columns {
            for lane in 0..format.numbers.lane_count() {
                let number = self.ins.ins().extractlane(column, lane as u8);
                sum = self.ins.ins().fadd(sum, number);
            }
        }
        let sum = self.ins.ins().splat(format.numbers, sum);
        let fits = self.are_plain(&[sum], format, true);
        Computed { is_merged: true, ..Computed::where_fit(vec![self.with_first(guarded, format, sum)], fits) }
    }

    /// The sum of numbers of SEW.
    pub(super) fn folded_sum(&mut self, guarded: &Guarded, numbers: &[Numbers]) -> Computed {
        let numbers: Vec<Value> = numbers.iter().map(|numbers| numbers.a).collect();
        let masks = self.masks_of(guarded);
        let addends = self.addends(&numbers, &masks, &guarded.format);
        self.in_order(guarded, &addends, &guarded.format)
    }

    /// The sum, as a double, of singles.
    pub(super) fn folded_wide_sum(&mut self, guarded: &Guarded) -> Computed {
        let Guarded { operands, format, body, .. } = *guarded;
        let columns = (0..body).step_by(COLUMN);
        let singles: Vec<Value> =
            columns.map(|column| self.column(operands.a + column, format.numbers)).collect();
        let masks = self.masks_of(guarded);
        let singles = self.addends(&singles, &masks, &format);
        let doubles: Vec<Value> = singles
            .into_iter()
            .flat_map(|singles| [false, true].map(|is_high| (singles, Half { column: 0, is_high })))
            .map(|(singles, half)| self.promoted_half(singles, half))
            .collect();
        self.in_order(guarded, &doubles, &DOUBLE)
    }

    /// The least or the greatest of the first element of `vs1` and of all numbers, if none is a NaN.
    pub(super) fn folded_extreme(&mut self, guarded: &Guarded, numbers: &[Numbers], least: bool) -> Computed {
        let format = guarded.format;
        let masks = self.masks_of(guarded);
        let first = self.first(guarded, &format);
        let first_key = self.key(first, &format);
        let (mut keys, mut fits) = (vec![first_key], Vec::new());
        for (index, numbers) in numbers.iter().enumerate() {
            let key = self.key(numbers.a, &format);
            keys.push(match masks.get(index) {
                Some(&mask) => self.ins.ins().bitselect(mask, key, first_key),
                None => key,
            });
            fits.push(self.ins.ins().fcmp(FloatCC::Ordered, numbers.a, first));
        }
        let fits = self.of_active(&fits, &masks);
        while keys.len() > 1 {
            keys = keys.chunks(2).map(|pair| self.better(pair, least)).collect();
        }
        let mut best = keys[0];
        // The upper half of the lanes, then the second of two.
        let mut bytes = COLUMN / 2;
        while bytes >= format.bits.lane_type().bytes() as usize {
            let order: [u8; COLUMN] = std::array::from_fn(|byte| (byte ^ bytes) as u8);
            let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
            let all = self.as_bytes(best);
            let others = self.ins.ins().shuffle(all, all, order);
            let others = self.as_lanes(others, format.bits);
            best = self.better(&[best, others], least);
            bytes /= 2;
        }
        let bits = self.key(best, &format);
        Computed {
            is_merged: true,
            ..Computed::where_fit(vec![self.with_first(guarded, &format, bits)], fits)
        }
    }

    /// Integers with signs in the order of numbers, −0 before +0; of these integers, the numbers' bits.
    fn key(&mut self, number: Value, format: &Format) -> Value {
        let bits = self.as_lanes(number, format.bits);
        let [zero, magnitude] = [0, !format.sign].map(|lane| self.lanes_constant(lane, format.bits));
        let is_negative = self.ins.ins().icmp(IntCC::SignedLessThan, bits, zero);
        let flipped = self.ins.ins().band(is_negative, magnitude);
        self.ins.ins().bxor(bits, flipped)
    }

    /// The lesser or the greater of each two integers.
    fn better(&mut self, pair: &[Value], least: bool) -> Value {
        let &[a, b] = pair else { return pair[0] };
        match (self.ins.func.dfg.value_type(a) == types::I32X4, least) {
            (true, true) => self.ins.ins().smin(a, b),
            (true, false) => self.ins.ins().smax(a, b),
            (false, _) => {
                // Which not all hosts have for doublewords.
                let is_greater = self.ins.ins().icmp(IntCC::SignedGreaterThan, a, b);
                if least {
                    self.ins.ins().bitselect(is_greater, b, a)
                } else {
                    self.ins.ins().bitselect(is_greater, a, b)
                }
            }
        }
    }
}
