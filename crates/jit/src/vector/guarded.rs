//! Floating-point instructions in place where the host's results and flags cannot differ, and by a call otherwise.

use cranelift_codegen::ir::{Block, InstBuilder, Type, Value, types};
use engine::uop::Uop;
use hart::vector::Vtype;
use hart::vector::compiled::{FLOAT_CHANGED, FloatOperands, Operation, Second, offset};

use super::cache::COLUMN;
use crate::builder::{Builder, own};

/// Longest body, in bytes: of a longer one, the unit's call is a small part.
const LONGEST: u64 = 128;
/// `fflags.NX`.
const INEXACT: u64 = 1;

/// Lanes of a width: as numbers, as their bits, and the bounds between which a magnitude is plain.
#[derive(Clone, Copy)]
pub struct Format {
    pub numbers: Type,
    pub bits: Type,
    pub sign: u64,
    pub least: u64,
    pub most: u64,
}

const SINGLE: Format =
    Format { numbers: types::F32X4, bits: types::I32X4, sign: 1 << 31, least: 1 << 23, most: 0xff << 23 };
const DOUBLE: Format =
    Format { numbers: types::F64X2, bits: types::I64X2, sign: 1 << 63, least: 1 << 52, most: 0x7ff << 52 };

/// An instruction whose body is short and of whole columns.
#[derive(Clone, Copy)]
pub struct Guarded {
    pub operands: FloatOperands,
    pub format: Format,
    /// Elements, most likely.
    pub vl: u64,
    /// Bytes of the body.
    pub body: usize,
    /// Results may be rounded: that is done to nearest, and the inexact flag is raised already.
    pub rounds: bool,
}

/// What the host computes.
pub struct Computed {
    /// Columns of `vd`, from the first on.
    pub columns: Vec<Value>,
    /// True if they are the unit's, too; none if they are whatever the numbers.
    pub fits: Option<Value>,
}

/// A column's operands: of `vs2`, the second operand and `vd`, if it is one.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub a: Value,
    pub b: Value,
    pub d: Value,
}

impl Builder<'_, '_> {
    /// An instruction that can be compiled so: legal, unmasked, of a short body of whole columns.
    pub(super) fn guardable(
        &mut self,
        operation: &Operation,
        uop: Uop,
        vtype: Vtype,
        rounds: bool,
    ) -> Option<Guarded> {
        let unit = self.region.vector;
        let vl = self.vector.vl.unwrap_or_else(|| unit.vlmax(vtype.sew, vtype.lmul) as u64);
        let operands = operation.floats(unit, uop.word(), vtype)?;
        let body = vl << vtype.sew;
        let is_short = 0 < body && body <= LONGEST;
        let is_whole = body.is_multiple_of(COLUMN as u64) && body >= operands.tail_end as u64;
        let format = if vtype.sew == 2 { SINGLE } else { DOUBLE };
        (is_short && is_whole).then_some(Guarded { operands, format, vl, body: body as usize, rounds })
    }

    /// Compiles it: `compute` in place, or `call` if something differs.
    pub(super) fn guarded(
        &mut self,
        guarded: &Guarded,
        compute: impl FnOnce(&mut Self) -> Computed,
        call: impl FnOnce(&mut Self),
    ) {
        let differs = self.differences(guarded);
        let d = guarded.operands.d;
        let inline = |builder: &mut Self, around: Block| {
            let Computed { columns, fits } = compute(builder);
            if let Some(fits) = fits {
                let on = builder.ins.create_block();
                builder.ins.ins().brif(fits, on, &[], around, &[]);
                builder.ins.seal_block(on);
                builder.ins.switch_to_block(on);
            }
            for (column, value) in columns.into_iter().enumerate() {
                builder.set_column(d + column * COLUMN, value);
            }
            builder.settle_columns();
        };
        self.inline_unless(differs, inline, call);
    }

    /// Not 0 if the host's results or flags may be others than the unit's, whatever the numbers, or `vl` is not the one
    /// given: a loop whose length is not known has the greatest in all rounds but the last.
    pub(super) fn differences(&mut self, guarded: &Guarded) -> Value {
        let hart = self.hart();
        let mut differs = self.ins.ins().uload8(types::I64, own(), hart, offset::FRM as i32);
        let status = self.ins.ins().load(types::I64, own(), hart, offset::STATUS as i32);
        let mut all_needed = vec![(status, FLOAT_CHANGED)];
        if guarded.rounds {
            let flags = self.ins.ins().uload8(types::I64, own(), hart, offset::FFLAGS as i32);
            all_needed.push((flags, INEXACT));
        }
        for (value, needed) in all_needed {
            let needed = self.constant(needed);
            let present = self.ins.ins().band(value, needed);
            let missing = self.ins.ins().bxor(present, needed);
            differs = self.ins.ins().bor(differs, missing);
        }
        if let (Second::Float(register), types::F32X4) = (guarded.operands.b, guarded.format.numbers) {
            // What is not boxed is a NaN.
            let at = offset::FLOAT_REGISTERS as i32 + i32::from(register) * 8 + 4;
            let high = self.ins.ins().sload32(own(), hart, at);
            let unboxed = self.ins.ins().bnot(high);
            differs = self.ins.ins().bor(differs, unboxed);
        }
        if self.vector.vl.is_none() {
            let (now, expected) = (self.vl(), self.constant(guarded.vl));
            let other = self.ins.ins().bxor(now, expected);
            differs = self.ins.ins().bor(differs, other);
        }
        differs
    }

    /// A second operand that is a register, in all lanes.
    pub(super) fn number(&mut self, Guarded { operands, format, .. }: &Guarded) -> Option<Value> {
        let Second::Float(register) = operands.b else { return None };
        let (hart, at) = (self.hart(), offset::FLOAT_REGISTERS as i32 + i32::from(register) * 8);
        let lane = self.ins.ins().load(format.numbers.lane_type(), own(), hart, at);
        Some(self.ins.ins().splat(format.numbers, lane))
    }

    /// The operands by column; `vd` may be a group of columns or not.
    pub(super) fn numbers(&mut self, guarded: &Guarded, with_d: bool) -> Vec<Numbers> {
        let Guarded { operands, format, .. } = *guarded;
        let scalar = self.number(guarded);
        let vlenb = self.region.vector.vlenb();
        let of = |column: usize| {
            let a = self.column(operands.a + column, format.numbers);
            let b = match (operands.b, scalar) {
                (_, Some(scalar)) => scalar,
                (Second::Group(register), _) => {
                    self.column(register as usize * vlenb + column, format.numbers)
                }
                _ => a,
            };
            let d = if with_d { self.column(operands.d + column, format.numbers) } else { a };
            Numbers { a, b, d }
        };
        (0..guarded.body).step_by(COLUMN).map(of).collect()
    }

    /// The same number in all lanes.
    pub(super) fn lanes_constant(&mut self, lane: u64, ty: Type) -> Value {
        let width = ty.lane_type().bytes() as usize;
        let bytes: Vec<u8> = lane.to_le_bytes()[..width].iter().copied().cycle().take(COLUMN).collect();
        let constant = self.ins.func.dfg.constants.insert(bytes.into());
        self.ins.ins().vconst(ty, constant)
    }
}
