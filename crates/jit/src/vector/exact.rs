//! Where results of arithmetic are exact, found out by the error that they have: the host computes it exactly. It is looked
//! at where no result of the program was inexact yet, as of small integers.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value};
use hart::vector::compiled::FloatLane;

use super::floats::fuses;
use super::formats::{Format, Numbers};
use crate::builder::Builder;

impl Builder<'_, '_> {
    /// Lanes of ones where a result is known to be exact.
    pub(super) fn is_exact(
        &mut self,
        lane: FloatLane,
        &Numbers { a, b, d }: &Numbers,
        result: Value,
        format: &Format,
    ) -> Value {
        let result = self.as_lanes(result, format.numbers);
        match lane {
            FloatLane::VFADD => self.is_exact_sum([a, b], result),
            FloatLane::VFSUB => {
                let b = self.ins.ins().fneg(b);
                self.is_exact_sum([a, b], result)
            }
            FloatLane::VFRSUB => {
                let a = self.ins.ins().fneg(a);
                self.is_exact_sum([b, a], result)
            }
            _ if !fuses() => self.lanes_constant(0, format.bits),
            FloatLane::VFMUL => self.is_exact_product([a, b], result, format),
            FloatLane::VFDIV => self.is_exact_quotient([a, b], result, format),
            FloatLane::VFRDIV => self.is_exact_quotient([b, a], result, format),
            FloatLane::VFSQRT => self.is_exact_root(a, result, format),
            FloatLane::VFMACC => self.is_exact_fused([a, b, d], [false, false], result, format),
            FloatLane::VFNMACC => self.is_exact_fused([a, b, d], [true, true], result, format),
            FloatLane::VFMSAC => self.is_exact_fused([a, b, d], [false, true], result, format),
            FloatLane::VFNMSAC => self.is_exact_fused([a, b, d], [true, false], result, format),
            FloatLane::VFMADD => self.is_exact_fused([d, b, a], [false, false], result, format),
            FloatLane::VFNMADD => self.is_exact_fused([d, b, a], [true, true], result, format),
            FloatLane::VFMSUB => self.is_exact_fused([d, b, a], [false, true], result, format),
            FloatLane::VFNMSUB => self.is_exact_fused([d, b, a], [true, false], result, format),
            _ => self.lanes_constant(0, format.bits),
        }
    }

    /// Lanes of ones where a sum, also of a product that is exact, does not have all of both summands; none of what is no
    /// such sum. Of what is computed by taking the greater one from the sum, nothing is lost.
    pub(super) fn inexact_sum(
        &mut self,
        lane: FloatLane,
        &Numbers { a, b, d }: &Numbers,
        is_exact_product: bool,
        sum: Value,
    ) -> Option<Value> {
        // x + y or x − y.
        let (subtracts, [x, y]) = match lane {
            FloatLane::VFADD => (false, [a, b]),
            FloatLane::VFSUB => (true, [a, b]),
            FloatLane::VFRSUB => (true, [b, a]),
            FloatLane::VFMACC if is_exact_product => (false, [self.ins.ins().fmul(a, b), d]),
            FloatLane::VFMSAC if is_exact_product => (true, [self.ins.ins().fmul(a, b), d]),
            FloatLane::VFNMSAC if is_exact_product => (true, [d, self.ins.ins().fmul(a, b)]),
            FloatLane::VFNMACC if is_exact_product => {
                let product = self.ins.ins().fmul(a, b);
                (true, [self.ins.ins().fneg(product), d])
            }
            _ => return None,
        };
        let [of_y, of_x] = if subtracts {
            [self.ins.ins().fsub(x, sum), self.ins.ins().fadd(sum, y)]
        } else {
            [x, y].map(|summand| self.ins.ins().fsub(sum, summand))
        };
        let [no_y, no_x] =
            [(of_y, y), (of_x, x)].map(|(part, of)| self.ins.ins().fcmp(FloatCC::NotEqual, part, of));
        Some(self.ins.ins().bor(no_y, no_x))
    }

    /// x · y − product is a number, if it is not too small, and 0 if the product is exact.
    fn is_exact_product(&mut self, [x, y]: [Value; 2], product: Value, format: &Format) -> Value {
        let less = self.ins.ins().fneg(product);
        let error = self.ins.ins().fma(x, y, less);
        let none = self.is_zero(error, format);
        let large = self.is_large(product, format);
        let [of_x, of_y] = [x, y].map(|factor| self.is_zero(factor, format));
        let zero = self.ins.ins().bor(of_x, of_y);
        let known = self.ins.ins().bor(large, zero);
        self.ins.ins().band(none, known)
    }

    /// The same of quotient · y − x.
    fn is_exact_quotient(&mut self, [x, y]: [Value; 2], quotient: Value, format: &Format) -> Value {
        self.is_exact_by([quotient, y], x, format)
    }

    /// And of root · root − x.
    fn is_exact_root(&mut self, x: Value, root: Value, format: &Format) -> Value {
        self.is_exact_by([root, root], x, format)
    }

    fn is_exact_by(&mut self, [x, y]: [Value; 2], whole: Value, format: &Format) -> Value {
        let less = self.ins.ins().fneg(whole);
        let error = self.ins.ins().fma(x, y, less);
        let none = self.is_zero(error, format);
        let (large, zero) = (self.is_large(whole, format), self.is_zero(whole, format));
        let known = self.ins.ins().bor(large, zero);
        self.ins.ins().band(none, known)
    }

    /// If the product is a number, nothing is rounded but the sum.
    fn is_exact_fused(
        &mut self,
        [x, y, z]: [Value; 3],
        [minus_product, minus_sum]: [bool; 2],
        result: Value,
        format: &Format,
    ) -> Value {
        let x = if minus_product { self.ins.ins().fneg(x) } else { x };
        let z = if minus_sum { self.ins.ins().fneg(z) } else { z };
        let product = self.ins.ins().fmul(x, y);
        let is_number = self.is_exact_product([x, y], product, format);
        let is_sum = self.is_exact_sum([product, z], result);
        let is_sum = self.as_lanes(is_sum, format.bits);
        self.ins.ins().band(is_number, is_sum)
    }

    fn is_zero(&mut self, number: Value, format: &Format) -> Value {
        let zero = self.lanes_constant(0, format.bits);
        let zero = self.as_lanes(zero, format.numbers);
        let is_zero = self.ins.ins().fcmp(FloatCC::Equal, number, zero);
        self.as_lanes(is_zero, format.bits)
    }

    /// Lanes of ones where a number is so large that the error of a product or a quotient of it is one, too: what has as
    /// many digits again is no smaller than the least of all numbers.
    fn is_large(&mut self, number: Value, format: &Format) -> Value {
        let digits = format.least.ilog2() as u64 + 1;
        let bits = self.as_lanes(number, format.bits);
        let magnitude = self.lanes_constant(!format.sign, format.bits);
        let magnitude = self.ins.ins().band(bits, magnitude);
        let least = self.lanes_constant((digits + 4) * format.least, format.bits);
        self.ins.ins().icmp(IntCC::SignedGreaterThan, magnitude, least)
    }
}
