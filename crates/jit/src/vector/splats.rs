//! Floating-point registers in all lanes of values. They stay at hand until somebody may change the register, or takes the
//! host's registers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use hart::vector::compiled::{Second, offset};

use super::flags;
use super::guarded::Guarded;
use super::scalars::Scalars;
use crate::builder::{Builder, own};

/// The least that a register holds if that is a boxed number of 32 bits.
const BOXED: u64 = !0 << 32;
/// The NaN of 32 bits that all others become.
const NAN: u64 = 0x7fc0_0000;
/// The same of binary16.
const HALF_BOXED: u64 = !0 << 16;
const HALF_NAN: u64 = 0x7e00;

impl Builder<'_, '_> {
    /// A second operand that is a register, in all lanes. One that is no boxed number is a NaN.
    pub(super) fn number(&mut self, Guarded { operands, format, .. }: &Guarded) -> Option<Value> {
        self.number_of(operands.b, format.numbers)
    }

    /// The same as lanes of a type.
    pub(super) fn number_of(&mut self, second: Second, ty: Type) -> Option<Value> {
        let Second::Float(register) = second else { return None };
        let register = register.into();
        let Scalars { lanes, written } = &self.vector.scalars;
        if let Some(&(.., known)) = lanes.iter().find(|&&(of, lanes, _)| of == register && lanes == ty) {
            return Some(known);
        }
        let written = written.iter().find(|&&(of, ..)| of == register).copied();
        let lane = match written {
            _ if ty == types::I16X8 => {
                let bits = match written {
                    Some((_, bits, _)) => bits,
                    None => self.load_float(register, types::I64),
                };
                self.unboxed_half(bits)
            }
            None if ty == types::F64X2 => self.load_float(register, types::F64),
            Some((_, bits, _)) if ty == types::F64X2 => self.ins.ins().bitcast(types::F64, flags(), bits),
            _ => {
                let (bits, is_boxed) = match written {
                    Some((_, bits, is_boxed)) => (bits, is_boxed),
                    None => (self.load_float(register, types::I64), false),
                };
                let bits = if is_boxed { bits } else { self.unboxed(bits) };
                let low = self.ins.ins().ireduce(types::I32, bits);
                self.ins.ins().bitcast(types::F32, flags(), low)
            }
        };
        let value = self.ins.ins().splat(ty, lane);
        self.vector.scalars.lanes.push((register, ty, value));
        Some(value)
    }

    fn load_float(&mut self, register: u32, ty: Type) -> Value {
        let hart = self.hart();
        self.ins.ins().load(ty, own(), hart, offset::FLOAT_REGISTERS as i32 + register as i32 * 8)
    }

    /// A boxed number of 32 bits in the lowest bits, or a NaN.
    fn unboxed(&mut self, bits: Value) -> Value {
        let boxed = self.constant(BOXED - 1);
        let is_boxed = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, bits, boxed);
        let nan = self.constant(BOXED | NAN);
        self.ins.ins().select(is_boxed, bits, nan)
    }

    /// The same of 16 bits.
    fn unboxed_half(&mut self, bits: Value) -> Value {
        let boxed = self.constant(HALF_BOXED - 1);
        let is_boxed = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, bits, boxed);
        let nan = self.constant(HALF_NAN);
        let bits = self.ins.ins().select(is_boxed, bits, nan);
        self.ins.ins().ireduce(types::I16, bits)
    }

    /// A register changes to a value, which is a boxed number of at most 32 bits or not.
    pub fn float_changes(&mut self, register: u32, value: Value, is_boxed: bool) {
        let Scalars { lanes, written } = &mut self.vector.scalars;
        lanes.retain(|&(of, ..)| of != register);
        written.retain(|&(of, ..)| of != register);
        written.push((register, value, is_boxed));
    }
}
