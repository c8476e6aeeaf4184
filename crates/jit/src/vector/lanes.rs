//! Element-wise instructions as SIMD instructions of the host, where a body is short: no call is worth it then.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use hart::vector::Vtype;
use hart::vector::compiled::{Lane, Resolved, Source};

use super::bits;
use super::cache::COLUMN;
use super::doublewords::{self, Product};
use super::flags;
use crate::builder::{Builder, Extension, Known};

/// Longest body, in bytes: a kernel takes about as long as this many columns.
pub(super) const LONGEST: u64 = 128;

/// Computes lanes of a type from `a` of `vs2`.
type Unary = fn(&mut FunctionBuilder<'_>, a: Value, ty: Type) -> Value;
/// Computes lanes from `a` of `vs2` and `b` of the second operand.
type Binary = fn(&mut FunctionBuilder<'_>, a: Value, b: Value) -> Value;
/// The same with `d` of `vd`.
type Ternary = fn(&mut FunctionBuilder<'_>, a: Value, b: Value, d: Value) -> Value;

/// How the host does an operation.
#[derive(Clone, Copy)]
enum Host {
    /// By an instruction that it has for every width.
    Plain(Binary),
    /// As the second operand itself.
    Moves,
    /// By comparing: where a condition holds, it is the first operand, else the second. Hosts have an instruction for that,
    /// but for doublewords.
    Compares(Binary, IntCC),
    /// By multiplying.
    Multiplies(Binary),
    /// By multiplying and adding.
    Accumulates(Ternary),
    /// As the upper half of a product of doublewords, one by one.
    High(Product),
    /// By shifting all lanes alike.
    Shifts(Binary),
    /// By moving and counting the bits of its one operand.
    Bits(Unary),
    /// By shifting them there and back.
    Rotates {
        /// To the left.
        left: bool,
    },
}

impl Host {
    fn of(lane: Lane) -> Option<Self> {
        Some(match lane {
            Lane::VADD => Self::Plain(|ins, a, b| ins.ins().iadd(a, b)),
            Lane::VSUB => Self::Plain(|ins, a, b| ins.ins().isub(a, b)),
            Lane::VRSUB => Self::Plain(|ins, a, b| ins.ins().isub(b, a)),
            Lane::VAND => Self::Plain(|ins, a, b| ins.ins().band(a, b)),
            Lane::VANDN => Self::Plain(|ins, a, b| ins.ins().band_not(a, b)),
            Lane::VOR => Self::Plain(|ins, a, b| ins.ins().bor(a, b)),
            Lane::VXOR => Self::Plain(|ins, a, b| ins.ins().bxor(a, b)),
            Lane::VMV => Self::Moves,
            Lane::VMINU => Self::Compares(|ins, a, b| ins.ins().umin(a, b), IntCC::UnsignedLessThan),
            Lane::VMIN => Self::Compares(|ins, a, b| ins.ins().smin(a, b), IntCC::SignedLessThan),
            Lane::VMAXU => Self::Compares(|ins, a, b| ins.ins().umax(a, b), IntCC::UnsignedGreaterThan),
            Lane::VMAX => Self::Compares(|ins, a, b| ins.ins().smax(a, b), IntCC::SignedGreaterThan),
            Lane::VMUL => Self::Multiplies(|ins, a, b| ins.ins().imul(a, b)),
            Lane::VMACC => Self::Accumulates(|ins, a, b, d| {
                let product = ins.ins().imul(a, b);
                ins.ins().iadd(d, product)
            }),
            Lane::VNMSAC => Self::Accumulates(|ins, a, b, d| {
                let product = ins.ins().imul(a, b);
                ins.ins().isub(d, product)
            }),
            Lane::VMADD => Self::Accumulates(|ins, a, b, d| {
                let product = ins.ins().imul(d, b);
                ins.ins().iadd(a, product)
            }),
            Lane::VNMSUB => Self::Accumulates(|ins, a, b, d| {
                let product = ins.ins().imul(d, b);
                ins.ins().isub(a, product)
            }),
            Lane::VSLL => Self::Shifts(|ins, a, bits| ins.ins().ishl(a, bits)),
            Lane::VSRL => Self::Shifts(|ins, a, bits| ins.ins().ushr(a, bits)),
            Lane::VSRA => Self::Shifts(|ins, a, bits| ins.ins().sshr(a, bits)),
            Lane::VROL => Self::Rotates { left: true },
            Lane::VROR => Self::Rotates { left: false },
            Lane::VBREV => Self::Bits(bits::reverse),
            Lane::VBREV8 => Self::Bits(bits::reverse_in_bytes),
            Lane::VREV8 => Self::Bits(bits::reverse_bytes),
            Lane::VCLZ => Self::Bits(bits::leading_zeros),
            Lane::VCTZ => Self::Bits(bits::trailing_zeros),
            Lane::VCPOP => Self::Bits(bits::count_ones),
            Lane::VMULH => Self::High(Product::Signed),
            Lane::VMULHU => Self::High(Product::Unsigned),
            Lane::VMULHSU => Self::High(Product::Mixed),
            // A kernel's.
            Lane::VDIVU | Lane::VDIV | Lane::VREMU | Lane::VREM | Lane::VCLMUL | Lane::VCLMULH => {
                return None;
            }
        })
    }

    /// True if hosts have it for elements of this width (log2 of bytes), or it is short without.
    const fn suits(self, sew: u8) -> bool {
        match self {
            Self::Plain(_) | Self::Moves | Self::Bits(_) | Self::Compares(..) => true,
            Self::Multiplies(_) | Self::Accumulates(_) | Self::Shifts(_) | Self::Rotates { .. } => sew != 0,
            Self::High(_) => sew == 3,
        }
    }

    /// Longest body, in bytes.
    const fn longest(self) -> usize {
        match self {
            Self::High(_) => doublewords::LONGEST,
            _ => LONGEST as usize,
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
    /// Bits to shift left and right, of a rotation.
    Bits(Value, Value),
}

/// A column's lanes of a width (log2 of bytes).
pub(super) fn lanes_of_width(sew: u8) -> Type {
    [types::I8X16, types::I16X8, types::I32X4, types::I64X2][usize::from(sew & 3)]
}

impl Builder<'_, '_> {
    /// Compiles a legal instruction of a short body of whole columns, and of a kind that the host has; false if it is not
    /// one.
    pub(super) fn lanes(&mut self, lane: Lane, resolved: &Resolved, vtype: Vtype) -> bool {
        let (Some(host), Some(body)) = (Host::of(lane), self.short_body(resolved, vtype)) else {
            return false;
        };
        let suits = host.suits(vtype.sew) && body <= host.longest();
        let Some(is_masked) = resolved.keeps_masked_off().filter(|_| suits) else { return false };
        let ty = lanes_of_width(vtype.sew);
        let other = match (resolved.b, host) {
            (Source::Group(_), Host::Shifts(_) | Host::Rotates { .. }) => return false,
            (Source::Group(register), _) => Other::Group(register as usize * self.region.vector.vlenb()),
            (scalar, _) => {
                let value = self.second(scalar);
                let width = u64::from(ty.lane_bits());
                match (host, self.known[value]) {
                    (Host::Rotates { left }, Known::Constant(bits)) => {
                        let (there, back) = (bits % width, bits.wrapping_neg() % width);
                        let (left, right) = if left { (there, back) } else { (back, there) };
                        Other::Bits(self.constant(left), self.constant(right))
                    }
                    // Shifts take the bits of a number that a width has.
                    (Host::Rotates { left }, _) => {
                        let back = self.ins.ins().ineg(value);
                        let (left, right) = if left { (value, back) } else { (back, value) };
                        Other::Bits(left, right)
                    }
                    (Host::Shifts(_) | Host::High(_), _) => Other::Same(value),
                    _ => Other::Same(self.splat(value, ty)),
                }
            }
        };
        for column in (0..body).step_by(COLUMN) {
            let mut value = self.lanes_of(host, ty, resolved, other, column);
            if is_masked {
                value = self.where_active(value, resolved.d, column, vtype.sew);
            }
            self.set_column(resolved.d + column, value);
        }
        self.settle_columns();
        true
    }

    /// A column where elements of a width (log2 of bytes) are active, and elsewhere what is in the group at an offset.
    pub(super) fn where_active(&mut self, value: Value, group: usize, column: usize, sew: u8) -> Value {
        let ty = lanes_of_width(sew);
        let mask = self.bits_of_mask(0, column >> sew, ty);
        let before = self.column(group + column, ty);
        let is_so = self.ins.func.dfg.value_type(value) == ty;
        let value = if is_so { value } else { self.ins.ins().bitcast(ty, flags(), value) };
        self.ins.ins().bitselect(mask, value, before)
    }

    /// Bytes of a body of whole columns, if it is one, and short.
    pub(super) fn short_body(&self, resolved: &Resolved, vtype: Vtype) -> Option<usize> {
        let body = self.vector.vl? << vtype.sew;
        let is_short =
            body <= LONGEST && body.is_multiple_of(COLUMN as u64) && body >= resolved.tail_end as u64;
        is_short.then_some(body as usize)
    }

    fn lanes_of(&mut self, host: Host, ty: Type, resolved: &Resolved, other: Other, column: usize) -> Value {
        // The second operand last: the host loads it in the instruction that needs it.
        let second = |builder: &mut Self| match other {
            Other::Group(offset) => builder.column(offset + column, ty),
            Other::Same(value) | Other::Bits(value, _) => value,
        };
        match host {
            Host::Compares(_, condition) if ty == types::I64X2 => {
                let a = self.column(resolved.a + column, ty);
                let b = second(self);
                let is_first = self.ins.ins().icmp(condition, a, b);
                self.ins.ins().bitselect(is_first, a, b)
            }
            Host::High(product) => {
                let a = self.column(resolved.a + column, ty);
                let b = second(self);
                self.high_products(product, a, b)
            }
            Host::Plain(f) | Host::Compares(f, _) | Host::Multiplies(f) | Host::Shifts(f) => {
                let a = self.column(resolved.a + column, ty);
                let b = second(self);
                f(&mut self.ins, a, b)
            }
            Host::Accumulates(f) => {
                let a = self.column(resolved.a + column, ty);
                let d = self.column(resolved.d + column, ty);
                let b = second(self);
                f(&mut self.ins, a, b, d)
            }
            Host::Moves => second(self),
            Host::Bits(f) => {
                let a = self.column(resolved.a + column, ty);
                f(&mut self.ins, a, ty)
            }
            Host::Rotates { .. } => {
                let a = self.column(resolved.a + column, ty);
                self.rotated(a, ty, other)
            }
        }
    }

    /// All lanes rotated alike: by whole bytes at once, or there and back.
    fn rotated(&mut self, a: Value, ty: Type, bits: Other) -> Value {
        let Other::Bits(left, right) = bits else { return a };
        if let Known::Constant(bits) = self.known[left]
            && bits.is_multiple_of(8)
        {
            let (lane, by) = (ty.lane_type().bytes() as usize, bits as usize / 8);
            let from = |byte: usize| (byte / lane * lane + (byte + lane - by) % lane) as u8;
            let order: [u8; COLUMN] = std::array::from_fn(from);
            let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
            let bytes = self.ins.ins().bitcast(types::I8X16, flags(), a);
            return self.ins.ins().shuffle(bytes, bytes, order);
        }
        let (high, low) = (self.ins.ins().ishl(a, left), self.ins.ins().ushr(a, right));
        self.ins.ins().bor(high, low)
    }

    /// The value of a second operand; of a register group, its offset.
    pub(super) fn second(&mut self, second: Source) -> Value {
        match second {
            Source::Group(register) => self.constant(u64::from(register) * self.region.vector.vlenb() as u64),
            Source::Immediate(value) => self.constant(value),
            Source::Register(register) => {
                let value = self.get(register);
                if self.rv32 { self.extend_low(value, Extension::Sign) } else { value }
            }
        }
    }

    /// A scalar in all lanes.
    pub(super) fn splat(&mut self, value: Value, ty: Type) -> Value {
        let lane = match ty.lane_type() {
            types::I64 => value,
            narrower => self.ins.ins().ireduce(narrower, value),
        };
        self.ins.ins().splat(ty, lane)
    }
}
