//! A second look, out of line, at NaNs among the operands of comparisons, minima and maxima. Signaling ones raise a flag,
//! of most comparisons quiet ones, too.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use super::formats::{Format, Numbers};
use super::guarded::Guarded;
use super::unusual::INVALID;
use crate::builder::Builder;

impl Builder<'_, '_> {
    /// Goes around if a flag may be missing after a comparison with NaNs, whose results are the host's.
    pub(super) fn compared_again(&mut self, is_quiet: bool, guarded: &Guarded, around: Block) {
        if is_quiet {
            let (numbers, masks) = (self.numbers(guarded, false), self.masks_of(guarded));
            self.unless_quiet(&numbers, &masks, &guarded.format, around);
            return;
        }
        let (invalid, raised) = (self.constant(INVALID), self.raised_flags());
        let missing = self.ins.ins().band_not(invalid, raised);
        self.go_if(missing, around);
    }

    /// The least or the greatest of each two numbers, if these columns are that where neither is a NaN.
    pub(super) fn chosen_again(
        &mut self,
        columns: &[Value],
        masks: &[Value],
        guarded: &Guarded,
        around: Block,
    ) -> Vec<Value> {
        let (numbers, format) = (self.numbers(guarded, false), guarded.format);
        self.unless_quiet(&numbers, masks, &format, around);
        let nan = self.lanes_constant(format.most | format.least >> 1, format.bits);
        let all = numbers.iter().zip(columns).map(|(&Numbers { a, b, .. }, &chosen)| {
            let [a_is_nan, b_is_nan] = [a, b].map(|number| self.unordered([number; 2], &format));
            let [a, b, chosen] = [a, b, chosen].map(|number| self.as_lanes(number, format.bits));
            // Of a number and a NaN, the number.
            let b = self.ins.ins().bitselect(b_is_nan, nan, b);
            let chosen = self.ins.ins().bitselect(b_is_nan, a, chosen);
            self.ins.ins().bitselect(a_is_nan, b, chosen)
        });
        all.collect()
    }

    /// Goes around if an active operand is a signaling NaN whose flag is not raised.
    fn unless_quiet(&mut self, numbers: &[Numbers], masks: &[Value], format: &Format, around: Block) {
        let raised = self.raised_flags();
        self.unless_raised(raised, INVALID, around, |builder| {
            let of = |&Numbers { a, b, .. }: &Numbers| {
                let [a, b] = [a, b].map(|number| builder.is_loud(number, format));
                builder.ins.ins().bor(a, b)
            };
            let loud: Vec<Value> = numbers.iter().map(of).collect();
            builder.any_active(&loud, masks)
        });
    }

    /// Lanes of ones where a number is a signaling NaN.
    pub(super) fn is_loud(&mut self, number: Value, format: &Format) -> Value {
        let Format { bits: ty, sign, least, most, .. } = *format;
        // Beyond the greatest integer are magnitudes of quiet NaNs alone.
        let beyond = sign - (most | least >> 1);
        let [magnitude, beyond, last] =
            [!sign, beyond, most + beyond].map(|lane| self.lanes_constant(lane, ty));
        let bits = self.as_lanes(number, ty);
        let bits = self.ins.ins().band(bits, magnitude);
        let moved = self.ins.ins().iadd(bits, beyond);
        self.ins.ins().icmp(IntCC::SignedGreaterThan, moved, last)
    }

    /// Lanes of ones where one of two numbers is a NaN.
    pub(super) fn unordered(&mut self, numbers: [Value; 2], format: &Format) -> Value {
        let [a, b] = numbers.map(|number| self.as_lanes(number, format.numbers));
        let either = self.ins.ins().fcmp(FloatCC::Unordered, a, b);
        self.as_lanes(either, format.bits)
    }
}
