//! Doubles as singles, as SIMD instructions of the host.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::cache::COLUMN;
use super::formats::{Format, SINGLE};
use super::guarded::{Computed, Guarded};
use super::unusual::{INEXACT, INVALID, OVERFLOW, UNDERFLOW, Unusual};
use crate::builder::Builder;

impl Builder<'_, '_> {
    /// Doubles as singles: to the nearest, or towards zero with the last bit set where that is not exact.
    pub(super) fn narrowed_numbers(&mut self, guarded: &Guarded, to_odd: bool) -> Computed {
        let Format { bits: ty, sign, least, most, .. } = SINGLE;
        let [magnitudes, least, most] =
            [!sign, least, most - u64::from(to_odd)].map(|lane| self.lanes_constant(lane, ty));
        let (mut columns, mut fits, mut all_same) = (Vec::new(), Vec::new(), Vec::new());
        for column in (0..guarded.body).step_by(COLUMN) {
            let parts = [0, COLUMN].map(|part| {
                let a = self.column(guarded.operands.a + 2 * column + part, types::F64X2);
                let single = self.ins.ins().fvdemote(a);
                (a, single, self.ins.ins().fvpromote_low(single))
            });
            let merged = |builder: &mut Self, halves: [Value; 2]| {
                let lanes = builder.lower_halves(halves, ty);
                builder.as_lanes(lanes, ty)
            };
            let same = parts.map(|(a, _, again)| self.ins.ins().fcmp(FloatCC::Equal, again, a));
            let same = merged(self, same);
            let singles = self.first_halves(parts.map(|(_, single, _)| single));
            let mut singles = self.as_lanes(singles, ty);
            if to_odd {
                // Both have the same sign.
                let is_beyond = parts.map(|(a, _, again)| {
                    let [again, a] = [again, a].map(|number| self.as_lanes(number, types::I64X2));
                    self.ins.ins().icmp(IntCC::SignedGreaterThan, again, a)
                });
                let is_beyond = merged(self, is_beyond);
                let cut = self.ins.ins().iadd(singles, is_beyond);
                let one = self.lanes_constant(1, ty);
                let last = self.ins.ins().band_not(one, same);
                singles = self.ins.ins().bor(cut, last);
            }
            let magnitude = self.ins.ins().band(singles, magnitudes);
            let above = self.ins.ins().icmp(IntCC::SignedGreaterThan, magnitude, least);
            let below = self.ins.ins().icmp(IntCC::SignedGreaterThan, most, magnitude);
            let plain = self.ins.ins().band(above, below);
            let plain = match self.vector.raised {
                Some(raised) => {
                    let raised = self.as_lanes(raised, ty);
                    self.ins.ins().band(plain, raised)
                }
                None => self.lanes_constant(0, ty),
            };
            columns.push(singles);
            fits.push(self.ins.ins().bor(plain, same));
            all_same.push(same);
        }
        let unusual = Some(Unusual::Narrowed { same: all_same, to_odd });
        Computed { unusual, ..Computed::where_fit(columns, fits) }
    }

    /// The unit's singles, whatever the numbers. Goes around if a flag may be missing.
    pub(super) fn narrowed_again(
        &mut self,
        same: &[Value],
        to_odd: bool,
        columns: &[Value],
        masks: &[Value],
        around: Block,
    ) -> Vec<Value> {
        let Format { bits: ty, sign, least, most, .. } = SINGLE;
        // One that is rounded to odd does not become infinite.
        let largest = most - u64::from(to_odd);
        let nan = self.lanes_constant(most | least >> 1, ty);
        let [magnitudes, above, largest] =
            [!sign, least + 1, largest].map(|lane| self.lanes_constant(lane, ty));
        let (mut results, mut tiny, mut large, mut nans) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (&column, &same) in columns.iter().zip(same) {
            let bits = self.as_lanes(column, ty);
            let magnitude = self.ins.ins().band(bits, magnitudes);
            let is_nan = self.unordered([column; 2], &SINGLE);
            let is_tiny = self.ins.ins().icmp(IntCC::SignedGreaterThan, above, magnitude);
            let is_large = self.ins.ins().icmp(IntCC::Equal, magnitude, largest);
            tiny.push(self.ins.ins().band_not(is_tiny, same));
            large.push(self.ins.ins().band_not(is_large, same));
            nans.push(is_nan);
            results.push(self.ins.ins().bitselect(is_nan, nan, bits));
        }
        let mut needed = self.constant(INEXACT);
        for (flag, lanes) in [(UNDERFLOW, tiny), (OVERFLOW, large), (INVALID, nans)] {
            let any = self.any_active(&lanes, masks);
            let (flag, none) = (self.constant(flag), self.constant(0));
            let flag = self.ins.ins().select(any, flag, none);
            needed = self.ins.ins().bor(needed, flag);
        }
        let raised = self.raised_flags();
        let missing = self.ins.ins().band_not(needed, raised);
        self.go_if(missing, around);
        results
    }
}
