//! A second look at results of arithmetic that are zero, subnormal, the smallest normal number, infinite or NaNs, or where the
//! inexact flag is not raised. What is common comes first.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use hart::vector::compiled::FloatLane;

use super::formats::{Format, Numbers, SINGLE};
use super::unusual::{DIVIDED_BY_ZERO, INEXACT, INVALID, OVERFLOW, UNDERFLOW};
use crate::builder::Builder;

/// What a column was computed of.
pub struct Origin {
    pub numbers: Numbers,
    /// Of an infinite one among these, an infinite result is exact.
    operands: Vec<Value>,
    /// If one of these is zero, a tiny result is exact.
    factors: Vec<Value>,
    /// What divides.
    divisor: Option<Value>,
    /// What is multiplied before something is added.
    product: Option<[Value; 2]>,
}

impl Origin {
    pub fn of(lane: FloatLane, numbers: &Numbers) -> Self {
        let &Numbers { a, b, d } = numbers;
        let origin = |operands: &[Value], factors: &[Value]| Self {
            numbers: *numbers,
            operands: operands.to_vec(),
            factors: factors.to_vec(),
            divisor: None,
            product: None,
        };
        let divided = |a, b| Self { divisor: Some(b), ..origin(&[a, b], &[a]) };
        let fused = |x, y, z| Self { product: Some([x, y]), ..origin(&[x, y, z], &[x, y]) };
        match lane {
            FloatLane::VFADD | FloatLane::VFSUB | FloatLane::VFRSUB => origin(&[a, b], &[]),
            FloatLane::VFMUL => origin(&[a, b], &[a, b]),
            FloatLane::VFDIV => divided(a, b),
            FloatLane::VFRDIV => divided(b, a),
            FloatLane::VFMADD | FloatLane::VFNMADD | FloatLane::VFMSUB | FloatLane::VFNMSUB => fused(d, b, a),
            FloatLane::VFMACC | FloatLane::VFNMACC | FloatLane::VFMSAC | FloatLane::VFNMSAC => fused(a, b, d),
            _ => origin(&[a], &[a]),
        }
    }
}

/// Arithmetic that is looked at again.
pub struct Arithmetic {
    pub lane: FloatLane,
    pub format: Format,
    /// By column.
    pub origins: Vec<Origin>,
    /// Columns of numbers half as wide that operands were made of, where signaling NaNs have become quiet.
    pub singles: Vec<Value>,
}

/// Its results.
struct Again<'c> {
    arithmetic: &'c Arithmetic,
    /// The same without their signs.
    magnitudes: Vec<Value>,
    /// Lanes of ones where they are NaNs.
    nans: Vec<Value>,
    masks: &'c [Value],
    /// Those that are raised.
    flags: Value,
    /// To where a flag is missing.
    around: Block,
}

impl Builder<'_, '_> {
    /// The unit's columns, whatever the numbers. Goes around if a flag may be missing.
    pub(super) fn computed_again(
        &mut self,
        arithmetic: &Arithmetic,
        columns: &[Value],
        masks: &[Value],
        around: Block,
    ) -> Vec<Value> {
        let format = arithmetic.format;
        let magnitude = self.lanes_constant(!format.sign, format.bits);
        let bits: Vec<Value> = columns.iter().map(|&column| self.as_lanes(column, format.bits)).collect();
        let magnitudes = bits.iter().map(|&bits| self.ins.ins().band(bits, magnitude)).collect();
        let nans: Vec<Value> = columns.iter().map(|&column| self.unordered([column; 2], &format)).collect();
        let flags = self.raised_flags();
        let any_nan = self.any_of(&nans);
        let again = Again { arithmetic, magnitudes, nans, masks, flags, around };

        let [some, numbers, inexactly, exactly, ended, are_nans, done] =
            std::array::from_fn(|_| self.ins.create_block());
        self.ins.ins().brif(any_nan, some, &[], numbers, &[]);
        self.begin_seldom(some);
        self.branch_if_all(&again.nans, masks, [are_nans, numbers]);
        self.begin_seldom(numbers);
        let is_raised = self.ins.ins().band_imm_u(flags, INEXACT as i64);
        self.ins.ins().brif(is_raised, inexactly, &[], exactly, &[]);

        self.begin_seldom(exactly);
        let exact = self.exact_or_nans(&again, columns);
        self.branch_if_all(&exact, masks, [ended, around]);
        self.begin_seldom(inexactly);
        self.look_at_tiny(&again);
        self.look_at_infinite(&again);
        self.ins.ins().jump(ended, &[]);
        self.begin_seldom(ended);
        let results = self.results_for(done, &bits);
        self.ins.ins().brif(any_nan, are_nans, &[], done, &results);

        self.begin_seldom(are_nans);
        self.look_at_nans(&again);
        let nan = self.lanes_constant(format.most | format.least >> 1, format.bits);
        let with_nans = bits.iter().zip(&again.nans);
        let with_nans: Vec<Value> =
            with_nans.map(|(&bits, &is_nan)| self.ins.ins().bitselect(is_nan, nan, bits)).collect();
        self.ins.ins().jump(done, &with_nans.into_iter().map(Into::into).collect::<Vec<_>>());
        self.begin_seldom(done);
        self.ins.block_params(done).to_vec()
    }

    /// Lanes of ones where results are exact, or NaNs, which are not rounded. Infinite ones count as if they were not.
    fn exact_or_nans(&mut self, again: &Again<'_>, columns: &[Value]) -> Vec<Value> {
        let Arithmetic { lane, format, origins, .. } = again.arithmetic;
        let mut all = Vec::new();
        for ((origin, &column), &is_nan) in origins.iter().zip(columns).zip(&again.nans) {
            let exact = self.is_exact(*lane, &origin.numbers, column, format);
            let exact = self.as_lanes(exact, format.bits);
            all.push(self.ins.ins().bor(exact, is_nan));
        }
        all
    }

    /// Goes around if a result is tiny and not known to be exact, unless the flag for that is raised.
    fn look_at_tiny(&mut self, again: &Again<'_>) {
        let &Arithmetic { lane, format, ref origins, .. } = again.arithmetic;
        if lane.is_sum() {
            return;
        }
        let above = self.lanes_constant(format.least + 1, format.bits);
        let of = |&magnitude: &Value| self.ins.ins().icmp(IntCC::SignedGreaterThan, above, magnitude);
        let tiny: Vec<Value> = again.magnitudes.iter().map(of).collect();
        self.look_at(again, &tiny, UNDERFLOW, |builder| {
            let mut inexact = Vec::new();
            for (origin, &tiny) in origins.iter().zip(&tiny) {
                let not_zero = |tiny, &factor: &Value| {
                    let is_zero = builder.has_magnitude(factor, 0, &format);
                    builder.ins.ins().band_not(tiny, is_zero)
                };
                inexact.push(origin.factors.iter().fold(tiny, not_zero));
            }
            builder.any_active(&inexact, again.masks)
        });
    }

    /// The same of infinite results that do not come of infinite operands.
    fn look_at_infinite(&mut self, again: &Again<'_>) {
        let (&Arithmetic { format, ref origins, .. }, flags) = (again.arithmetic, again.flags);
        let infinity = self.lanes_constant(format.most, format.bits);
        let of = |&magnitude: &Value| self.ins.ins().icmp(IntCC::Equal, magnitude, infinity);
        let infinite: Vec<Value> = again.magnitudes.iter().map(of).collect();
        let divides = origins.iter().any(|origin| origin.divisor.is_some());
        let all = if divides { OVERFLOW | DIVIDED_BY_ZERO } else { OVERFLOW };
        self.look_at(again, &infinite, all, |builder| {
            let (mut overflown, mut of_zeros) = (Vec::new(), Vec::new());
            for (origin, &infinite) in origins.iter().zip(&infinite) {
                let not_infinite = |infinite, &operand: &Value| {
                    let was_infinite = builder.has_magnitude(operand, format.most, &format);
                    builder.ins.ins().band_not(infinite, was_infinite)
                };
                let mut of_numbers = origin.operands.iter().fold(infinite, not_infinite);
                if let Some(divisor) = origin.divisor {
                    let by_zero = builder.has_magnitude(divisor, 0, &format);
                    of_zeros.push(builder.ins.ins().band(of_numbers, by_zero));
                    of_numbers = builder.ins.ins().band_not(of_numbers, by_zero);
                }
                overflown.push(of_numbers);
            }
            let mut missing = builder.any_active(&overflown, again.masks);
            if divides {
                let by_zero = builder.any_active(&of_zeros, again.masks);
                let mut either = builder.constant(0);
                for (any, flag) in [(missing, OVERFLOW), (by_zero, DIVIDED_BY_ZERO)] {
                    let needed = builder.constant(flag);
                    let unraised = builder.ins.ins().band_not(needed, flags);
                    let none = builder.constant(0);
                    let missing = builder.ins.ins().select(any, unraised, none);
                    either = builder.ins.ins().bor(either, missing);
                }
                missing = either;
            }
            missing
        });
    }

    /// The same of NaNs that do not come of quiet ones alone.
    fn look_at_nans(&mut self, again: &Again<'_>) {
        let &Arithmetic { format, ref origins, ref singles, .. } = again.arithmetic;
        self.unless_raised(again.flags, INVALID, again.around, |builder| {
            let mut all = Vec::new();
            for (origin, &is_nan) in origins.iter().zip(&again.nans) {
                let mut of_nan: Option<Value> = None;
                for pair in origin.operands.chunks(2) {
                    let either = builder.unordered([pair[0], pair[pair.len() - 1]], &format);
                    of_nan = Some(of_nan.map_or(either, |all| builder.ins.ins().bor(all, either)));
                }
                let mut invalid = of_nan.map_or(is_nan, |of_nan| builder.ins.ins().band_not(is_nan, of_nan));
                for &operand in &origin.operands {
                    let is_loud = builder.is_loud(operand, &format);
                    invalid = builder.ins.ins().bor(invalid, is_loud);
                }
                if let Some([x, y]) = origin.product {
                    // Of infinity and zero, whatever is added.
                    let product = builder.ins.ins().fmul(x, y);
                    let (of_nan, is_nan) =
                        (builder.unordered([x, y], &format), builder.unordered([product; 2], &format));
                    let is_invalid = builder.ins.ins().band_not(is_nan, of_nan);
                    invalid = builder.ins.ins().bor(invalid, is_invalid);
                }
                all.push(invalid);
            }
            let invalid = builder.any_active(&all, again.masks);
            if singles.is_empty() {
                return invalid;
            }
            // Whether they are active or not.
            let loud: Vec<Value> = singles.iter().map(|&single| builder.is_loud(single, &SINGLE)).collect();
            let is_loud = builder.any_of(&loud);
            builder.ins.ins().bor(invalid, is_loud)
        });
    }

    /// Goes around if there are such results, not all of these flags are raised, and something is missing then.
    fn look_at(
        &mut self,
        again: &Again<'_>,
        results: &[Value],
        flags: u64,
        missing: impl FnOnce(&mut Self) -> Value,
    ) {
        let any = self.any_of(results);
        let [some, on] = std::array::from_fn(|_| self.ins.create_block());
        self.ins.ins().brif(any, some, &[], on, &[]);
        self.begin_seldom(some);
        self.unless_raised(again.flags, flags, again.around, missing);
        self.ins.ins().jump(on, &[]);
        self.begin_seldom(on);
    }

    /// Lanes of ones where a number has a magnitude.
    fn has_magnitude(&mut self, number: Value, magnitude: u64, format: &Format) -> Value {
        let bits = self.as_lanes(number, format.bits);
        let [all, wanted] = [!format.sign, magnitude].map(|lane| self.lanes_constant(lane, format.bits));
        let bits = self.ins.ins().band(bits, all);
        self.ins.ins().icmp(IntCC::Equal, bits, wanted)
    }
}
