//! Floating-point arithmetic as SIMD instructions of the host, where results and flags cannot differ: it rounds to
//! nearest even, the inexact flag is raised already, and every result is a normal number above the smallest, or a sum,
//! which is exact where it is tiny. Where one is not, the unit executes the whole instruction.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use engine::uop::Uop;
use hart::vector::compiled::{Checked, FLOAT_CHANGED, FloatLane, FloatOperands, Operation, Second, offset};

use super::cache::COLUMN;
use super::flags;
use crate::builder::{Builder, Place, own};

/// Longest body, in bytes: of a longer one, the unit's call is a small part.
const LONGEST: u64 = 128;
/// `fflags.NX`.
const INEXACT: u64 = 1;

/// Computes lanes from `a` of `vs2`, `b` of the second operand and `d` of `vd`.
type Lanes = fn(&mut FunctionBuilder<'_>, a: Value, b: Value, d: Value) -> Value;

/// How the host does an operation, and whether it needs its fused multiplication and addition.
fn host(lane: FloatLane) -> (Lanes, bool) {
    let plain: Lanes = match lane {
        FloatLane::VFADD => |ins, a, b, _| ins.ins().fadd(a, b),
        FloatLane::VFSUB => |ins, a, b, _| ins.ins().fsub(a, b),
        FloatLane::VFRSUB => |ins, a, b, _| ins.ins().fsub(b, a),
        FloatLane::VFMUL => |ins, a, b, _| ins.ins().fmul(a, b),
        FloatLane::VFDIV => |ins, a, b, _| ins.ins().fdiv(a, b),
        FloatLane::VFRDIV => |ins, a, b, _| ins.ins().fdiv(b, a),
        FloatLane::VFSQRT => |ins, a, _, _| ins.ins().sqrt(a),
        FloatLane::VFMACC => return (|ins, a, b, d| fused(ins, [a, b, d], false, false), true),
        FloatLane::VFNMACC => return (|ins, a, b, d| fused(ins, [a, b, d], true, true), true),
        FloatLane::VFMSAC => return (|ins, a, b, d| fused(ins, [a, b, d], false, true), true),
        FloatLane::VFNMSAC => return (|ins, a, b, d| fused(ins, [a, b, d], true, false), true),
        FloatLane::VFMADD => return (|ins, a, b, d| fused(ins, [d, b, a], false, false), true),
        FloatLane::VFNMADD => return (|ins, a, b, d| fused(ins, [d, b, a], true, true), true),
        FloatLane::VFMSUB => return (|ins, a, b, d| fused(ins, [d, b, a], false, true), true),
        FloatLane::VFNMSUB => return (|ins, a, b, d| fused(ins, [d, b, a], true, false), true),
    };
    (plain, false)
}

/// True if tiny results are exact.
const fn is_sum(lane: FloatLane) -> bool {
    matches!(lane, FloatLane::VFADD | FloatLane::VFSUB | FloatLane::VFRSUB)
}

/// ±x · y ± z, rounded once.
fn fused(
    ins: &mut FunctionBuilder<'_>,
    [x, y, z]: [Value; 3],
    minus_product: bool,
    minus_sum: bool,
) -> Value {
    let x = if minus_product { ins.ins().fneg(x) } else { x };
    let z = if minus_sum { ins.ins().fneg(z) } else { z };
    ins.ins().fma(x, y, z)
}

/// True if the host multiplies and adds in one.
pub fn fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

/// Lanes of a width: as numbers, as their bits, and the bounds between which a magnitude is plain.
struct Format {
    numbers: Type,
    bits: Type,
    sign: u64,
    least: u64,
    most: u64,
}

const SINGLE: Format =
    Format { numbers: types::F32X4, bits: types::I32X4, sign: 1 << 31, least: 1 << 23, most: 0xff << 23 };
const DOUBLE: Format =
    Format { numbers: types::F64X2, bits: types::I64X2, sign: 1 << 63, least: 1 << 52, most: 0x7ff << 52 };

impl Builder<'_, '_> {
    /// Compiles a legal, unmasked instruction of a short body of whole columns; false if it is not one.
    pub(super) fn floats(
        &mut self,
        operation: &Operation,
        lane: FloatLane,
        checked: Checked,
        uop: Uop,
        place: Place,
    ) -> bool {
        let (unit, Some(vtype)) = (self.region.vector, self.vector.vtype) else { return false };
        let vl = self.vector.vl.unwrap_or_else(|| unit.vlmax(vtype.sew, vtype.lmul) as u64);
        let Some(operands) = operation.floats(unit, uop.word(), vtype) else { return false };
        let body = vl << vtype.sew;
        let is_short =
            body <= LONGEST && body.is_multiple_of(COLUMN as u64) && body >= operands.tail_end as u64;
        let (lanes, is_fused) = host(lane);
        if body == 0 || !is_short || is_fused && !fuses() {
            return false;
        }
        let agnostic = operation.checked(unit, uop.word(), vtype);
        self.expect(Some(vtype), place);
        self.store_columns();
        let format = if vtype.sew == 2 { SINGLE } else { DOUBLE };
        let columns: Vec<usize> = (0..body as usize).step_by(COLUMN).collect();
        let (slow, done) = (self.ins.create_block(), self.ins.create_block());
        for _ in &columns {
            self.ins.append_block_param(done, types::I8X16);
        }

        let differs = self.may_differ(operands.b, &format, vl);
        let fast = self.ins.create_block();
        self.ins.ins().brif(differs, slow, &[], fast, &[]);
        self.ins.seal_block(fast);
        self.ins.switch_to_block(fast);
        let results = self.results(lanes, operands, &format, &columns);
        let plain = self.are_plain(&results, &format, is_sum(lane));
        let store = self.ins.create_block();
        self.ins.ins().brif(plain, store, &[], slow, &[]);
        self.ins.seal_block(store);
        self.ins.seal_block(slow);
        self.ins.switch_to_block(store);
        let mut stored = Vec::new();
        for (&column, &value) in columns.iter().zip(&results) {
            self.set_column(operands.d + column, value);
            stored.push(BlockArg::Value(self.column(operands.d + column, types::I8X16)));
        }
        self.store_columns();
        self.ins.ins().jump(done, &stored);

        self.ins.switch_to_block(slow);
        self.ins.set_cold_block(slow);
        match agnostic {
            Some(agnostic) => self.call_checked(checked, agnostic, uop, place),
            None => self.call_unit(uop, place),
        }
        let loaded: Vec<_> = columns
            .iter()
            .map(|column| BlockArg::Value(self.column(operands.d + column, types::I8X16)))
            .collect();
        self.ins.ins().jump(done, &loaded);

        self.ins.seal_block(done);
        self.ins.switch_to_block(done);
        // Other columns at hand would have to outlive the call.
        self.clear_columns();
        let values = self.ins.block_params(done).to_vec();
        for (&column, value) in columns.iter().zip(values) {
            self.note_column(operands.d + column, value);
        }
        true
    }

    /// True if the host's results or flags may be others than the unit's, whatever the numbers, or `vl` is not the one
    /// given: a loop whose length is not known has the greatest in all rounds but the last.
    fn may_differ(&mut self, second: Second, format: &Format, vl: u64) -> Value {
        let hart = self.hart();
        let mut differs = self.ins.ins().uload8(types::I64, own(), hart, offset::FRM as i32);
        let flags = self.ins.ins().uload8(types::I64, own(), hart, offset::FFLAGS as i32);
        let status = self.ins.ins().load(types::I64, own(), hart, offset::STATUS as i32);
        for (value, needed) in [(flags, INEXACT), (status, FLOAT_CHANGED)] {
            let needed = self.constant(needed);
            let present = self.ins.ins().band(value, needed);
            let missing = self.ins.ins().bxor(present, needed);
            differs = self.ins.ins().bor(differs, missing);
        }
        if let (Second::Float(register), types::F32X4) = (second, format.numbers) {
            // What is not boxed is a NaN.
            let at = offset::FLOAT_REGISTERS as i32 + i32::from(register) * 8 + 4;
            let high = self.ins.ins().sload32(own(), hart, at);
            let unboxed = self.ins.ins().bnot(high);
            differs = self.ins.ins().bor(differs, unboxed);
        }
        if self.vector.vl.is_none() {
            let (now, expected) = (self.vl(), self.constant(vl));
            let other = self.ins.ins().bxor(now, expected);
            differs = self.ins.ins().bor(differs, other);
        }
        let zero = self.constant(0);
        self.ins.ins().icmp(IntCC::NotEqual, differs, zero)
    }

    /// The results by column.
    fn results(
        &mut self,
        lanes: Lanes,
        operands: FloatOperands,
        format: &Format,
        columns: &[usize],
    ) -> Vec<Value> {
        let scalar = match operands.b {
            Second::Float(register) => {
                let (hart, at) = (self.hart(), offset::FLOAT_REGISTERS as i32 + i32::from(register) * 8);
                let lane = self.ins.ins().load(format.numbers.lane_type(), own(), hart, at);
                Some(self.ins.ins().splat(format.numbers, lane))
            }
            _ => None,
        };
        let vlenb = self.region.vector.vlenb();
        let of = |&column: &usize| {
            let a = self.column(operands.a + column, format.numbers);
            let b = match (operands.b, scalar) {
                (_, Some(scalar)) => scalar,
                (Second::Group(register), _) => {
                    self.column(register as usize * vlenb + column, format.numbers)
                }
                _ => a,
            };
            let d = self.column(operands.d + column, format.numbers);
            lanes(&mut self.ins, a, b, d)
        };
        columns.iter().map(of).collect()
    }

    /// True if all results are normal numbers above the smallest, or finite sums.
    fn are_plain(&mut self, results: &[Value], format: &Format, are_sums: bool) -> Value {
        let [magnitude, least, most] =
            [!format.sign, format.least, format.most].map(|lane| self.lanes_constant(lane, format.bits));
        let mut plain = None;
        for &value in results {
            let bits = self.ins.ins().bitcast(format.bits, flags(), value);
            let bits = self.ins.ins().band(bits, magnitude);
            let below = self.ins.ins().icmp(IntCC::SignedLessThan, bits, most);
            let both = if are_sums {
                below
            } else {
                let above = self.ins.ins().icmp(IntCC::SignedGreaterThan, bits, least);
                self.ins.ins().band(above, below)
            };
            plain = Some(plain.map_or(both, |all| self.ins.ins().band(all, both)));
        }
        match plain {
            Some(plain) => self.ins.ins().vall_true(plain),
            None => self.constant(1),
        }
    }

    /// The same number in all lanes.
    fn lanes_constant(&mut self, lane: u64, ty: Type) -> Value {
        let width = ty.lane_type().bytes() as usize;
        let bytes: Vec<u8> = lane.to_le_bytes()[..width].iter().copied().cycle().take(COLUMN).collect();
        let constant = self.ins.func.dfg.constants.insert(bytes.into());
        self.ins.ins().vconst(ty, constant)
    }
}
