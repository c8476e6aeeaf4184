//! Fixed-point arithmetic as SIMD instructions of the host. What rounds does it to nearest, ties up, as `vxrm` says at
//! reset; where it says anything else, a kernel does it.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use hart::vector::Vtype;
use hart::vector::compiled::{Fixed, Resolved, Source, offset};

use super::cache::COLUMN;
use super::lanes::{LONGEST, lanes_of_width};
use crate::builder::{Builder, Known, own};

/// Lanes, and such with a bit set for each that saturated, if any can.
pub(super) type Results = (Value, Option<Value>);

/// How the host does an operation.
#[derive(Clone, Copy)]
enum Host {
    /// By adding or subtracting with saturation.
    Saturates { signed: bool, subtracts: bool },
    /// As the average of two lanes, or half of their difference.
    Averages { signed: bool, subtracts: bool },
    /// By multiplying fractions.
    Multiplies,
    /// By shifting all lanes alike.
    Shifts { signed: bool },
    /// The same, of lanes that become half as wide.
    Narrows { signed: bool },
}

impl Host {
    const fn of(fixed: Fixed) -> Self {
        match fixed {
            Fixed::VSADDU => Self::Saturates { signed: false, subtracts: false },
            Fixed::VSADD => Self::Saturates { signed: true, subtracts: false },
            Fixed::VSSUBU => Self::Saturates { signed: false, subtracts: true },
            Fixed::VSSUB => Self::Saturates { signed: true, subtracts: true },
            Fixed::VAADDU => Self::Averages { signed: false, subtracts: false },
            Fixed::VAADD => Self::Averages { signed: true, subtracts: false },
            Fixed::VASUBU => Self::Averages { signed: false, subtracts: true },
            Fixed::VASUB => Self::Averages { signed: true, subtracts: true },
            Fixed::VSMUL => Self::Multiplies,
            Fixed::VSSRL => Self::Shifts { signed: false },
            Fixed::VSSRA => Self::Shifts { signed: true },
            Fixed::VNCLIPU => Self::Narrows { signed: false },
            Fixed::VNCLIP => Self::Narrows { signed: true },
        }
    }

    /// True if it is short for elements of this width (log2 of bytes).
    const fn suits(self, sew: u8, is_scalar: bool) -> bool {
        match self {
            Self::Saturates { .. } | Self::Averages { .. } | Self::Multiplies => true,
            // Halfwords are multiplied where each is shifted by another number, and so are bytes.
            Self::Shifts { .. } => is_scalar != (sew == 0),
            Self::Narrows { .. } => is_scalar || sew == 0,
        }
    }

    const fn rounds(self) -> bool {
        !matches!(self, Self::Saturates { .. })
    }
}

/// The second operand of all columns.
#[derive(Clone, Copy)]
enum Other {
    /// The register group at an offset.
    Group(usize),
    /// The same lanes for every column.
    Same(Value),
    /// Nothing is shifted.
    Nothing,
    /// Bits to shift out: all, all but the last, and lanes of 1, or of 0 if there is no bit.
    Bits { all: Value, but_one: Value, last: Value },
}

impl Builder<'_, '_> {
    /// Compiles a legal instruction of a short body of whole columns, and of a kind that the host has; false if it is not
    /// one. A masked one leaves alone what is masked off. `call` does it where the unit rounds otherwise.
    pub(super) fn fixed(
        &mut self,
        fixed: Fixed,
        resolved: &Resolved,
        vtype: Vtype,
        call: impl FnOnce(&mut Self),
    ) -> bool {
        let host = Host::of(fixed);
        let Some(body) = self.short_body(resolved, vtype) else { return false };
        let widest = if matches!(host, Host::Narrows { .. }) { 2 * body } else { body };
        let is_scalar = !matches!(resolved.b, Source::Group(_));
        let function = match host {
            Host::Narrows { signed } => self.wide_clips(resolved, vtype.sew, signed, body),
            _ => None,
        };
        let suits = function.is_some() || host.suits(vtype.sew, is_scalar);
        if body == 0 || widest as u64 > LONGEST || !suits {
            return false;
        }
        if host.rounds() {
            // What is learnt of a register here holds on both ways.
            self.second(resolved.b);
            let hart = self.hart();
            let mode = self.ins.ins().uload8(types::I64, own(), hart, offset::VXRM as i32);
            self.inline_unless(
                Some(mode),
                |builder, _| match &function {
                    Some(function) => {
                        let saturates = builder.call_clips(function);
                        builder.raise_vxsat(saturates);
                    }
                    None => builder.on_columns(host, resolved, vtype.sew, body),
                },
                call,
            );
        } else {
            self.on_columns(host, resolved, vtype.sew, body);
        }
        true
    }

    /// With a mask, only active elements saturate.
    fn on_columns(&mut self, host: Host, resolved: &Resolved, sew: u8, body: usize) {
        let (ty, is_masked) = (lanes_of_width(sew), resolved.masked_off.is_some());
        let other = self.other(host, resolved.b, sew);
        let mut saturated: Option<Value> = None;
        // Upwards, so that where `vd` is the lower part of a wider `vs2`, nothing is read after it was set.
        for column in (0..body).step_by(COLUMN) {
            let (mut value, mut raised) = self.fixed_of(host, resolved, other, sew, column);
            if is_masked {
                let active = self.bits_of_mask(0, column >> sew, ty);
                let before = self.column(resolved.d + column, ty);
                value = self.ins.ins().bitselect(active, value, before);
                raised = raised.map(|raised| self.ins.ins().band(raised, active));
            }
            self.set_column(resolved.d + column, value);
            saturated = match (saturated, raised) {
                (Some(before), Some(here)) => Some(self.ins.ins().bor(before, here)),
                (before, here) => here.or(before),
            };
        }
        if let Some(saturated) = saturated {
            self.set_vxsat(saturated);
        }
        self.settle_columns();
    }

    /// Sets `vxsat` if any bit is set.
    fn set_vxsat(&mut self, saturated: Value) {
        let any = self.ins.ins().vany_true(saturated);
        self.raise_vxsat(any);
    }

    /// Sets it if a byte is 1, not if it is 0.
    fn raise_vxsat(&mut self, any: Value) {
        let hart = self.hart();
        let before = self.ins.ins().load(types::I8, own(), hart, offset::VXSAT as i32);
        // Its first time; others neither store it nor wait for the one before.
        let is_news = self.ins.ins().band_not(any, before);
        let (raise, on) = (self.ins.create_block(), self.ins.create_block());
        self.ins.set_cold_block(raise);
        self.ins.ins().brif(is_news, raise, &[], on, &[]);
        self.ins.seal_block(raise);
        self.ins.switch_to_block(raise);
        self.ins.ins().store(own(), any, hart, offset::VXSAT as i32);
        self.ins.ins().jump(on, &[]);
        self.ins.seal_block(on);
        self.ins.switch_to_block(on);
    }

    fn other(&mut self, host: Host, second: Source, sew: u8) -> Other {
        if let Source::Group(register) = second {
            return Other::Group(register as usize * self.region.vector.vlenb());
        }
        let value = self.second(second);
        match host {
            Host::Shifts { .. } => self.bits(value, lanes_of_width(sew)),
            Host::Narrows { .. } => self.bits(value, lanes_of_width(sew + 1)),
            _ => Other::Same(self.splat(value, lanes_of_width(sew))),
        }
    }

    /// How far a number shifts lanes of a type.
    fn bits(&mut self, number: Value, ty: Type) -> Other {
        let most = u64::from(ty.lane_bits()) - 1;
        if let Known::Constant(number) = self.known[number] {
            let Some(but_one) = (number & most).checked_sub(1) else { return Other::Nothing };
            let last = self.lanes_constant(1, ty);
            return Other::Bits { all: self.constant(but_one + 1), but_one: self.constant(but_one), last };
        }
        let most = self.constant(most);
        let all = self.ins.ins().band(number, most);
        let but_one = self.ins.ins().iadd_imm_s(all, -1);
        let zero = self.constant(0);
        let is_cut = self.ins.ins().icmp(IntCC::NotEqual, all, zero);
        let is_cut = self.ins.ins().uextend(types::I64, is_cut);
        Other::Bits { all, but_one, last: self.splat(is_cut, ty) }
    }

    fn fixed_of(&mut self, host: Host, resolved: &Resolved, other: Other, sew: u8, column: usize) -> Results {
        let ty = lanes_of_width(sew);
        match host {
            Host::Saturates { signed, subtracts } => {
                let [a, b] = self.operands(resolved, other, column, ty);
                match (sew, signed) {
                    (2, false) => self.saturated_unsigned_words(a, b, subtracts),
                    (2 | 3, true) => self.saturated_signed(a, b, ty, subtracts),
                    (3, false) => self.saturated_unsigned_doublewords(a, b, subtracts),
                    _ => self.saturated(a, b, signed, subtracts),
                }
            }
            Host::Averages { signed, subtracts } => {
                let [a, b] = self.operands(resolved, other, column, ty);
                (self.averaged(a, b, ty, signed, subtracts), None)
            }
            Host::Multiplies => {
                let [a, b] = self.operands(resolved, other, column, ty);
                self.multiplied(a, b, ty)
            }
            Host::Shifts { signed } => {
                let a = self.column(resolved.a + column, ty);
                let value = match other {
                    Other::Group(offset) => {
                        let by = self.column(offset + column, ty);
                        self.bytes_shifted_apart(a, by, signed)
                    }
                    _ => self.shifted(a, other, signed),
                };
                (value, None)
            }
            Host::Narrows { signed } => {
                let wide = lanes_of_width(sew + 1);
                let halves = [0, COLUMN].map(|half| self.column(resolved.a + 2 * column + half, wide));
                let halves = match other {
                    Other::Group(offset) => {
                        let by = self.column(offset + column, types::I8X16);
                        self.shifted_apart(halves, by, 15, signed)
                    }
                    _ => halves.map(|lanes| self.shifted(lanes, other, signed)),
                };
                self.narrowed(halves, wide, signed, resolved.masked_off.is_some())
            }
        }
    }

    fn operands(&mut self, resolved: &Resolved, other: Other, column: usize, ty: Type) -> [Value; 2] {
        let a = self.column(resolved.a + column, ty);
        let b = match other {
            Other::Group(offset) => self.column(offset + column, ty),
            Other::Same(lanes) => lanes,
            Other::Nothing | Other::Bits { .. } => a,
        };
        [a, b]
    }

    /// The sums or differences of bytes or halfwords, which hosts saturate: where that is another lane, it did.
    fn saturated(&mut self, a: Value, b: Value, signed: bool, subtracts: bool) -> Results {
        let value = match (signed, subtracts) {
            (false, false) => self.ins.ins().uadd_sat(a, b),
            (true, false) => self.ins.ins().sadd_sat(a, b),
            (false, true) => self.ins.ins().usub_sat(a, b),
            (true, true) => self.ins.ins().ssub_sat(a, b),
        };
        let wrapped = self.sum_of(a, b, subtracts);
        (value, Some(self.ins.ins().bxor(value, wrapped)))
    }

    fn sum_of(&mut self, a: Value, b: Value, subtracts: bool) -> Value {
        if subtracts { self.ins.ins().isub(a, b) } else { self.ins.ins().iadd(a, b) }
    }

    /// The same of unsigned words: `a` is bounded before, so that nothing wraps.
    fn saturated_unsigned_words(&mut self, a: Value, b: Value, subtracts: bool) -> Results {
        let bounded = if subtracts {
            self.ins.ins().umax(a, b)
        } else {
            let most = self.ins.ins().bnot(b);
            self.ins.ins().umin(a, most)
        };
        let value = self.sum_of(bounded, b, subtracts);
        (value, Some(self.ins.ins().bxor(bounded, a)))
    }

    /// The same of unsigned doublewords, which few hosts can bound: a sum wrapped if it is below a summand.
    fn saturated_unsigned_doublewords(&mut self, a: Value, b: Value, subtracts: bool) -> Results {
        let wrapped = self.sum_of(a, b, subtracts);
        let (less, other) = if subtracts { (a, b) } else { (wrapped, a) };
        let has_wrapped = self.ins.ins().icmp(IntCC::UnsignedLessThan, less, other);
        let value = if subtracts {
            self.ins.ins().band_not(wrapped, has_wrapped)
        } else {
            self.ins.ins().bor(wrapped, has_wrapped)
        };
        (value, Some(has_wrapped))
    }

    /// The same of signed words and doublewords: it wrapped if the sign is that of neither summand, or of a difference, that of `b` but not
    /// of `a`. The exact result then has the sign of `a`.
    fn saturated_signed(&mut self, a: Value, b: Value, ty: Type, subtracts: bool) -> Results {
        let wrapped = self.sum_of(a, b, subtracts);
        let from_a = self.ins.ins().bxor(a, wrapped);
        let from_b = self.ins.ins().bxor(b, if subtracts { a } else { wrapped });
        let signs = self.ins.ins().band(from_a, from_b);
        // Not all hosts have doublewords with signs to shift.
        let zero = self.lanes_constant(0, ty);
        let [has_wrapped, sign] =
            [signs, a].map(|lanes| self.ins.ins().icmp(IntCC::SignedLessThan, lanes, zero));
        let most = self.lanes_constant(u64::MAX >> (65 - ty.lane_bits()), ty);
        let bound = self.ins.ins().bxor(sign, most);
        (self.ins.ins().bitselect(has_wrapped, bound, wrapped), Some(has_wrapped))
    }

    /// `(a + b + 1) >> 1` or `(a - b + 1) >> 1` without a bit lost.
    fn averaged(&mut self, a: Value, b: Value, ty: Type, signed: bool, subtracts: bool) -> Value {
        // With all signs flipped, numbers are unsigned and as far from each other as before.
        let ones = u64::MAX >> (64 - ty.lane_bits());
        let sign = ones ^ ones >> 1;
        // Half of a difference lies as far below the middle as the average of `!a` and `b` above 0.
        let (flip_a, flip_b) = match (signed, subtracts) {
            (false, false) => (0, 0),
            (true, false) => (sign, sign),
            (false, true) => (ones, 0),
            (true, true) => (ones ^ sign, sign),
        };
        let (a, b) = (self.flipped(a, flip_a, ty), self.flipped(b, flip_b, ty));
        let average = self.average(a, b, ty);
        if subtracts {
            let middle = self.lanes_constant(sign, ty);
            self.ins.ins().isub(middle, average)
        } else {
            self.flipped(average, flip_b, ty)
        }
    }

    /// Lanes with these bits of each flipped.
    fn flipped(&mut self, lanes: Value, bits: u64, ty: Type) -> Value {
        if bits == 0 {
            return lanes;
        }
        let bits = self.lanes_constant(bits, ty);
        self.ins.ins().bxor(lanes, bits)
    }

    /// The average of unsigned lanes, rounded up.
    fn average(&mut self, a: Value, b: Value, ty: Type) -> Value {
        if ty.lane_bits() <= 16 {
            return self.ins.ins().avg_round(a, b);
        }
        let (all, differing) = (self.ins.ins().bor(a, b), self.ins.ins().bxor(a, b));
        let one = self.constant(1);
        let half = self.ins.ins().ushr(differing, one);
        self.ins.ins().isub(all, half)
    }

    /// Lanes shifted to the right, and the last bit that falls out added.
    fn shifted(&mut self, lanes: Value, by: Other, signed: bool) -> Value {
        let Other::Bits { all, but_one, last } = by else { return lanes };
        let [kept, half] = [all, but_one].map(|bits| {
            if signed { self.ins.ins().sshr(lanes, bits) } else { self.ins.ins().ushr(lanes, bits) }
        });
        let half = self.ins.ins().band(half, last);
        self.ins.ins().iadd(kept, half)
    }
}
