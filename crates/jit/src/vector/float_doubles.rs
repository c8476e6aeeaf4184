//! Arithmetic and conversions that take numbers or integers of 32 bits to those of 64, or back, as SIMD instructions of the
//! host, where results and flags cannot differ: half a column becomes a whole one, or two columns become one.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;
use engine::uop::Uop;
use hart::vector::Vtype;
use hart::vector::compiled::{Checked, FloatDoubling, FloatLane, Operation, Second};

use super::cache::COLUMN;
use super::doubles::Half;
use super::formats::{DOUBLE, Numbers, SINGLE};
use super::guarded::{Computed, Guarded, LONGEST, Rounds};
use super::unusual::Unusual;
use crate::builder::{Builder, Place};

/// Integers of 32 bits with a sign are below this, and those without below its double.
const WORDS: f64 = (1u64 << 31) as f64;

/// Computes doubles from `a` of `vs2`, `b` of the second operand and `d` of `vd`.
type Lanes = fn(&mut FunctionBuilder<'_>, a: Value, b: Value, d: Value) -> Value;

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
        let compute = |builder: &mut Self| builder.computed_doubled(doubling, &guarded);
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
        let is_folded = matches!(doubling, FloatDoubling::Folded { .. });
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
            FloatDoubling::Sum { .. }
            | FloatDoubling::Accumulated { .. }
            | FloatDoubling::Folded { .. }
            | FloatDoubling::OfWideIntegers { .. } => Rounds::Inexactly,
            _ => Rounds::Nearest,
        };
        let is_masked = operands.is_masked;
        let guarded = Guarded { operands, format, vl, body: body as usize, rounds, is_masked };
        (is_short && is_whole && unit.vlenb() >= COLUMN).then_some(guarded)
    }

    fn computed_doubled(&mut self, doubling: FloatDoubling, guarded: &Guarded) -> Computed {
        let (lane, of): (FloatLane, Lanes) = match doubling {
            FloatDoubling::Folded { .. } => return self.folded_wide_sum(guarded),
            FloatDoubling::Narrowed { to_odd } => return self.narrowed_numbers(guarded, to_odd),
            FloatDoubling::Widened => return self.widened_numbers(guarded),
            FloatDoubling::WideIntegers { signed, truncates } => {
                return self.wide_integers(guarded, signed, truncates);
            }
            FloatDoubling::NarrowIntegers { signed, truncates } => {
                return self.narrow_integers(guarded, signed, truncates);
            }
            FloatDoubling::OfIntegers { signed } => return self.doubles_of_words(guarded, signed),
            FloatDoubling::OfWideIntegers { signed } => return self.singles_of_wide(guarded, signed),
            FloatDoubling::Sum { subtracts: false, .. } => {
                (FloatLane::VFADD, |ins, a, b, _| ins.ins().fadd(a, b))
            }
            FloatDoubling::Sum { subtracts: true, .. } => {
                (FloatLane::VFSUB, |ins, a, b, _| ins.ins().fsub(a, b))
            }
            // Exact, for it has at most 48 bits.
            FloatDoubling::Product => (FloatLane::VFMUL, |ins, a, b, _| ins.ins().fmul(a, b)),
            FloatDoubling::Accumulated { minus_product: false, minus_sum: false } => {
                (FloatLane::VFMACC, |ins, a, b, d| {
                    let product = ins.ins().fmul(a, b);
                    ins.ins().fadd(product, d)
                })
            }
            FloatDoubling::Accumulated { minus_product: false, minus_sum: true } => {
                (FloatLane::VFMSAC, |ins, a, b, d| {
                    let product = ins.ins().fmul(a, b);
                    ins.ins().fsub(product, d)
                })
            }
            FloatDoubling::Accumulated { minus_product: true, minus_sum: false } => {
                (FloatLane::VFNMSAC, |ins, a, b, d| {
                    let product = ins.ins().fmul(a, b);
                    ins.ins().fsub(d, product)
                })
            }
            FloatDoubling::Accumulated { minus_product: true, minus_sum: true } => {
                (FloatLane::VFNMACC, |ins, a, b, d| {
                    let product = ins.ins().fmul(a, b);
                    let product = ins.ins().fneg(product);
                    ins.ins().fsub(product, d)
                })
            }
        };
        let from_double = matches!(doubling, FloatDoubling::Sum { from_double: true, .. });
        let numbers = self.doubled_numbers(lane, from_double, guarded);
        let result = |&Numbers { a, b, d }: &Numbers| of(&mut self.ins, a, b, d);
        let columns: Vec<Value> = numbers.iter().map(result).collect();
        let fits = if lane == FloatLane::VFMUL {
            let is_number = |&product: &Value| self.ins.ins().fcmp(FloatCC::Ordered, product, product);
            columns.iter().map(is_number).collect()
        } else {
            self.are_plain(&columns, &DOUBLE, true)
        };
        let unusual = Some(Unusual::Doubled { lane, from_double, numbers });
        Computed { unusual, ..Computed::where_fit(columns, fits) }
    }

    /// The operands by column, which have become wider, but for the first ones if these are so already.
    fn doubled_numbers(&mut self, lane: FloatLane, from_double: bool, guarded: &Guarded) -> Vec<Numbers> {
        let operands = guarded.operands;
        let with_d = !lane.is_sum() && lane != FloatLane::VFMUL;
        let of = |column: usize| {
            let half = Half::of(column);
            let a = if from_double {
                self.column(operands.a + column, types::F64X2)
            } else {
                self.promoted(operands.a, half)
            };
            let b = self.second_promoted(guarded, half);
            let d = if with_d { self.column(operands.d + column, types::F64X2) } else { a };
            Numbers { a, b, d }
        };
        (0..guarded.body).step_by(COLUMN).map(of).collect()
    }

    /// Integers of 32 bits as doubles, which are exact.
    fn doubles_of_words(&mut self, guarded: &Guarded, signed: bool) -> Computed {
        let of = |column: usize| {
            let half = Half::of(column);
            let words = self.column(guarded.operands.a + half.column, types::I32X4);
            let integers = self.widened(words, signed, half.is_high);
            self.doubles_of(integers)
        };
        Computed::always((0..guarded.body).step_by(COLUMN).map(of).collect())
    }

    /// Doubles as integers of 32 bits.
    fn narrow_integers(&mut self, guarded: &Guarded, signed: bool, truncates: bool) -> Computed {
        let bound = if signed { WORDS } else { 2.0 * WORDS };
        let of = |column: usize| {
            let [low, high] = [0, COLUMN].map(|part| {
                let a = self.column(guarded.operands.a + 2 * column + part, types::F64X2);
                let rounded = if truncates { self.ins.ins().trunc(a) } else { self.ins.ins().nearest(a) };
                let fits = self.within([a, rounded], DOUBLE, bound.to_bits(), signed);
                [self.low_bits_of(rounded), fits]
            });
            let words = self.lower_halves([low, high].map(|[words, _]| words), types::I32X4);
            let fits = self.lower_halves([low, high].map(|[_, fits]| fits), types::I32X4);
            (words, self.as_lanes(fits, types::I32X4))
        };
        let (columns, fits) = (0..guarded.body).step_by(COLUMN).map(of).unzip();
        Computed::where_fit(columns, fits)
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

    /// The same of the second operand, which may be a scalar.
    fn second_promoted(&mut self, guarded: &Guarded, half: Half) -> Value {
        match (self.number_of(guarded.operands.b, types::F32X4), guarded.operands.b) {
            (Some(singles), _) => self.ins.ins().fvpromote_low(singles),
            (None, Second::Group(register)) => {
                self.promoted(register as usize * self.region.vector.vlenb(), half)
            }
            _ => self.promoted(guarded.operands.a, half),
        }
    }

    /// Columns of the numbers that became wider.
    pub(super) fn singles_of(&mut self, guarded: &Guarded, from_double: bool) -> Vec<Value> {
        let operands = guarded.operands;
        let mut singles = Vec::from_iter(self.number_of(operands.b, types::F32X4));
        for column in (0..guarded.body / 2).step_by(COLUMN) {
            if !from_double {
                singles.push(self.column(operands.a + column, types::F32X4));
            }
            if let Second::Group(register) = operands.b {
                let b = register as usize * self.region.vector.vlenb() + column;
                singles.push(self.column(b, types::F32X4));
            }
        }
        singles
    }

    /// Lanes of ones where a sum has all of each operand. There may be other exact ones.
    pub(super) fn is_exact_sum(&mut self, [a, b]: [Value; 2], sum: Value) -> Value {
        let of_b = self.ins.ins().fsub(sum, a);
        let of_a = self.ins.ins().fsub(sum, of_b);
        let exact_a = self.ins.ins().fcmp(FloatCC::Equal, of_a, a);
        let exact_b = self.ins.ins().fcmp(FloatCC::Equal, of_b, b);
        self.ins.ins().band(exact_a, exact_b)
    }

    /// The first halves of two columns in one.
    pub(super) fn first_halves(&mut self, columns: [Value; 2]) -> Value {
        let order: [u8; COLUMN] = std::array::from_fn(|byte| (byte + byte / 8 * 8) as u8);
        let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
        let [low, high] = columns.map(|column| self.as_bytes(column));
        self.ins.ins().shuffle(low, high, order)
    }
}
