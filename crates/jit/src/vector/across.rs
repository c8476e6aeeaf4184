//! Conversions between numbers of 32 bits and of 64, or integers of 64, that look at all four of a column together.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::cache::COLUMN;
use super::doubles::Half;
use super::formats::{DOUBLE, SINGLE};
use super::guarded::{Computed, Guarded};
use super::unusual::Unusual;
use crate::builder::Builder;

/// Beyond this magnitude, numbers are no integers in the lower bits of a double.
const BOUND: f32 = (1u64 << 51) as f32;
/// What an integer of 64 bits may have beyond the 53 of a double.
const REST: u64 = (1 << 11) - 1;

impl Builder<'_, '_> {
    /// Singles as doubles.
    pub(super) fn widened_numbers(&mut self, guarded: &Guarded) -> Computed {
        self.of_singles(guarded, |builder, singles| {
            let fits = builder.ins.ins().fcmp(FloatCC::Ordered, singles, singles);
            (singles, fits)
        })
    }

    /// Singles as integers of 64 bits.
    pub(super) fn wide_integers(&mut self, guarded: &Guarded, signed: bool, truncates: bool) -> Computed {
        let Computed { columns, fits, .. } = self.of_singles(guarded, |builder, singles| {
            let rounded =
                if truncates { builder.ins.ins().trunc(singles) } else { builder.ins.ins().nearest(singles) };
            (rounded, builder.within([singles, rounded], SINGLE, BOUND.to_bits().into(), signed))
        });
        let columns = columns.into_iter().map(|doubles| self.low_bits_of(doubles)).collect();
        Computed::where_fit(columns, fits)
    }

    /// What becomes of singles, as doubles, and where it fits in lanes of these.
    fn of_singles(
        &mut self,
        guarded: &Guarded,
        mut of: impl FnMut(&mut Self, Value) -> (Value, Value),
    ) -> Computed {
        let (mut columns, mut fits) = (Vec::new(), Vec::new());
        for column in (0..guarded.body).step_by(COLUMN) {
            let half = Half::of(column);
            if half.is_high {
                continue;
            }
            let singles = self.column(guarded.operands.a + half.column, types::F32X4);
            let (singles, fit) = of(self, singles);
            fits.push(fit);
            columns.push(self.promoted_half(singles, half));
            if column + COLUMN < guarded.body {
                columns.push(self.promoted_half(singles, Half { is_high: true, ..half }));
            }
        }
        Computed::where_fit(columns, fits)
    }

    /// Integers of 64 bits as singles, rounded once.
    pub(super) fn singles_of_wide(&mut self, guarded: &Guarded, signed: bool) -> Computed {
        let (mut columns, mut inexact) = (Vec::new(), Vec::new());
        for column in (0..guarded.body).step_by(COLUMN) {
            let parts = [0, COLUMN].map(|part| {
                let integers = self.column(guarded.operands.a + 2 * column + part, types::I64X2);
                let cut = self.cut_to_odd(integers, signed);
                let (doubles, _) = self.numbers_of(cut, DOUBLE, signed);
                let singles = self.ins.ins().fvdemote(doubles);
                let again = self.ins.ins().fvpromote_low(singles);
                [singles, self.ins.ins().fcmp(FloatCC::NotEqual, again, doubles)]
            });
            columns.push(self.first_halves(parts.map(|[singles, _]| singles)));
            let differ = self.lower_halves(parts.map(|[_, differ]| differ), types::I32X4);
            inexact.push(self.as_lanes(differ, types::I32X4));
        }
        // None is too large or too small.
        let unusual = Some(Unusual::Rounded { inexact });
        Computed { unusual, ..Computed::always(columns) }
    }

    /// Integers with at most the digits of a double. What is cut off of a larger one leaves its last bit set, so that it
    /// is rounded to a single as if it still had all.
    fn cut_to_odd(&mut self, integers: Value, signed: bool) -> Value {
        let above = self.lanes_constant(!0 << 52, types::I64X2);
        let moved = if signed {
            let offset = self.lanes_constant(1 << 51, types::I64X2);
            self.ins.ins().iadd(integers, offset)
        } else {
            integers
        };
        let beyond = self.ins.ins().band(moved, above);
        let zero = self.lanes_constant(0, types::I64X2);
        let is_short = self.ins.ins().icmp(IntCC::Equal, beyond, zero);
        let rest = self.lanes_constant(REST, types::I64X2);
        let rest = self.ins.ins().band_not(rest, is_short);
        let cut = self.ins.ins().band(integers, rest);
        let carried = self.ins.ins().iadd(cut, rest);
        let odd = self.ins.ins().bor(integers, carried);
        self.ins.ins().band_not(odd, rest)
    }
}
