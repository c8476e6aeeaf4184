//! Comparisons, minima, maxima and conversions as SIMD instructions of the host, if no number is special: neither a NaN, nor
//! one that is no integer of the width. Otherwise an entry of the unit does the whole instruction.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use engine::uop::Uop;
use hart::vector::compiled::{Checked, DirectLane, Directs, Operation, Written};

use super::flags;
use super::formats::{Format, Numbers};
use super::guarded::{Computed, Guarded, Rounds};
use super::unusual::Unusual;
use crate::builder::{Builder, Place};

/// Its last bit has the weight 1: a sum with it is an integer in its lower bits, of 52 with a sign.
const UNIT: f64 = 1.5 * (1u64 << 52) as f64;
/// Numbers whose last bit has the weight 1, and 2³²: 32 bits of an integer in their places are added to them.
const LOW: f64 = (1u64 << 52) as f64;
const HIGH: f64 = LOW * (1u64 << 32) as f64;
/// The same, if the highest bit is a sign, which is then the other way round.
const HIGH_SIGNED: f64 = HIGH + (1u64 << 63) as f64;
/// The magnitude from which on there are more bits than that.
const BOUND: f64 = (1u64 << 51) as f64;
/// The same of integers of 32 bits.
const WORD_BOUND: f32 = (1u64 << 31) as f32;

impl Builder<'_, '_> {
    /// Compiles a legal instruction of a short body of whole columns, and of a kind that the host has; false if it is not
    /// one.
    pub(super) fn at_once(
        &mut self,
        operation: &Operation,
        directs: &Directs,
        body: Checked,
        uop: Uop,
        place: Place,
    ) -> bool {
        let (Some(lane), Some(vtype)) = (directs.lane, self.vector.vtype) else { return false };
        let rounds = match lane {
            DirectLane::ToIntegers { truncates: true, .. } => Rounds::Anyhow,
            DirectLane::ToIntegers { .. } | DirectLane::FromIntegers { .. } => Rounds::Nearest,
            DirectLane::VFREDUSUM | DirectLane::VFREDOSUM => Rounds::Inexactly,
            _ => Rounds::Never,
        };
        let Some(guarded) = self.guardable(operation, uop, vtype, rounds) else { return false };
        // If it is masked, there is none of these.
        let direct = operation.direct(self.region.vector, uop.word(), vtype);
        let Some(agnostic) = operation.checked(self.region.vector, uop.word(), vtype) else { return false };
        // What is written to a part of a register.
        if directs.written != Written::Elements && !self.writes_masks() {
            return false;
        }
        self.expect(Some(vtype), place);
        // Before ways part: so it stays at hand.
        self.number(&guarded);
        let compute = |builder: &mut Self| {
            let numbers = builder.numbers(&guarded, false);
            match lane {
                DirectLane::VMFEQ => builder.compared_numbers(&guarded, &numbers, FloatCC::Equal),
                DirectLane::VMFNE => builder.compared_numbers(&guarded, &numbers, FloatCC::NotEqual),
                DirectLane::VMFLT => builder.compared_numbers(&guarded, &numbers, FloatCC::LessThan),
                DirectLane::VMFLE => builder.compared_numbers(&guarded, &numbers, FloatCC::LessThanOrEqual),
                DirectLane::VMFGT => builder.compared_numbers(&guarded, &numbers, FloatCC::GreaterThan),
                DirectLane::VMFGE => {
                    builder.compared_numbers(&guarded, &numbers, FloatCC::GreaterThanOrEqual)
                }
                DirectLane::VFMIN => builder.chosen_numbers(&guarded, &numbers, true),
                DirectLane::VFMAX => builder.chosen_numbers(&guarded, &numbers, false),
                DirectLane::VFREDUSUM | DirectLane::VFREDOSUM => builder.folded_sum(&guarded, &numbers),
                DirectLane::VFREDMIN => builder.folded_extreme(&guarded, &numbers, true),
                DirectLane::VFREDMAX => builder.folded_extreme(&guarded, &numbers, false),
                DirectLane::ToIntegers { signed, truncates } => {
                    let convert = |builder: &mut Self, Numbers { a, .. }: Numbers| {
                        builder.integers_of(a, guarded.format, signed, truncates)
                    };
                    builder.each(&numbers, convert)
                }
                DirectLane::FromIntegers { signed } => {
                    let convert = |builder: &mut Self, Numbers { a, .. }: Numbers| {
                        let (number, fits) = builder.numbers_of(a, guarded.format, signed);
                        let small = builder.has_digits(a, guarded.format, signed);
                        let exact = builder.exact_or_raised(small);
                        let fits = fits.map_or(exact, |fits| builder.ins.ins().band(fits, exact));
                        (number, Some(fits))
                    };
                    builder.each(&numbers, convert)
                }
            }
        };
        self.guarded(&guarded, place, compute, |builder| match direct {
            Some(direct) => builder.call_direct(direct, uop, place),
            None => builder.call_checked(body, agnostic, uop, place),
        });
        true
    }

    /// Columns that are computed one by one, with lanes of ones where they fit, if that is not everywhere.
    fn each(
        &mut self,
        numbers: &[Numbers],
        mut of: impl FnMut(&mut Self, Numbers) -> (Value, Option<Value>),
    ) -> Computed {
        let (columns, fits): (Vec<_>, Vec<_>) = numbers.iter().map(|&numbers| of(self, numbers)).unzip();
        Computed::where_fit(columns, fits.into_iter().flatten().collect())
    }

    /// The column of a mask whose first bits say what holds, if no number is a NaN.
    fn compared_numbers(&mut self, guarded: &Guarded, numbers: &[Numbers], condition: FloatCC) -> Computed {
        let Computed { columns, fits, .. } = self.each(numbers, |builder, Numbers { a, b, .. }| {
            let holds = builder.ins.ins().fcmp(condition, a, b);
            (holds, Some(builder.ins.ins().fcmp(FloatCC::Ordered, a, b)))
        });
        let bits = self.bits_of_lanes(&columns);
        let (d, vl) = (guarded.operands.d, guarded.vl);
        let masks = self.masks_of(guarded);
        let fits = self.of_active(&fits, &masks);
        let is_quiet = matches!(condition, FloatCC::Equal | FloatCC::NotEqual);
        let unusual = Some(Unusual::Compared { is_quiet });
        let column =
            if guarded.is_masked { self.with_active_bits(d, bits, vl) } else { self.with_bits(d, bits, vl) };
        Computed { is_merged: true, unusual, ..Computed::where_fit(vec![column], fits) }
    }

    /// The least or the greatest of each two numbers, if none is a NaN.
    fn chosen_numbers(&mut self, guarded: &Guarded, numbers: &[Numbers], least: bool) -> Computed {
        let Format { numbers: ty, bits, .. } = guarded.format;
        let chosen = self.each(numbers, |builder, Numbers { a, b, .. }| {
            // The host's instruction gives the second of two zeros.
            let both = [(a, b), (b, a)].map(|(a, b)| {
                let (less, greater) = if least { (a, b) } else { (b, a) };
                let is_first = builder.ins.ins().fcmp(FloatCC::LessThan, less, greater);
                let is_first = builder.ins.ins().bitcast(ty, flags(), is_first);
                let chosen = builder.ins.ins().bitselect(is_first, a, b);
                builder.ins.ins().bitcast(bits, flags(), chosen)
            });
            // The sign of −0 is set: it is the least, and +0 the greatest.
            let chosen = match least {
                true => builder.ins.ins().bor(both[0], both[1]),
                false => builder.ins.ins().band(both[0], both[1]),
            };
            (chosen, Some(builder.ins.ins().fcmp(FloatCC::Ordered, a, b)))
        });
        Computed { unusual: Some(Unusual::Chosen), ..chosen }
    }

    /// Numbers as integers, and where they are such, and exact if that matters.
    pub(super) fn integers_of(
        &mut self,
        a: Value,
        format: Format,
        signed: bool,
        truncates: bool,
    ) -> (Value, Option<Value>) {
        let rounded = if truncates { self.ins.ins().trunc(a) } else { self.ins.ins().nearest(a) };
        let integers =
            if format.bits == types::I32X4 { self.words_of(rounded) } else { self.low_bits_of(rounded) };
        let bound = if format.bits == types::I32X4 { WORD_BOUND.to_bits().into() } else { BOUND.to_bits() };
        let fits = self.within([a, rounded], format, bound, signed);
        (integers, Some(fits))
    }

    /// Lanes of ones where rounded numbers are integers whose magnitude is below a bound, and which are not negative or may
    /// be, and are exact if that matters.
    pub(super) fn within(
        &mut self,
        [a, rounded]: [Value; 2],
        format: Format,
        bound: u64,
        signed: bool,
    ) -> Value {
        let exact = self.ins.ins().fcmp(FloatCC::Equal, a, rounded);
        let exact = self.exact_or_raised(exact);
        let bound = self.lanes_constant(bound, format.bits);
        let bound = self.as_lanes(bound, format.numbers);
        let zero = self.lanes_constant(0, format.bits);
        let zero = self.as_lanes(zero, format.numbers);
        let magnitude = if signed { self.ins.ins().fabs(rounded) } else { rounded };
        let mut fits = self.ins.ins().fcmp(FloatCC::LessThan, magnitude, bound);
        if !signed {
            let is_positive = self.ins.ins().fcmp(FloatCC::GreaterThanOrEqual, rounded, zero);
            fits = self.ins.ins().band(fits, is_positive);
        }
        self.ins.ins().band(fits, exact)
    }

    /// Integral doubles as integers in the lowest bits of lanes, if these are at most 52 with a sign.
    pub(super) fn low_bits_of(&mut self, rounded: Value) -> Value {
        let unit = self.lanes_constant(UNIT.to_bits(), types::I64X2);
        let number = self.ins.ins().bitcast(types::F64X2, flags(), unit);
        let sum = self.ins.ins().fadd(rounded, number);
        let sum = self.ins.ins().bitcast(types::I64X2, flags(), sum);
        self.ins.ins().isub(sum, unit)
    }

    /// Integral numbers as integers of 32 bits, which they are.
    fn words_of(&mut self, a: Value) -> Value {
        if cfg!(target_arch = "x86_64") {
            // Without what makes it saturate.
            self.ins.ins().x86_cvtt2dq(types::I32X4, a)
        } else {
            self.ins.ins().fcvt_to_sint_sat(types::I32X4, a)
        }
    }

    /// Integers as the nearest numbers, and where they are that, if it is not everywhere.
    pub(super) fn numbers_of(&mut self, a: Value, format: Format, signed: bool) -> (Value, Option<Value>) {
        let integers = self.as_lanes(a, format.bits);
        if format.bits == types::I32X4 {
            let zero = self.lanes_constant(0, format.bits);
            let fits =
                (!signed).then(|| self.ins.ins().icmp(IntCC::SignedGreaterThanOrEqual, integers, zero));
            return (self.ins.ins().fcvt_from_sint(types::F32X4, integers), fits);
        }
        // Both halves are exact as numbers, and are rounded once, when they are added.
        let (low, half) = (self.lanes_constant(LOW.to_bits(), types::I64X2), self.constant(32));
        let low_mask = self.lanes_constant(u64::MAX >> 32, types::I64X2);
        let low_half = self.ins.ins().bitselect(low_mask, integers, low);
        let (high, both) = if signed { (HIGH_SIGNED, HIGH_SIGNED + LOW) } else { (HIGH, HIGH + LOW) };
        let high = self.lanes_constant(high.to_bits(), types::I64X2);
        let high_half = self.ins.ins().ushr(integers, half);
        let high_half = self.ins.ins().bxor(high_half, high);
        let both = self.lanes_constant(both.to_bits(), types::I64X2);
        let [low_half, high_half, both] =
            [low_half, high_half, both].map(|bits| self.ins.ins().bitcast(types::F64X2, flags(), bits));
        let high_half = self.ins.ins().fsub(high_half, both);
        (self.ins.ins().fadd(high_half, low_half), None)
    }

    /// Lanes of ones where integers have no more digits than numbers do.
    fn has_digits(&mut self, a: Value, format: Format, signed: bool) -> Value {
        let integers = self.as_lanes(a, format.bits);
        let magnitude = if signed { self.ins.ins().iabs(integers) } else { integers };
        let more = self.lanes_constant(!(2 * format.least - 1), format.bits);
        let more = self.ins.ins().band(magnitude, more);
        let none = self.lanes_constant(0, format.bits);
        self.ins.ins().icmp(IntCC::Equal, more, none)
    }

    /// Integers as doubles, if they have at most 52 bits with a sign.
    pub(super) fn doubles_of(&mut self, integers: Value) -> Value {
        let unit = self.lanes_constant(UNIT.to_bits(), types::I64X2);
        let sum = self.ins.ins().iadd(integers, unit);
        let [sum, unit] = [sum, unit].map(|bits| self.ins.ins().bitcast(types::F64X2, flags(), bits));
        self.ins.ins().fsub(sum, unit)
    }
}
