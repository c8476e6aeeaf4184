//! Instructions on scalar floating-point registers, which stay where the hart has them: those that move bits, and
//! arithmetic where the host's results and flags cannot differ, as for vectors (`vector/floats.rs`).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use engine::uop::Uop;
use hart::fault::Access;
use hart::float::compiled::{Arithmetic, Compiled, Sign, compiled};
use hart::unit::Fields;
use hart::vector::compiled::{FLOAT_CHANGED, offset};

use crate::access::{bits_of, guest};
use crate::builder::{Builder, Extension, FloatStatus, Place, own};
use crate::shape;
use crate::vector::flags as cast;

/// `fflags.NX`.
const INEXACT: u64 = 1;

/// A format: its type, the mask that boxes it in a register, its sign, and between what magnitudes a result is plain.
struct Format {
    number: Type,
    bits: Type,
    boxed: u64,
    sign: u64,
    least: u64,
    most: u64,
}

const SINGLE: Format = Format {
    number: types::F32,
    bits: types::I32,
    boxed: !0 << 32,
    sign: 1 << 31,
    least: 1 << 23,
    most: 0xff << 23,
};
const DOUBLE: Format = Format {
    number: types::F64,
    bits: types::I64,
    boxed: 0,
    sign: 1 << 63,
    least: 1 << 52,
    most: 0x7ff << 52,
};

impl Builder<'_, '_> {
    /// Compiles an instruction of a unit, if it is one on scalar floating-point registers that is done here.
    pub fn float(&mut self, uop: Uop, place: Place) -> bool {
        if !place.straight {
            return false;
        }
        let site = shape::site(self.region, uop);
        let word = uop.word();
        let Some(does) = compiled(&site.instruction.name, site.effects, word) else { return false };
        let fields = Fields(word);
        match does {
            Compiled::Load(bits) => {
                self.need(FloatStatus::Changed, place);
                let (address, offset) =
                    self.reach_float(fields, word as i32 >> 20, Access::Load, bits, place);
                let value = match bits {
                    64 => self.ins.ins().load(types::I64, guest(), address, offset),
                    32 => self.ins.ins().uload32(guest(), address, offset),
                    _ => self.ins.ins().uload16(types::I64, guest(), address, offset),
                };
                self.set_boxed(fields.rd(), value, bits);
            }
            Compiled::Store(bits) => {
                self.need(FloatStatus::On, place);
                let offset = word as i32 >> 25 << 5 | fields.rd() as i32;
                let (address, offset) = self.reach_float(fields, offset, Access::Store, bits, place);
                let value = self.get_float(fields.rs2(), bits_of(bits));
                self.ins.ins().store(guest(), value, address, offset);
            }
            Compiled::ToInteger(bits) => {
                self.need(FloatStatus::On, place);
                let value = self.get_float(fields.rs1(), bits_of(bits));
                let value = if bits < 64 { self.ins.ins().sextend(types::I64, value) } else { value };
                let value = if self.rv32 { self.extend_low(value, Extension::Zero) } else { value };
                self.set(fields.rd() as u16, value);
            }
            Compiled::FromInteger(bits) => {
                self.need(FloatStatus::Changed, place);
                let value = self.get(fields.rs1() as u16);
                self.set_boxed(fields.rd(), value, bits);
            }
            Compiled::Sign(sign) => {
                self.need(FloatStatus::Changed, place);
                let [a, b] =
                    [fields.rs1(), fields.rs2()].map(|register| self.get_float(register, types::I64));
                let value = self.with_sign(sign, a, b);
                self.set_boxed(fields.rd(), value, 64);
            }
            Compiled::Arithmetic(operation, bits) => {
                let is_fused = matches!(operation, Arithmetic::Fused { .. });
                if is_fused && !crate::vector::fuses() {
                    return false;
                }
                self.arithmetic(operation, if bits == 64 { &DOUBLE } else { &SINGLE }, uop, place);
            }
        }
        true
    }

    /// Leaves to the interpreter unless the unit is known to be in a state.
    fn need(&mut self, status: FloatStatus, place: Place) {
        if self.float_status >= status {
            return;
        }
        self.float_status = status;
        let (hart, field) = (self.hart(), self.constant(FLOAT_CHANGED));
        let now = self.ins.ins().load(types::I64, own(), hart, offset::STATUS as i32);
        let now = self.ins.ins().band(now, field);
        let wrong = if status == FloatStatus::On {
            let off = self.constant(0);
            self.ins.ins().icmp(IntCC::Equal, now, off)
        } else {
            self.ins.ins().icmp(IntCC::NotEqual, now, field)
        };
        self.leave_if(wrong, place);
    }

    /// Host address of a load or store, as a sum, once it is known to be allowed.
    fn reach_float(
        &mut self,
        fields: Fields,
        offset: i32,
        access: Access,
        bits: u16,
        place: Place,
    ) -> (Value, i32) {
        let base = self.get(fields.rs1() as u16);
        self.check_alone(base, i64::from(offset) as u64, access, bits, place)
    }

    /// What is in a register, as wide as a type.
    fn get_float(&mut self, register: u32, ty: Type) -> Value {
        let hart = self.hart();
        self.ins.ins().load(ty, own(), hart, place_of(register))
    }

    /// Sets a register to the lowest bits of a value, boxed.
    pub fn set_boxed(&mut self, register: u32, value: Value, bits: u16) {
        let hart = self.hart();
        let value = if bits < 64 {
            let boxed = self.constant(!0 << bits);
            self.ins.ins().bor(value, boxed)
        } else {
            value
        };
        self.float_changes(register, value, bits <= 32);
        self.ins.ins().store(own(), value, hart, place_of(register));
    }

    fn with_sign(&mut self, sign: Sign, a: Value, b: Value) -> Value {
        let mask = self.constant(DOUBLE.sign);
        if sign == Sign::Multiplied {
            let b = self.ins.ins().band(b, mask);
            return self.ins.ins().bxor(a, b);
        }
        let b = if sign == Sign::Negated { self.ins.ins().bnot(b) } else { b };
        let b = self.ins.ins().band(b, mask);
        let magnitude = self.constant(!DOUBLE.sign);
        let a = self.ins.ins().band(a, magnitude);
        self.ins.ins().bor(a, b)
    }

    /// Computes as the host does, if nobody can tell; otherwise the unit does.
    fn arithmetic(&mut self, operation: Arithmetic, format: &Format, uop: Uop, place: Place) {
        let fields = Fields(uop.word());
        let (slow, fast, store, done) = (
            self.ins.create_block(),
            self.ins.create_block(),
            self.ins.create_block(),
            self.ins.create_block(),
        );
        let operands: &[u32] = match operation {
            Arithmetic::SquareRoot => &[fields.rs1()],
            Arithmetic::Fused { .. } => &[fields.rs1(), fields.rs2(), fields.rs3()],
            _ => &[fields.rs1(), fields.rs2()],
        };
        self.store_columns();
        let differs = self.may_round_otherwise(operands, format);
        self.ins.ins().brif(differs, slow, &[], fast, &[]);
        self.ins.seal_block(fast);
        self.ins.switch_to_block(fast);
        let values: Vec<Value> =
            operands.iter().map(|&register| self.get_float(register, format.number)).collect();
        let result = self.compute_float(operation, &values);
        let bits = self.ins.ins().bitcast(format.bits, cast(), result);
        let bits = if format.boxed == 0 { bits } else { self.ins.ins().uextend(types::I64, bits) };
        let magnitude = self.constant(format.sign - 1);
        let magnitude = self.ins.ins().band(bits, magnitude);
        let above = self.constant(format.least + 1);
        let above = self.ins.ins().isub(magnitude, above);
        let width = self.constant(format.most - format.least - 1);
        let plain = self.ins.ins().icmp(IntCC::UnsignedLessThan, above, width);
        self.ins.ins().brif(plain, store, &[], slow, &[]);
        self.ins.seal_block(store);
        self.ins.seal_block(slow);
        self.ins.switch_to_block(store);
        self.set_boxed(fields.rd(), bits, if format.boxed == 0 { 64 } else { 32 });
        self.ins.ins().jump(done, &[]);
        self.ins.switch_to_block(slow);
        self.ins.set_cold_block(slow);
        self.call_unit(uop, place);
        self.ins.ins().jump(done, &[]);
        self.ins.seal_block(done);
        self.ins.switch_to_block(done);
        // Either way.
        self.float_status = FloatStatus::Changed;
    }

    /// True if the host's results or flags may be others than the unit's, whatever the result.
    fn may_round_otherwise(&mut self, operands: &[u32], format: &Format) -> Value {
        let hart = self.hart();
        let mut differs = self.ins.ins().uload8(types::I64, own(), hart, offset::FRM as i32);
        let flags = self.ins.ins().uload8(types::I64, own(), hart, offset::FFLAGS as i32);
        let mut needed = vec![(flags, INEXACT)];
        if self.float_status < FloatStatus::Changed {
            let status = self.ins.ins().load(types::I64, own(), hart, offset::STATUS as i32);
            needed.push((status, FLOAT_CHANGED));
        }
        if format.boxed != 0 {
            // What is not boxed is a NaN.
            needed.extend(operands.iter().map(|&register| {
                (self.ins.ins().load(types::I64, own(), hart, place_of(register)), format.boxed)
            }));
        }
        for (value, needed) in needed {
            let needed = self.constant(needed);
            let missing = self.ins.ins().band_not(needed, value);
            differs = self.ins.ins().bor(differs, missing);
        }
        differs
    }

    fn compute_float(&mut self, operation: Arithmetic, values: &[Value]) -> Value {
        match (operation, values) {
            (Arithmetic::Add, &[a, b]) => self.ins.ins().fadd(a, b),
            (Arithmetic::Subtract, &[a, b]) => self.ins.ins().fsub(a, b),
            (Arithmetic::Multiply, &[a, b]) => self.ins.ins().fmul(a, b),
            (Arithmetic::Divide, &[a, b]) => self.ins.ins().fdiv(a, b),
            (Arithmetic::Fused { minus_product, minus_sum }, &[a, b, c]) => {
                let a = if minus_product { self.ins.ins().fneg(a) } else { a };
                let c = if minus_sum { self.ins.ins().fneg(c) } else { c };
                self.ins.ins().fma(a, b, c)
            }
            _ => self.ins.ins().sqrt(values[0]),
        }
    }
}

/// Where a register is in the hart.
const fn place_of(register: u32) -> i32 {
    offset::FLOAT_REGISTERS as i32 + register as i32 * 8
}
