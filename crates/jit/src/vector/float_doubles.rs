//! Arithmetic and conversions that take numbers or integers of 32 bits to those of 64, or back, as SIMD instructions of the
//! host, where results and flags cannot differ: half a column becomes a whole one, or two columns become one.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use engine::uop::Uop;
use hart::vector::Vtype;
use hart::vector::compiled::{Checked, FloatDoubling, FloatLane, Operation, Second};

use super::again::{Arithmetic, Origin};
use super::cache::COLUMN;
use super::doubles::Half;
use super::formats::{DOUBLE, Numbers, SINGLE};

use super::guarded::{Computed, Guarded, LONGEST, Rounds};
use super::unusual::Unusual;
use crate::builder::{Builder, Place};

/// Integers of 32 bits with a sign are below this, and those without below its double.
const WORDS: f64 = (1u64 << 31) as f64;

/// What arithmetic on numbers half as wide is once they have become wider.
const fn lane_of(doubling: FloatDoubling) -> Option<FloatLane> {
    Some(match doubling {
        FloatDoubling::Sum { subtracts: false, .. } => FloatLane::VFADD,
        FloatDoubling::Sum { subtracts: true, .. } => FloatLane::VFSUB,
        FloatDoubling::Product => FloatLane::VFMUL,
        FloatDoubling::Accumulated { minus_product: false, minus_sum: false } => FloatLane::VFMACC,
        FloatDoubling::Accumulated { minus_product: true, minus_sum: true } => FloatLane::VFNMACC,
        FloatDoubling::Accumulated { minus_product: false, minus_sum: true } => FloatLane::VFMSAC,
        FloatDoubling::Accumulated { minus_product: true, minus_sum: false } => FloatLane::VFNMSAC,
        _ => return None,
    })
}

impl Builder<'_, '_> {
    /// Compiles a legal instruction of a short body of whole columns; false if it is not one.
    pub(super) fn doubled_floats(
        &mut self,
        operation: &Operation,
        doubling: FloatDoubling,
        body: Checked,
        uop: Uop,
        place: Place,
    ) -> bool {
        let (unit, Some(vtype)) = (self.region.vector, self.vector.vtype) else { return false };
        let Some(guarded) = self.doubled_guardable(operation, doubling, uop, vtype) else { return false };
        let Some(agnostic) = operation.checked(unit, uop.word(), vtype) else { return false };
        self.expect(Some(vtype), place);
        // Before ways part: so it stays at hand.
        self.number_of(guarded.operands.b, types::F32X4);
        let compute = |builder: &mut Self| {
            if doubling == FloatDoubling::Folded {
                return builder.folded_wide_sum(&guarded);
            }
            if let FloatDoubling::Narrowed { to_odd } = doubling {
                return builder.narrowed_numbers(&guarded, to_odd);
            }
            let second = builder.number_of(guarded.operands.b, types::F32X4);
            let of = |column| builder.doubled_column(doubling, &guarded, second, column);
            let (columns, fits): (Vec<_>, Vec<_>) = (0..guarded.body).step_by(COLUMN).map(of).unzip();
            let unusual = lane_of(doubling).map(|_| Unusual::Doubled(doubling));
            Computed { unusual, ..Computed::where_fit(columns, fits.into_iter().flatten().collect()) }
        };
        self.guarded(&guarded, place, compute, |builder| {
            builder.call_checked(body, agnostic, uop, place);
        });
        true
    }

    /// An instruction that can be compiled so. Where registers are shorter than a column, half of one may lie where no column
    /// begins.
    fn doubled_guardable(
        &mut self,
        operation: &Operation,
        doubling: FloatDoubling,
        uop: Uop,
        vtype: Vtype,
    ) -> Option<Guarded> {
        let unit = self.region.vector;
        let vl = self.vector.vl.unwrap_or_else(|| unit.vlmax(vtype.sew, vtype.lmul) as u64);
        let operands = operation.doubled_floats(unit, uop.word(), vtype)?;
        let double = vl << (vtype.sew + 1);
        let is_folded = doubling == FloatDoubling::Folded;
        if is_folded && !self.writes_masks() {
            return None;
        }
        let (body, format) =
            if is_folded || doubling.narrows() { (double / 2, SINGLE) } else { (double, DOUBLE) };
        let is_whole = body.is_multiple_of(COLUMN as u64) && body >= operands.tail_end as u64;
        let is_short = 0 < body && double <= LONGEST;
        let rounds = match doubling {
            FloatDoubling::OfIntegers { .. } => Rounds::Bitwise,
            FloatDoubling::Product | FloatDoubling::Widened => Rounds::Never,
            FloatDoubling::WideIntegers { truncates: true, .. }
            | FloatDoubling::NarrowIntegers { truncates: true, .. }
            | FloatDoubling::Narrowed { to_odd: true } => Rounds::Anyhow,
            FloatDoubling::Sum { .. } | FloatDoubling::Accumulated { .. } | FloatDoubling::Folded => {
                Rounds::Inexactly
            }
            _ => Rounds::Nearest,
        };
        let is_masked = operands.is_masked;
        let guarded = Guarded { operands, format, vl, body: body as usize, rounds, is_masked };
        (is_short && is_whole && unit.vlenb() >= COLUMN).then_some(guarded)
    }

    /// A column of `vd`, and lanes of ones where it is the unit's, too, if that is not everywhere. `second` has a scalar in
    /// all lanes.
    fn doubled_column(
        &mut self,
        doubling: FloatDoubling,
        guarded: &Guarded,
        second: Option<Value>,
        column: usize,
    ) -> (Value, Option<Value>) {
        let (operands, half) = (guarded.operands, Half::of(column));
        let wide = |builder: &mut Self, part: usize| {
            builder.column(operands.a + 2 * column + part * COLUMN, types::F64X2)
        };
        match doubling {
            FloatDoubling::Sum { subtracts, from_double } => {
                let a = if from_double {
                    self.column(operands.a + column, types::F64X2)
                } else {
                    self.promoted(operands.a, half)
                };
                let b = self.second_promoted(guarded, second, half);
                let sum = if subtracts { self.ins.ins().fsub(a, b) } else { self.ins.ins().fadd(a, b) };
                (sum, self.are_plain(&[sum], &DOUBLE, true).pop())
            }
            FloatDoubling::Product | FloatDoubling::Accumulated { .. } => {
                let a = self.promoted(operands.a, half);
                let b = self.second_promoted(guarded, second, half);
                // Exact, for it has at most 48 bits.
                let product = self.ins.ins().fmul(a, b);
                let FloatDoubling::Accumulated { minus_product, minus_sum } = doubling else {
                    return (product, Some(self.ins.ins().fcmp(FloatCC::Ordered, product, product)));
                };
                let d = self.column(operands.d + column, types::F64X2);
                let sum = match (minus_product, minus_sum) {
                    (false, false) => self.ins.ins().fadd(product, d),
                    (false, true) => self.ins.ins().fsub(product, d),
                    (true, false) => self.ins.ins().fsub(d, product),
                    (true, true) => {
                        let product = self.ins.ins().fneg(product);
                        self.ins.ins().fsub(product, d)
                    }
                };
                (sum, self.are_plain(&[sum], &DOUBLE, true).pop())
            }
            // The last two are no such columns.
            FloatDoubling::Widened | FloatDoubling::Folded | FloatDoubling::Narrowed { .. } => {
                let number = self.promoted(operands.a, half);
                (number, Some(self.ins.ins().fcmp(FloatCC::Ordered, number, number)))
            }
            FloatDoubling::WideIntegers { signed, truncates } => {
                let a = self.promoted(operands.a, half);
                self.integers_of(a, DOUBLE, signed, truncates)
            }
            FloatDoubling::OfIntegers { signed } => {
                let words = self.column(operands.a + half.column, types::I32X4);
                let integers = self.widened(words, signed, half.is_high);
                // All of 32 bits are exact.
                (self.doubles_of(integers, true).0, None)
            }
            FloatDoubling::NarrowIntegers { signed, truncates } => {
                let bound = if signed { WORDS } else { 2.0 * WORDS };
                let [low, high] = [0, 1].map(|part| {
                    let a = wide(self, part);
                    let rounded = if truncates { self.ins.ins().trunc(a) } else { self.ins.ins().nearest(a) };
                    let fits = self.within([a, rounded], DOUBLE, bound.to_bits(), signed);
                    [self.low_bits_of(rounded), fits]
                });
                let words = self.lower_halves([low, high].map(|[words, _]| words), types::I32X4);
                (words, Some(self.lower_halves([low, high].map(|[_, fits]| fits), types::I32X4)))
            }
            FloatDoubling::OfWideIntegers { signed } => {
                let [low, high] = [0, 1].map(|part| {
                    let integers = wide(self, part);
                    let integers = self.as_lanes(integers, types::I64X2);
                    let (doubles, are_short) = self.doubles_of(integers, signed);
                    let [single, fits] = self.demoted(doubles);
                    [single, self.ins.ins().band(fits, are_short)]
                });
                let singles = self.first_halves([low, high].map(|[single, _]| single));
                (singles, Some(self.lower_halves([low, high].map(|[_, fits]| fits), types::I32X4)))
            }
        }
    }

    /// The numbers of half a column, as doubles.
    fn promoted(&mut self, group: usize, half: Half) -> Value {
        let singles = self.column(group + half.column, types::F32X4);
        self.promoted_half(singles, half)
    }

    pub(super) fn promoted_half(&mut self, singles: Value, half: Half) -> Value {
        if !half.is_high {
            return self.ins.ins().fvpromote_low(singles);
        }
        let order: [u8; COLUMN] = std::array::from_fn(|byte| (COLUMN / 2 + byte % (COLUMN / 2)) as u8);
        let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
        let bytes = self.as_bytes(singles);
        let bytes = self.ins.ins().shuffle(bytes, bytes, order);
        let singles = self.as_lanes(bytes, types::F32X4);
        self.ins.ins().fvpromote_low(singles)
    }

    /// The same of the second operand, which has a scalar in all lanes if there is one.
    fn second_promoted(&mut self, guarded: &Guarded, second: Option<Value>, half: Half) -> Value {
        match (second, guarded.operands.b) {
            (None, Second::Group(register)) => {
                self.promoted(register as usize * self.region.vector.vlenb(), half)
            }
            (Some(singles), _) => self.ins.ins().fvpromote_low(singles),
            _ => self.promoted(guarded.operands.a, half),
        }
    }

    /// What such an instruction is of numbers that have become wider.
    pub(super) fn doubled_arithmetic(&mut self, doubling: FloatDoubling, guarded: &Guarded) -> Arithmetic {
        let lane = lane_of(doubling).unwrap_or(FloatLane::VFADD);
        let from_double = matches!(doubling, FloatDoubling::Sum { from_double: true, .. });
        let operands = guarded.operands;
        let second = self.number_of(operands.b, types::F32X4);
        let (mut origins, mut singles) = (Vec::new(), Vec::from_iter(second));
        for column in (0..guarded.body).step_by(COLUMN) {
            let half = Half::of(column);
            let a = if from_double {
                self.column(operands.a + column, types::F64X2)
            } else {
                if !half.is_high {
                    singles.push(self.column(operands.a + half.column, types::F32X4));
                }
                self.promoted(operands.a, half)
            };
            let b = self.second_promoted(guarded, second, half);
            if let (Second::Group(register), false) = (operands.b, half.is_high) {
                let b = register as usize * self.region.vector.vlenb() + half.column;
                singles.push(self.column(b, types::F32X4));
            }
            let d = self.column(operands.d + column, types::F64X2);
            origins.push(Origin::of(lane, &Numbers { a, b, d }));
        }
        Arithmetic { lane, format: DOUBLE, origins, singles }
    }

    /// Lanes of ones where a sum has all of each operand. There may be other exact ones.
    pub(super) fn is_exact_sum(&mut self, [a, b]: [Value; 2], sum: Value) -> Value {
        let of_b = self.ins.ins().fsub(sum, a);
        let of_a = self.ins.ins().fsub(sum, of_b);
        let exact_a = self.ins.ins().fcmp(FloatCC::Equal, of_a, a);
        let exact_b = self.ins.ins().fcmp(FloatCC::Equal, of_b, b);
        self.ins.ins().band(exact_a, exact_b)
    }

    /// Doubles as singles in the first two lanes, and where these are the unit's and raise nothing new: they are exact, or
    /// normal numbers above the smallest where the inexact flag is raised.
    fn demoted(&mut self, a: Value) -> [Value; 2] {
        let single = self.ins.ins().fvdemote(a);
        let again = self.ins.ins().fvpromote_low(single);
        let exact = self.ins.ins().fcmp(FloatCC::Equal, again, a);
        let magnitude = self.ins.ins().fabs(again);
        let [least, most] = [f32::MIN_POSITIVE, f32::MAX].map(|bound| {
            let lanes = self.lanes_constant(f64::from(bound).to_bits(), types::I64X2);
            self.as_lanes(lanes, types::F64X2)
        });
        let above = self.ins.ins().fcmp(FloatCC::GreaterThan, magnitude, least);
        let below = self.ins.ins().fcmp(FloatCC::LessThanOrEqual, magnitude, most);
        let plain = self.ins.ins().band(above, below);
        let plain = match self.vector.raised {
            Some(raised) => self.ins.ins().band(plain, raised),
            None => exact,
        };
        [single, self.ins.ins().bor(exact, plain)]
    }

    /// The first halves of two columns in one.
    pub(super) fn first_halves(&mut self, columns: [Value; 2]) -> Value {
        let order: [u8; COLUMN] = std::array::from_fn(|byte| (byte + byte / 8 * 8) as u8);
        let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
        let [low, high] = columns.map(|column| self.as_bytes(column));
        self.ins.ins().shuffle(low, high, order)
    }
}
