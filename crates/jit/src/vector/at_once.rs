//! Comparisons, minima, maxima and conversions as SIMD instructions of the host, if no number is special: neither a NaN, nor
//! one that is no integer of the width. Otherwise an entry of the unit does the whole instruction.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use engine::uop::Uop;
use hart::vector::compiled::{Checked, DirectLane, Directs, Operation, Written};

use super::flags;
use super::guarded::{Computed, Format, Guarded, Numbers};
use crate::builder::{Builder, Place};

/// Its last bit has the weight 1: a sum with it is an integer in its lower bits, of 52 with a sign.
const UNIT: f64 = 1.5 * (1u64 << 52) as f64;
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
        let rounds = matches!(lane, DirectLane::ToIntegers { .. } | DirectLane::FromIntegers { .. });
        let Some(guarded) = self.guardable(operation, uop, vtype, rounds) else { return false };
        // If it is masked, there is none of these.
        let direct = operation.direct(self.region.vector, uop.word(), vtype);
        let Some(agnostic) = operation.checked(self.region.vector, uop.word(), vtype) else { return false };
        let is_mask = directs.written == Written::Mask;
        if is_mask && !self.writes_masks() {
            return false;
        }
        self.expect(Some(vtype), place);
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
                DirectLane::ToIntegers { signed, truncates } => {
                    let convert = |builder: &mut Self, Numbers { a, .. }: Numbers| {
                        builder.integers_of(a, guarded.format, signed, truncates)
                    };
                    builder.each(&numbers, convert)
                }
                DirectLane::FromIntegers { signed } => {
                    let convert = |builder: &mut Self, Numbers { a, .. }: Numbers| {
                        builder.numbers_of(a, guarded.format, signed)
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
        Computed { columns, fits: fits.into_iter().flatten().collect(), is_merged: false }
    }

    /// The column of a mask whose first bits say what holds, if no number is a NaN.
    fn compared_numbers(&mut self, guarded: &Guarded, numbers: &[Numbers], condition: FloatCC) -> Computed {
        let Computed { columns, fits, .. } = self.each(numbers, |builder, Numbers { a, b, .. }| {
            let holds = builder.ins.ins().fcmp(condition, a, b);
            (holds, Some(builder.ins.ins().fcmp(FloatCC::Ordered, a, b)))
        });
        let bits = self.bits_of_lanes(&columns);
        let (d, vl) = (guarded.operands.d, guarded.vl);
        let column =
            if guarded.is_masked { self.with_active_bits(d, bits, vl) } else { self.with_bits(d, bits, vl) };
        Computed { columns: vec![column], fits, is_merged: true }
    }

    /// The least or the greatest of each two numbers, if none is a NaN.
    fn chosen_numbers(&mut self, guarded: &Guarded, numbers: &[Numbers], least: bool) -> Computed {
        let Format { numbers: ty, bits, .. } = guarded.format;
        self.each(numbers, |builder, Numbers { a, b, .. }| {
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
        })
    }

    /// Numbers as integers, and where they are such.
    fn integers_of(
        &mut self,
        a: Value,
        format: Format,
        signed: bool,
        truncates: bool,
    ) -> (Value, Option<Value>) {
        let a = if truncates { self.ins.ins().trunc(a) } else { self.ins.ins().nearest(a) };
        let bits = self.ins.ins().bitcast(format.bits, flags(), a);
        let magnitude = self.lanes_constant(!format.sign, format.bits);
        let magnitude = self.ins.ins().band(bits, magnitude);
        let (integers, bound) = if format.bits == types::I32X4 {
            (self.words_of(a), u64::from(WORD_BOUND.to_bits()))
        } else {
            let unit = self.lanes_constant(UNIT.to_bits(), types::I64X2);
            let number = self.ins.ins().bitcast(types::F64X2, flags(), unit);
            let sum = self.ins.ins().fadd(a, number);
            let sum = self.ins.ins().bitcast(types::I64X2, flags(), sum);
            (self.ins.ins().isub(sum, unit), BOUND.to_bits())
        };
        let bound = self.lanes_constant(bound, format.bits);
        let mut fits = self.ins.ins().icmp(IntCC::SignedLessThan, magnitude, bound);
        if !signed {
            let is_positive = self.ins.ins().icmp(IntCC::Equal, bits, magnitude);
            fits = self.ins.ins().band(fits, is_positive);
        }
        (integers, Some(fits))
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

    /// Integers as numbers, and where these are the nearest ones, if that is not everywhere.
    fn numbers_of(&mut self, a: Value, format: Format, signed: bool) -> (Value, Option<Value>) {
        let integers = self.ins.ins().bitcast(format.bits, flags(), a);
        let zero = self.lanes_constant(0, format.bits);
        if format.bits == types::I32X4 {
            let fits =
                (!signed).then(|| self.ins.ins().icmp(IntCC::SignedGreaterThanOrEqual, integers, zero));
            return (self.ins.ins().fcvt_from_sint(types::F32X4, integers), fits);
        }
        // An integer of 52 bits with a sign, or of 51 without, in the lower bits of a number.
        let unit = self.lanes_constant(UNIT.to_bits(), types::I64X2);
        let sum = self.ins.ins().iadd(integers, unit);
        let [sum, unit] = [sum, unit].map(|bits| self.ins.ins().bitcast(types::F64X2, flags(), bits));
        let number = self.ins.ins().fsub(sum, unit);
        let offset = self.lanes_constant(if signed { 1 << 51 } else { 0 }, types::I64X2);
        let above = self.lanes_constant(if signed { !0 << 52 } else { !0 << 51 }, types::I64X2);
        let moved = self.ins.ins().iadd(integers, offset);
        let beyond = self.ins.ins().band(moved, above);
        (number, Some(self.ins.ins().icmp(IntCC::Equal, beyond, zero)))
    }
}
