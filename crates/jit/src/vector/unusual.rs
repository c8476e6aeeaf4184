//! A second look, out of line, at results that are zero, subnormal, the smallest normal number, infinite or NaNs, or where the
//! inexact flag is not raised. The host's are the unit's but for the bits of NaNs, and so are their flags where these are
//! raised already, or are none. What is common comes first.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use hart::vector::compiled::{FloatLane, offset};

use super::formats::{Format, Numbers};
use super::guarded::Guarded;
use crate::builder::{Builder, own};

/// `fflags.NX` and so on.
pub const INEXACT: u64 = 1;
pub const UNDERFLOW: u64 = 1 << 1;
pub const OVERFLOW: u64 = 1 << 2;
pub const DIVIDED_BY_ZERO: u64 = 1 << 3;
pub const INVALID: u64 = 1 << 4;

/// How columns came about.
pub enum Unusual {
    /// By arithmetic.
    Computed(FloatLane),
    /// From doubles, with lanes of ones where they differ from these.
    Narrowed { differ: Vec<Value>, to_odd: bool },
}

/// What a column was computed of.
struct Origin {
    numbers: Numbers,
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
    fn of(lane: FloatLane, numbers: &Numbers) -> Self {
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

/// Results of arithmetic, and what is looked at again.
struct Again<'c> {
    lane: FloatLane,
    origins: Vec<Origin>,
    columns: &'c [Value],
    /// The same without their signs.
    magnitudes: Vec<Value>,
    /// Lanes of ones where they are NaNs.
    nans: Vec<Value>,
    masks: &'c [Value],
    format: Format,
    /// Those that are raised.
    flags: Value,
    /// To where a flag is missing.
    around: Block,
}

impl Builder<'_, '_> {
    /// The unit's columns, whatever the numbers. Goes to a block if a flag may be missing.
    pub(super) fn unusual(
        &mut self,
        unusual: Unusual,
        columns: &[Value],
        masks: &[Value],
        guarded: &Guarded,
        around: Block,
    ) -> Vec<Value> {
        match unusual {
            Unusual::Computed(lane) => {
                let numbers = self.numbers(guarded, true);
                let origins = numbers.iter().map(|numbers| Origin::of(lane, numbers)).collect();
                self.computed_again(lane, origins, columns, masks, guarded.format, around)
            }
            Unusual::Narrowed { differ, to_odd } => {
                self.narrowed_again(&differ, to_odd, columns, masks, around)
            }
        }
    }

    fn computed_again(
        &mut self,
        lane: FloatLane,
        origins: Vec<Origin>,
        columns: &[Value],
        masks: &[Value],
        format: Format,
        around: Block,
    ) -> Vec<Value> {
        let magnitude = self.lanes_constant(!format.sign, format.bits);
        let bits: Vec<Value> = columns.iter().map(|&column| self.as_lanes(column, format.bits)).collect();
        let magnitudes = bits.iter().map(|&bits| self.ins.ins().band(bits, magnitude)).collect();
        let nans: Vec<Value> = columns.iter().map(|&column| self.unordered([column; 2], &format)).collect();
        let flags = self.raised_flags();
        let any_nan = self.any_of(&nans);
        let again = Again { lane, origins, columns, magnitudes, nans, masks, format, flags, around };

        let [some, numbers, inexactly, exactly, ended, are_nans, done] =
            std::array::from_fn(|_| self.ins.create_block());
        self.ins.ins().brif(any_nan, some, &[], numbers, &[]);
        self.begin_seldom(some);
        let nothing_else = self.all_of(&again.nans, masks);
        self.ins.ins().brif(nothing_else, are_nans, &[], numbers, &[]);
        self.begin_seldom(numbers);
        let is_raised = self.ins.ins().band_imm_u(flags, INEXACT as i64);
        self.ins.ins().brif(is_raised, inexactly, &[], exactly, &[]);

        self.begin_seldom(exactly);
        let exact = self.exact_or_nans(&again);
        self.ins.ins().brif(exact, ended, &[], around, &[]);
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

    /// Not 0 if all active results are exact, or NaNs, which are not rounded. Infinite ones count as if they were not.
    fn exact_or_nans(&mut self, again: &Again<'_>) -> Value {
        let Again { lane, columns, format, .. } = again;
        let mut all = Vec::new();
        for ((origin, &column), &is_nan) in again.origins.iter().zip(*columns).zip(&again.nans) {
            let exact = self.is_exact(*lane, &origin.numbers, column, format);
            let exact = self.as_lanes(exact, format.bits);
            all.push(self.ins.ins().bor(exact, is_nan));
        }
        self.all_of(&all, again.masks)
    }

    /// Goes around if a result is tiny and not known to be exact, unless the flag for that is raised.
    fn look_at_tiny(&mut self, again: &Again<'_>) {
        let Again { lane, format, .. } = *again;
        if matches!(lane, FloatLane::VFADD | FloatLane::VFSUB | FloatLane::VFRSUB) {
            return;
        }
        let above = self.lanes_constant(format.least + 1, format.bits);
        let of = |&magnitude: &Value| self.ins.ins().icmp(IntCC::SignedGreaterThan, above, magnitude);
        let tiny: Vec<Value> = again.magnitudes.iter().map(of).collect();
        self.look_at(again, &tiny, UNDERFLOW, |builder| {
            let mut inexact = Vec::new();
            for (origin, &tiny) in again.origins.iter().zip(&tiny) {
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
        let Again { format, flags, .. } = *again;
        let infinity = self.lanes_constant(format.most, format.bits);
        let of = |&magnitude: &Value| self.ins.ins().icmp(IntCC::Equal, magnitude, infinity);
        let infinite: Vec<Value> = again.magnitudes.iter().map(of).collect();
        let divides = again.origins.iter().any(|origin| origin.divisor.is_some());
        let all = if divides { OVERFLOW | DIVIDED_BY_ZERO } else { OVERFLOW };
        self.look_at(again, &infinite, all, |builder| {
            let (mut overflown, mut of_zeros) = (Vec::new(), Vec::new());
            for (origin, &infinite) in again.origins.iter().zip(&infinite) {
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
        let format = again.format;
        self.unless_raised(again.flags, INVALID, again.around, |builder| {
            let mut all = Vec::new();
            for (origin, &is_nan) in again.origins.iter().zip(&again.nans) {
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
            builder.any_active(&all, again.masks)
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

    /// Goes around if not all of these flags are raised, and something is missing then.
    pub(super) fn unless_raised(
        &mut self,
        raised: Value,
        flags: u64,
        around: Block,
        missing: impl FnOnce(&mut Self) -> Value,
    ) {
        let all = self.constant(flags);
        let unraised = self.ins.ins().band_not(all, raised);
        let [look, on] = std::array::from_fn(|_| self.ins.create_block());
        self.ins.ins().brif(unraised, look, &[], on, &[]);
        self.begin_seldom(look);
        let missing = missing(self);
        self.ins.ins().brif(missing, around, &[], on, &[]);
        self.begin_seldom(on);
    }

    /// The flags that are raised.
    pub(super) fn raised_flags(&mut self) -> Value {
        let hart = self.hart();
        self.ins.ins().uload8(types::I64, own(), hart, offset::FFLAGS as i32)
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

    /// Lanes of ones where a number has a magnitude.
    fn has_magnitude(&mut self, number: Value, magnitude: u64, format: &Format) -> Value {
        let bits = self.as_lanes(number, format.bits);
        let [all, wanted] = [!format.sign, magnitude].map(|lane| self.lanes_constant(lane, format.bits));
        let bits = self.ins.ins().band(bits, all);
        self.ins.ins().icmp(IntCC::Equal, bits, wanted)
    }

    /// Not 0 if there are ones.
    fn any_of(&mut self, lanes: &[Value]) -> Value {
        let any = lanes.iter().copied().reduce(|any, lanes| self.ins.ins().bor(any, lanes));
        match any {
            Some(any) => self.ins.ins().vany_true(any),
            None => self.constant(0),
        }
    }

    /// The same in lanes that are active.
    pub(super) fn any_active(&mut self, lanes: &[Value], masks: &[Value]) -> Value {
        let of = |(index, &lanes): (usize, &Value)| match masks.get(index) {
            Some(&mask) => self.ins.ins().band(lanes, mask),
            None => lanes,
        };
        let lanes: Vec<Value> = lanes.iter().enumerate().map(of).collect();
        self.any_of(&lanes)
    }

    /// Not 0 if there are ones in all lanes that are active.
    fn all_of(&mut self, lanes: &[Value], masks: &[Value]) -> Value {
        let lanes = self.of_active(lanes, masks);
        let all = lanes.into_iter().reduce(|all, lanes| self.ins.ins().band(all, lanes));
        match all {
            Some(all) => self.ins.ins().vall_true(all),
            None => self.constant(1),
        }
    }
}
