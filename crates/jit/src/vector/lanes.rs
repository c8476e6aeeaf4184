//! Element-wise instructions as SIMD instructions of the host, where a body is short: no call is worth it then.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use hart::vector::Vtype;
use hart::vector::compiled::{Resolved, Second};

use super::cache::COLUMN;
use crate::builder::Builder;
use crate::builder::{Extension, Known};

/// Longest body, in bytes: a kernel takes about as long as this many columns.
const LONGEST: u64 = 128;

/// What is done with lanes `a` of `vs2`, `b` of the second operand and `d` of `vd`.
#[derive(Clone, Copy)]
enum Lanes {
    Add,
    Subtract,
    SubtractReversed,
    And,
    AndNot,
    Or,
    Xor,
    Move,
    Multiply,
    /// `d + b * a`
    AddProduct,
    /// `d - b * a`
    SubtractProduct,
    /// `b * d + a`
    MultiplyAdd,
    /// `a - b * d`
    MultiplySubtract,
    MinimumUnsigned,
    Minimum,
    MaximumUnsigned,
    Maximum,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    RotateLeft,
    RotateRight,
}

impl Lanes {
    fn of(operation: &str) -> Option<Self> {
        Some(match operation {
            "VADD" => Self::Add,
            "VSUB" => Self::Subtract,
            "VRSUB" => Self::SubtractReversed,
            "VAND" => Self::And,
            "VANDN" => Self::AndNot,
            "VOR" => Self::Or,
            "VXOR" => Self::Xor,
            "VMV" => Self::Move,
            "VMUL" => Self::Multiply,
            "VMACC" => Self::AddProduct,
            "VNMSAC" => Self::SubtractProduct,
            "VMADD" => Self::MultiplyAdd,
            "VNMSUB" => Self::MultiplySubtract,
            "VMINU" => Self::MinimumUnsigned,
            "VMIN" => Self::Minimum,
            "VMAXU" => Self::MaximumUnsigned,
            "VMAX" => Self::Maximum,
            "VSLL" => Self::ShiftLeft,
            "VSRL" => Self::ShiftRight,
            "VSRA" => Self::ShiftRightSigned,
            "VROL" => Self::RotateLeft,
            "VROR" => Self::RotateRight,
            _ => return None,
        })
    }

    const fn multiplies(self) -> bool {
        matches!(
            self,
            Self::Multiply
                | Self::AddProduct
                | Self::SubtractProduct
                | Self::MultiplyAdd
                | Self::MultiplySubtract
        )
    }

    const fn compares(self) -> bool {
        matches!(self, Self::MinimumUnsigned | Self::Minimum | Self::MaximumUnsigned | Self::Maximum)
    }

    const fn shifts(self) -> bool {
        matches!(self, Self::ShiftLeft | Self::ShiftRight | Self::ShiftRightSigned)
    }

    const fn rotates(self) -> bool {
        matches!(self, Self::RotateLeft | Self::RotateRight)
    }

    const fn reads_destination(self) -> bool {
        self.multiplies() && !matches!(self, Self::Multiply)
    }

    /// True if hosts have it for elements of this width (log2 of bytes), or it is short without.
    const fn suits(self, sew: u8) -> bool {
        match sew {
            0 => !(self.multiplies() || self.shifts() || self.rotates()),
            3 => !(self.multiplies() || self.compares()),
            _ => true,
        }
    }
}

/// The second operand of a block of columns.
#[derive(Clone, Copy)]
enum Other {
    /// The register group at an offset.
    Group(usize),
    /// The same for every column.
    Same(Value),
    /// A number of bits, which is the same for every lane.
    Bits(Value),
    /// A number of bits that is known, and is not 0.
    KnownBits(u64),
}

impl Builder<'_, '_> {
    /// Compiles a legal, unmasked instruction of a short body of whole columns, and of a kind that the host has;
    /// false if it is not one.
    pub(super) fn lanes(&mut self, name: &str, resolved: &Resolved, vtype: Vtype) -> bool {
        let Some((operation, form)) = name.split_once("__") else { return false };
        let (Some(lanes), Some(vl)) = (Lanes::of(operation), self.vector.vl) else { return false };
        let body = vl << vtype.sew;
        let is_short =
            body <= LONGEST && body.is_multiple_of(COLUMN as u64) && body >= resolved.tail_end as u64;
        if !is_short || resolved.masked_off.is_some() || !lanes.suits(vtype.sew) {
            return false;
        }
        let ty = [types::I8X16, types::I16X8, types::I32X4, types::I64X2][usize::from(vtype.sew & 3)];
        let is_group = form.ends_with('V');
        if is_group && (lanes.shifts() || lanes.rotates()) {
            return false;
        }
        let other = match resolved.b {
            Second::Known(offset) if is_group => Other::Group(offset as usize),
            second => {
                let value = self.second(second);
                let mask = ty.lane_bits() - 1;
                match self.known[value] {
                    Known::Constant(bits) if lanes.rotates() && bits as u32 & mask != 0 => {
                        Other::KnownBits(bits & u64::from(mask))
                    }
                    _ if lanes.rotates() => return false,
                    _ if lanes.shifts() => Other::Bits(value),
                    _ => Other::Same(self.splat(value, ty)),
                }
            }
        };
        for column in (0..body as usize).step_by(COLUMN) {
            let value = self.lanes_of(lanes, ty, resolved, other, column);
            self.set_column(resolved.d + column, value);
        }
        true
    }

    /// The value of a second operand that is no register group.
    pub(super) fn second(&mut self, second: Second) -> Value {
        match second {
            Second::Known(value) => self.constant(value),
            Second::Register(register) => {
                let value = self.get(register);
                if self.rv32 { self.extend_low(value, Extension::Sign) } else { value }
            }
        }
    }

    fn splat(&mut self, value: Value, ty: Type) -> Value {
        let lane = match ty.lane_type() {
            types::I64 => value,
            narrower => self.ins.ins().ireduce(narrower, value),
        };
        self.ins.ins().splat(ty, lane)
    }

    fn lanes_of(
        &mut self,
        lanes: Lanes,
        ty: Type,
        resolved: &Resolved,
        other: Other,
        column: usize,
    ) -> Value {
        if let (Lanes::Move, Other::Same(b)) = (lanes, other) {
            return b;
        }
        if let (Lanes::Move, Other::Group(b)) = (lanes, other) {
            return self.column(b + column, ty);
        }
        let a = self.column(resolved.a + column, ty);
        let b = match other {
            Other::Group(offset) => self.column(offset + column, ty),
            Other::Same(value) => value,
            Other::Bits(bits) => {
                return match lanes {
                    Lanes::ShiftLeft => self.ins.ins().ishl(a, bits),
                    Lanes::ShiftRight => self.ins.ins().ushr(a, bits),
                    _ => self.ins.ins().sshr(a, bits),
                };
            }
            Other::KnownBits(bits) => {
                let back = u64::from(ty.lane_bits()) - bits;
                let (left, right) =
                    if matches!(lanes, Lanes::RotateLeft) { (bits, back) } else { (back, bits) };
                let (left, right) = (self.constant(left), self.constant(right));
                let (high, low) = (self.ins.ins().ishl(a, left), self.ins.ins().ushr(a, right));
                return self.ins.ins().bor(high, low);
            }
        };
        let d = if lanes.reads_destination() { self.column(resolved.d + column, ty) } else { a };
        let ins = self.ins.ins();
        match lanes {
            Lanes::Add => ins.iadd(a, b),
            Lanes::Subtract => ins.isub(a, b),
            Lanes::SubtractReversed => ins.isub(b, a),
            Lanes::And => ins.band(a, b),
            Lanes::AndNot => ins.band_not(a, b),
            Lanes::Or => ins.bor(a, b),
            Lanes::Xor => ins.bxor(a, b),
            Lanes::Multiply => ins.imul(a, b),
            Lanes::MinimumUnsigned => ins.umin(a, b),
            Lanes::Minimum => ins.smin(a, b),
            Lanes::MaximumUnsigned => ins.umax(a, b),
            Lanes::Maximum => ins.smax(a, b),
            Lanes::AddProduct | Lanes::SubtractProduct => {
                let product = ins.imul(a, b);
                let ins = self.ins.ins();
                if matches!(lanes, Lanes::AddProduct) { ins.iadd(d, product) } else { ins.isub(d, product) }
            }
            _ => {
                let product = ins.imul(d, b);
                let ins = self.ins.ins();
                if matches!(lanes, Lanes::MultiplyAdd) { ins.iadd(a, product) } else { ins.isub(a, product) }
            }
        }
    }
}
