//! Results that are zero, subnormal, the smallest normal number, infinite or NaNs. The host's are the
//! unit's but for the bits of NaNs, and so are their flags where these are raised already, or are none.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use hart::vector::compiled::{FloatLane, offset};

use super::formats::{Format, Numbers, SINGLE};
use crate::builder::{Builder, own};

const INEXACT: u64 = 1;
const UNDERFLOW: u64 = 1 << 1;
const OVERFLOW: u64 = 1 << 2;
const DIVIDED_BY_ZERO: u64 = 1 << 3;
const INVALID: u64 = 1 << 4;

/// How columns came about.
pub enum Unusual {
    /// By arithmetic.
    Computed(Vec<Origin>),
    /// From doubles, with lanes of ones where they differ from these.
    Narrowed { differ: Vec<Value>, to_odd: bool },
}

/// What a column was computed of.
pub struct Origin {
    lane: FloatLane,
    numbers: Numbers,
    /// Of an infinite one among these, an infinite result is exact.
    operands: Vec<Value>,
    /// If one of these is zero, a tiny result is exact.
    factors: Vec<Value>,
    /// What divides.
    divisor: Option<Value>,
    /// What is multiplied before something is added.
    product: Option<[Value; 2]>,
    /// Tiny results are exact whatever the operands.
    is_sum: bool,
}

impl Origin {
    /// Of an operation on numbers.
    pub fn of(lane: FloatLane, numbers: &Numbers) -> Self {
        let &Numbers { a, b, d } = numbers;
        let origin = |operands: &[Value], factors: &[Value]| Self {
            lane,
            numbers: *numbers,
            operands: operands.to_vec(),
            factors: factors.to_vec(),
            divisor: None,
            product: None,
            is_sum: false,
        };
        let divided = |a, b| Self { divisor: Some(b), ..origin(&[a, b], &[a]) };
        let fused = |x, y, z| Self { product: Some([x, y]), ..origin(&[x, y, z], &[x, y]) };
        match lane {
            FloatLane::VFADD | FloatLane::VFSUB | FloatLane::VFRSUB => {
                Self { is_sum: true, ..origin(&[a, b], &[]) }
            }
            FloatLane::VFMUL => origin(&[a, b], &[a, b]),
            FloatLane::VFDIV => divided(a, b),
            FloatLane::VFRDIV => divided(b, a),
            FloatLane::VFMADD | FloatLane::VFNMADD | FloatLane::VFMSUB | FloatLane::VFNMSUB => fused(d, b, a),
            FloatLane::VFMACC | FloatLane::VFNMACC | FloatLane::VFMSAC | FloatLane::VFNMSAC => fused(a, b, d),
            _ => origin(&[a], &[a]),
        }
    }
}

/// Lanes of ones where results lack a flag, by the flags.
type Lacking = Vec<(u64, Value)>;

impl Builder<'_, '_> {
    /// The unit's columns, whatever the numbers. Goes to a block if a flag may be missing.
    pub(super) fn unusual(
        &mut self,
        unusual: Unusual,
        columns: &[Value],
        masks: &[Value],
        format: &Format,
        around: Block,
    ) -> Vec<Value> {
        let mut lacking = Lacking::new();
        let mut results = Vec::new();
        for (index, &column) in columns.iter().enumerate() {
            let mut of_column = Lacking::new();
            results.push(match &unusual {
                Unusual::Computed(origins) => {
                    self.computed_column(&origins[index], column, format, &mut of_column)
                }
                Unusual::Narrowed { differ, to_odd } => {
                    self.narrowed_column(differ[index], column, *to_odd, &mut of_column)
                }
            });
            for (flags, lanes) in of_column {
                let lanes = match masks.get(index) {
                    Some(&mask) => self.ins.ins().band(lanes, mask),
                    None => lanes,
                };
                match lacking.iter_mut().find(|(others, _)| *others == flags) {
                    Some((_, all)) => *all = self.ins.ins().bor(*all, lanes),
                    None => lacking.push((flags, lanes)),
                }
            }
        }
        let narrows = matches!(unusual, Unusual::Narrowed { .. });
        // Where all was exact, there was nothing unusual.
        let mut needed = self.constant(if narrows { INEXACT } else { 0 });
        for (flags, lanes) in lacking {
            let any = self.ins.ins().vany_true(lanes);
            let any = self.ins.ins().uextend(types::I64, any);
            let (any, flags) = (self.ins.ins().ineg(any), self.constant(flags));
            let flags = self.ins.ins().band(any, flags);
            needed = self.ins.ins().bor(needed, flags);
        }
        let hart = self.hart();
        let raised = self.ins.ins().uload8(types::I64, own(), hart, offset::FFLAGS as i32);
        let missing = self.ins.ins().band_not(needed, raised);
        let on = self.ins.create_block();
        match unusual {
            Unusual::Computed(origins) => {
                let nans = self.ins.create_block();
                self.ins.set_cold_block(nans);
                self.ins.ins().brif(missing, nans, &[], on, &[]);
                self.ins.seal_block(nans);
                self.ins.switch_to_block(nans);
                let invalid = self.constant(INVALID);
                let others = self.ins.ins().bxor(missing, invalid);
                let invalid = self.any_invalid(&origins, columns, masks, format);
                let missing = self.ins.ins().bor(others, invalid);
                self.ins.ins().brif(missing, around, &[], on, &[]);
            }
            Unusual::Narrowed { .. } => _ = self.ins.ins().brif(missing, around, &[], on, &[]),
        }
        self.ins.seal_block(on);
        self.ins.set_cold_block(on);
        self.ins.switch_to_block(on);
        results
    }

    /// Not 0 if there is a NaN that does not come of quiet ones alone.
    fn any_invalid(
        &mut self,
        origins: &[Origin],
        columns: &[Value],
        masks: &[Value],
        format: &Format,
    ) -> Value {
        let Format { bits: ty, numbers, sign, least, most, .. } = *format;
        let [magnitudes, infinity, loudest] =
            [!sign, most, (most | least >> 1) - 1].map(|lane| self.lanes_constant(lane, ty));
        let mut all: Option<Value> = None;
        for (index, (origin, &column)) in origins.iter().zip(columns).enumerate() {
            let mut quiet = self.lanes_constant(0, ty);
            let mut loud = quiet;
            for &operand in &origin.operands {
                let operand = self.as_lanes(operand, ty);
                let magnitude = self.ins.ins().band(operand, magnitudes);
                let is_nan = self.ins.ins().icmp(IntCC::SignedGreaterThan, magnitude, infinity);
                let is_quiet = self.ins.ins().icmp(IntCC::SignedGreaterThan, magnitude, loudest);
                let is_loud = self.ins.ins().band_not(is_nan, is_quiet);
                quiet = self.ins.ins().bor(quiet, is_quiet);
                loud = self.ins.ins().bor(loud, is_loud);
            }
            if let Some([x, y]) = origin.product {
                // Of infinity and zero, whatever is added.
                let product = self.ins.ins().fmul(x, y);
                let of_nan = self.ins.ins().fcmp(FloatCC::Unordered, x, y);
                let is_nan = self.ins.ins().fcmp(FloatCC::Unordered, product, product);
                let is_invalid = self.ins.ins().band_not(is_nan, of_nan);
                loud = self.ins.ins().bor(loud, is_invalid);
            }
            let column = self.as_lanes(column, numbers);
            let is_nan = self.ins.ins().fcmp(FloatCC::Unordered, column, column);
            let fits = self.ins.ins().band_not(quiet, loud);
            let mut wrong = self.ins.ins().band_not(is_nan, fits);
            if let Some(&mask) = masks.get(index) {
                wrong = self.ins.ins().band(wrong, mask);
            }
            all = Some(all.map_or(wrong, |all| self.ins.ins().bor(all, wrong)));
        }
        let Some(all) = all else { return self.constant(0) };
        let any = self.ins.ins().vany_true(all);
        self.ins.ins().uextend(types::I64, any)
    }

    /// The same of a column that was computed.
    fn computed_column(
        &mut self,
        origin: &Origin,
        column: Value,
        format: &Format,
        lacking: &mut Lacking,
    ) -> Value {
        let Format { bits: ty, sign, least, most, .. } = *format;
        let [magnitudes, above, infinity] =
            [!sign, least + 1, most].map(|lane| self.lanes_constant(lane, ty));
        let bits = self.as_lanes(column, ty);
        let magnitude = self.ins.ins().band(bits, magnitudes);
        let is_nan = self.ins.ins().icmp(IntCC::SignedGreaterThan, magnitude, infinity);
        lacking.push((INVALID, is_nan));
        let exact = self.is_exact(origin.lane, &origin.numbers, column, format);
        let exact = self.as_lanes(exact, ty);
        let inexact = self.ins.ins().bnot(exact);
        // A NaN is not rounded.
        lacking.push((INEXACT, self.ins.ins().band_not(inexact, is_nan)));
        let mut is_infinite = self.ins.ins().icmp(IntCC::Equal, magnitude, infinity);
        for &operand in &origin.operands {
            let operand = self.as_lanes(operand, ty);
            let magnitude = self.ins.ins().band(operand, magnitudes);
            let was_infinite = self.ins.ins().icmp(IntCC::Equal, magnitude, infinity);
            is_infinite = self.ins.ins().band_not(is_infinite, was_infinite);
        }
        let zero = self.lanes_constant(0, ty);
        if let Some(divisor) = origin.divisor {
            let divisor = self.as_lanes(divisor, ty);
            let magnitude = self.ins.ins().band(divisor, magnitudes);
            let by_zero = self.ins.ins().icmp(IntCC::Equal, magnitude, zero);
            lacking.push((DIVIDED_BY_ZERO, self.ins.ins().band(is_infinite, by_zero)));
            is_infinite = self.ins.ins().band_not(is_infinite, by_zero);
        }
        lacking.push((OVERFLOW, is_infinite));
        if !origin.is_sum {
            let mut is_tiny = self.ins.ins().icmp(IntCC::SignedGreaterThan, above, magnitude);
            for &factor in &origin.factors {
                let factor = self.as_lanes(factor, ty);
                let magnitude = self.ins.ins().band(factor, magnitudes);
                let was_zero = self.ins.ins().icmp(IntCC::Equal, magnitude, zero);
                is_tiny = self.ins.ins().band_not(is_tiny, was_zero);
            }
            lacking.push((UNDERFLOW, is_tiny));
        }
        self.with_nans(bits, is_nan, format)
    }

    /// The same of a column of singles that doubles became.
    fn narrowed_column(
        &mut self,
        differ: Value,
        column: Value,
        to_odd: bool,
        lacking: &mut Lacking,
    ) -> Value {
        let Format { bits: ty, sign, least, most, .. } = SINGLE;
        let largest = most - u64::from(to_odd);
        let [magnitudes, above, infinity, largest] =
            [!sign, least + 1, most, largest].map(|lane| self.lanes_constant(lane, ty));
        let bits = self.as_lanes(column, ty);
        let magnitude = self.ins.ins().band(bits, magnitudes);
        let is_nan = self.ins.ins().icmp(IntCC::SignedGreaterThan, magnitude, infinity);
        let is_tiny = self.ins.ins().icmp(IntCC::SignedGreaterThan, above, magnitude);
        // One that is rounded to odd does not become infinite.
        let is_large = self.ins.ins().icmp(IntCC::Equal, magnitude, largest);
        for (flags, lanes) in [(UNDERFLOW, is_tiny), (OVERFLOW, is_large)] {
            lacking.push((flags, self.ins.ins().band(lanes, differ)));
        }
        lacking.push((INVALID, is_nan));
        self.with_nans(bits, is_nan, &SINGLE)
    }

    /// Results with the NaN that all become.
    fn with_nans(&mut self, bits: Value, is_nan: Value, format: &Format) -> Value {
        let nan = self.lanes_constant(format.most | format.least >> 1, format.bits);
        self.ins.ins().bitselect(is_nan, nan, bits)
    }
}
