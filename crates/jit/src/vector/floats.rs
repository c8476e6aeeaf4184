//! Floating-point arithmetic as SIMD instructions of the host, where results and flags cannot differ: it rounds to
//! nearest even, the inexact flag is raised already, and every result is a normal number above the smallest, or a sum,
//! which is exact where it is tiny. Where that is not so, a second look (`unusual.rs`) tells whether the unit has to execute
//! the whole instruction. Operations on signs and classes are the same on all numbers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;
use engine::uop::Uop;
use hart::vector::compiled::{Checked, FloatLane, Operation};

use super::flags;
use super::formats::{Format, Numbers};
use super::guarded::{Computed, Rounds};
use super::unusual::Unusual;
use crate::builder::{Builder, Place};

/// Computes lanes from `a` of `vs2`, `b` of the second operand and `d` of `vd`.
type Lanes = fn(&mut FunctionBuilder<'_>, a: Value, b: Value, d: Value) -> Value;

/// The same of two operands' bits, with those of signs.
type Signs = fn(&mut FunctionBuilder<'_>, a: Value, b: Value, sign: Value) -> Value;

/// How the host does an operation.
#[derive(Clone, Copy)]
enum Host {
    /// By its own arithmetic.
    Plain(Lanes),
    /// By its fused multiplication and addition.
    Fused(Lanes),
    /// By its own arithmetic on parts of them.
    Estimates { root: bool },
    /// On the bits of numbers.
    Signs(Signs),
    /// By comparing the bits of numbers.
    Classes,
}

fn host(lane: FloatLane) -> Host {
    let plain: Lanes = match lane {
        FloatLane::VFADD => |ins, a, b, _| ins.ins().fadd(a, b),
        FloatLane::VFSUB => |ins, a, b, _| ins.ins().fsub(a, b),
        FloatLane::VFRSUB => |ins, a, b, _| ins.ins().fsub(b, a),
        FloatLane::VFMUL => |ins, a, b, _| ins.ins().fmul(a, b),
        FloatLane::VFDIV => |ins, a, b, _| ins.ins().fdiv(a, b),
        FloatLane::VFRDIV => |ins, a, b, _| ins.ins().fdiv(b, a),
        FloatLane::VFSQRT => |ins, a, _, _| ins.ins().sqrt(a),
        FloatLane::VFMACC => return Host::Fused(|ins, a, b, d| fused(ins, [a, b, d], false, false)),
        FloatLane::VFNMACC => return Host::Fused(|ins, a, b, d| fused(ins, [a, b, d], true, true)),
        FloatLane::VFMSAC => return Host::Fused(|ins, a, b, d| fused(ins, [a, b, d], false, true)),
        FloatLane::VFNMSAC => return Host::Fused(|ins, a, b, d| fused(ins, [a, b, d], true, false)),
        FloatLane::VFMADD => return Host::Fused(|ins, a, b, d| fused(ins, [d, b, a], false, false)),
        FloatLane::VFNMADD => return Host::Fused(|ins, a, b, d| fused(ins, [d, b, a], true, true)),
        FloatLane::VFMSUB => return Host::Fused(|ins, a, b, d| fused(ins, [d, b, a], false, true)),
        FloatLane::VFNMSUB => return Host::Fused(|ins, a, b, d| fused(ins, [d, b, a], true, false)),
        FloatLane::VFSGNJ => return Host::Signs(|ins, a, b, sign| ins.ins().bitselect(sign, b, a)),
        FloatLane::VFSGNJN => {
            return Host::Signs(|ins, a, b, sign| {
                let b = ins.ins().bnot(b);
                ins.ins().bitselect(sign, b, a)
            });
        }
        FloatLane::VFSGNJX => {
            return Host::Signs(|ins, a, b, sign| {
                let sign = ins.ins().band(b, sign);
                ins.ins().bxor(a, sign)
            });
        }
        FloatLane::VFRSQRT7 => return Host::Estimates { root: true },
        FloatLane::VFREC7 => return Host::Estimates { root: false },
        FloatLane::VFCLASS => return Host::Classes,
    };
    Host::Plain(plain)
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

impl Builder<'_, '_> {
    /// Compiles a legal instruction of a short body of whole columns; false if it is not one.
    pub(super) fn floats(
        &mut self,
        operation: &Operation,
        lane: FloatLane,
        checked: Checked,
        uop: Uop,
        place: Place,
    ) -> bool {
        let (unit, Some(vtype), host) = (self.region.vector, self.vector.vtype, host(lane)) else {
            return false;
        };
        let rounds = match host {
            Host::Plain(_) | Host::Fused(_) => Rounds::Inexactly,
            Host::Estimates { .. } => Rounds::Never,
            Host::Signs(_) | Host::Classes => Rounds::Bitwise,
        };
        let Some(guarded) = self.guardable(operation, uop, vtype, rounds) else { return false };
        if matches!(host, Host::Fused(_)) && !fuses() {
            return false;
        }
        let agnostic = operation.checked(unit, uop.word(), vtype);
        if guarded.is_masked && agnostic.is_none() {
            return false;
        }
        self.expect(Some(vtype), place);
        // Before ways part: so it stays at hand.
        self.number(&guarded);
        let compute = |builder: &mut Self| {
            let numbers = builder.numbers(&guarded, true);
            match host {
                Host::Plain(lanes) | Host::Fused(lanes) => {
                    let result = |&Numbers { a, b, d }: &Numbers| lanes(&mut builder.ins, a, b, d);
                    let columns: Vec<Value> = numbers.iter().map(result).collect();
                    let fits = builder.are_plain(&columns, &guarded.format, lane.is_sum());
                    let unusual = Some(Unusual::Computed { lane, numbers });
                    Computed { unusual, ..Computed::where_fit(columns, fits) }
                }
                Host::Estimates { root } => {
                    let estimate = |numbers: &Numbers| builder.estimate(numbers.a, &guarded.format, root);
                    let (columns, fits) = numbers.iter().map(estimate).unzip();
                    Computed::where_fit(columns, fits)
                }
                Host::Signs(signs) => {
                    let Format { bits, sign, .. } = guarded.format;
                    let sign = builder.lanes_constant(sign, bits);
                    let result = |&Numbers { a, b, .. }: &Numbers| {
                        let [a, b] = [a, b].map(|number| builder.as_lanes(number, bits));
                        signs(&mut builder.ins, a, b, sign)
                    };
                    Computed::always(numbers.iter().map(result).collect())
                }
                Host::Classes => {
                    let class = |numbers: &Numbers| builder.class_of(numbers.a, &guarded.format);
                    Computed::always(numbers.iter().map(class).collect())
                }
            }
        };
        self.guarded(&guarded, place, compute, |builder| match agnostic {
            Some(agnostic) => builder.call_checked(checked, agnostic, uop, place),
            None => builder.call_unit(uop, place),
        });
        true
    }

    /// Lanes of ones where results are normal numbers above the smallest, or finite sums.
    pub(super) fn are_plain(&mut self, results: &[Value], format: &Format, are_sums: bool) -> Vec<Value> {
        let [magnitude, least, most] =
            [!format.sign, format.least, format.most].map(|lane| self.lanes_constant(lane, format.bits));
        let is_plain = |&value: &Value| {
            let bits = self.ins.ins().bitcast(format.bits, flags(), value);
            let bits = self.ins.ins().band(bits, magnitude);
            let below = self.ins.ins().icmp(IntCC::SignedLessThan, bits, most);
            if are_sums {
                return below;
            }
            let above = self.ins.ins().icmp(IntCC::SignedGreaterThan, bits, least);
            self.ins.ins().band(above, below)
        };
        results.iter().map(is_plain).collect()
    }
}
