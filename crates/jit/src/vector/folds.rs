//! Reductions of floating-point numbers: sums in the order of the elements, the least and the greatest of them.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use hart::vector::compiled::Second;

use super::cache::COLUMN;
use super::doubles::Half;
use super::formats::{DOUBLE, Format, Numbers};
use super::guarded::{Computed, Guarded};
use super::unusual::Unusual;
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
        let unusual = Some(Unusual::Folded { doubles: format.numbers != guarded.format.numbers });
        let columns = vec![self.with_first(guarded, format, sum)];
        Computed { is_merged: true, unusual, ..Computed::where_fit(columns, fits) }
    }

    /// Goes around if a sum on the way is not exact. Whether the flag is raised does not matter: what is finite does not come
    /// here then.
    pub(super) fn folded_again(&mut self, guarded: &Guarded, doubles: bool, around: Block) {
        let format = if doubles { DOUBLE } else { guarded.format };
        let columns = if doubles {
            self.wide_addends(guarded)
        } else {
            let numbers = self.numbers(guarded, false);
            let numbers: Vec<Value> = numbers.iter().map(|numbers| numbers.a).collect();
            let masks = self.masks_of(guarded);
            self.addends(&numbers, &masks, &format)
        };
        let mut before = self.first(guarded, &format);
        let mut sum = self.ins.ins().extractlane(before, 0);
        // All of a column, after the last of the one before it.
        let lane = format.bits.lane_type().bytes() as usize;
        let order: [u8; COLUMN] = std::array::from_fn(|byte| (COLUMN - lane + byte) as u8);
        let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
        let mut all: Option<Value> = None;
        for column in columns {
            let mut sums = column;
            for lane in 0..format.numbers.lane_count() as u8 {
                let number = self.ins.ins().extractlane(column, lane);
                sum = self.ins.ins().fadd(sum, number);
                sums = self.ins.ins().insertlane(sums, sum, lane);
            }
            let [low, high] = [before, sums].map(|sums| self.as_bytes(sums));
            let augends = self.ins.ins().shuffle(low, high, order);
            let augends = self.as_lanes(augends, format.numbers);
            let exact = self.is_exact_sum([augends, column], sums);
            all = Some(all.map_or(exact, |all| self.ins.ins().band(all, exact)));
            before = sums;
        }
        let Some(all) = all else { return };
        let all = self.ins.ins().vall_true(all);
        let on = self.ins.create_block();
        self.ins.ins().brif(all, on, &[], around, &[]);
        self.begin_seldom(on);
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
        let doubles = self.wide_addends(guarded);
        self.in_order(guarded, &doubles, &DOUBLE)
    }

    /// Singles as doubles, by column.
    fn wide_addends(&mut self, guarded: &Guarded) -> Vec<Value> {
        let Guarded { operands, format, body, .. } = *guarded;
        let columns = (0..body).step_by(COLUMN);
        let singles: Vec<Value> =
            columns.map(|column| self.column(operands.a + column, format.numbers)).collect();
        let masks = self.masks_of(guarded);
        let singles = self.addends(&singles, &masks, &format);
        singles
            .into_iter()
            .flat_map(|singles| [false, true].map(|is_high| (singles, Half { column: 0, is_high })))
            .map(|(singles, half)| self.promoted_half(singles, half))
            .collect()
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
