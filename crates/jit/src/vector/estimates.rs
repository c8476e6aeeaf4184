//! Estimates of reciprocals to seven bits. The tables that define them have, for each interval of numbers, the fraction of
//! the reciprocal of its middle, rounded to nearest, which the host computes.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::flags;
use super::formats::Format;
use crate::builder::Builder;

impl Builder<'_, '_> {
    /// Estimates of 1/a or 1/√a, and where `a` is such that there is a normal number for it.
    pub(super) fn estimate(&mut self, a: Value, format: &Format, root: bool) -> (Value, Value) {
        let &Format { numbers, bits: ty, sign, least, most } = format;
        let (fraction, bias) = if ty == types::I32X4 { (23, 127) } else { (52, 1023) };
        let bits = self.as_lanes(a, ty);
        let [exponents, ones] = [most, bias << fraction].map(|lane| self.lanes_constant(lane, ty));
        let exponent = self.ins.ins().band(bits, exponents);
        // The middle of the interval, between 1 and 4. Its first fraction bits are those of `a`; the exponent of a root is
        // the lowest bit of the other's.
        let indices = if root { 6 } else { 7 };
        let leading = ((1 << indices) - 1) << (fraction - indices);
        let [leading, half] =
            [leading, 1 << (fraction - indices - 1)].map(|lane| self.lanes_constant(lane, ty));
        let leading = self.ins.ins().band(bits, leading);
        let power = if root {
            let [odd, twos] = [least, (bias + 1) << fraction].map(|lane| self.lanes_constant(lane, ty));
            let odd = self.ins.ins().band(bits, odd);
            self.ins.ins().isub(twos, odd)
        } else {
            ones
        };
        let middle = self.ins.ins().bor(leading, half);
        let middle = self.ins.ins().bor(middle, power);
        let middle = self.ins.ins().bitcast(numbers, flags(), middle);
        // From 128 to 255, rounded where it is added to a number whose last bit has the weight 1.
        let [scale, unit] = [bias + 8, bias + fraction].map(|power| {
            let lanes = self.lanes_constant(power << fraction, ty);
            self.ins.ins().bitcast(numbers, flags(), lanes)
        });
        let middle = if root { self.ins.ins().sqrt(middle) } else { middle };
        let reciprocal = self.ins.ins().fdiv(scale, middle);
        let rounded = self.ins.ins().fadd(reciprocal, unit);
        let rounded = self.ins.ins().bitcast(ty, flags(), rounded);
        let up = self.constant(fraction - 7);
        let rounded = self.ins.ins().ishl(rounded, up);
        let result_fraction = self.lanes_constant(127 << (fraction - 7), ty);
        let result_fraction = self.ins.ins().band(rounded, result_fraction);
        // 2 · bias - 1 less the exponent, or half of 3 · bias - 1 less that.
        let from = if root { 3 * bias - 1 } else { 2 * bias - 1 };
        let from = self.lanes_constant(from << fraction, ty);
        let mut power = self.ins.ins().isub(from, exponent);
        if root {
            let one = self.constant(1);
            power = self.ins.ins().ushr(power, one);
            power = self.ins.ins().band(power, exponents);
        }
        let mut result = self.ins.ins().bor(power, result_fraction);
        let magnitude = if root {
            bits
        } else {
            let sign = self.lanes_constant(sign, ty);
            let sign_bit = self.ins.ins().band(bits, sign);
            result = self.ins.ins().bor(result, sign_bit);
            self.ins.ins().band_not(bits, sign)
        };
        // Reciprocals of the largest numbers are subnormal. What has no root has a sign.
        let end = if root { most } else { (2 * bias - 1) << fraction };
        let [before, end] = [least - 1, end].map(|lane| self.lanes_constant(lane, ty));
        let above = self.ins.ins().icmp(IntCC::SignedGreaterThan, magnitude, before);
        let below = self.ins.ins().icmp(IntCC::SignedLessThan, magnitude, end);
        (result, self.ins.ins().band(above, below))
    }
}
