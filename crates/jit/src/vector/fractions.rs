//! Products of fractions, rounded to nearest, ties up.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

use super::fixed::Results;
use crate::builder::Builder;

impl Builder<'_, '_> {
    /// Products of fractions. That of -1 and -1 alone saturates.
    pub(super) fn multiplied(&mut self, a: Value, b: Value, ty: Type) -> Results {
        let least = self.lanes_constant(1 << (ty.lane_bits() - 1), ty);
        let [is_a, is_b] = [a, b].map(|lanes| self.ins.ins().icmp(IntCC::Equal, lanes, least));
        let saturates = self.ins.ins().band(is_a, is_b);
        let rounded = match ty {
            types::I8X16 => return (self.product_of_bytes(a, b), Some(saturates)),
            types::I16X8 => return (self.ins.ins().sqmul_round_sat(a, b), Some(saturates)),
            types::I32X4 => self.product_of_words(a, b),
            _ => self.product_of_doublewords(a, b),
        };
        // It wrapped to the least.
        let value = self.ins.ins().bxor(rounded, saturates);
        (value, Some(saturates))
    }

    /// `(a * b + 2^6) >> 7` of bytes, or the greatest.
    fn product_of_bytes(&mut self, a: Value, b: Value) -> Value {
        let (half, bits) = (self.lanes_constant(1 << 6, types::I16X8), self.constant(7));
        let [low, high] = [false, true].map(|is_high| {
            let [a, b] = [a, b].map(|lanes| self.widened(lanes, true, is_high));
            let product = self.ins.ins().imul(a, b);
            let rounded = self.ins.ins().iadd(product, half);
            self.ins.ins().sshr(rounded, bits)
        });
        self.ins.ins().snarrow(low, high)
    }

    /// `(a * b + 2^30) >> 31` of words, which are the high halves of twice that.
    fn product_of_words(&mut self, a: Value, b: Value) -> Value {
        let half = self.lanes_constant(1 << 31, types::I64X2);
        let halves = [true, false].map(|is_low| {
            let [a, b] = [a, b].map(|lanes| {
                if is_low { self.ins.ins().swiden_low(lanes) } else { self.ins.ins().swiden_high(lanes) }
            });
            let product = self.ins.ins().imul(a, b);
            let twice = self.ins.ins().iadd(product, product);
            self.ins.ins().iadd(twice, half)
        });
        let high = self.upper_halves(halves, types::I32X4);
        self.as_lanes(high, types::I32X4)
    }

    /// `(a * b + 2^62) >> 63` of doublewords, one at a time.
    fn product_of_doublewords(&mut self, a: Value, b: Value) -> Value {
        let products = [0, 1].map(|lane| {
            let [a, b] = [a, b].map(|lanes| self.ins.ins().extractlane(lanes, lane));
            let (low, high) = (self.ins.ins().imul(a, b), self.ins.ins().smulhi(a, b));
            // The two bits below those of the high half: one of them is kept, and rounded by the other.
            let last = self.ins.ins().ushr_imm_u(low, 62);
            let rounded = self.ins.ins().iadd_imm_s(last, 1);
            let last = self.ins.ins().ushr_imm_u(rounded, 1);
            let twice = self.ins.ins().iadd(high, high);
            self.ins.ins().iadd(twice, last)
        });
        let low = self.ins.ins().scalar_to_vector(types::I64X2, products[0]);
        self.ins.ins().insertlane(low, products[1], 1)
    }
}
