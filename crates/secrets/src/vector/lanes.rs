//! Operations on elements of one place: one row each, as the vector unit has them.

use crate::bits::{self, Bits, any, not, ones};
use crate::interval;

/// The operands of one place.
pub struct Lane {
    /// Of `vs2`.
    pub a: Bits,
    /// Of the second operand.
    pub b: Bits,
    /// Of `vd`, before.
    pub d: Bits,
    /// The bit of v0, where it is an operand; else zero.
    pub v0: Bits,
    /// Width of `a`.
    pub wide_a: u32,
    /// Width of `b`.
    pub wide_b: u32,
    /// Width of the result, 1 for a mask.
    pub width: u32,
    /// `vs1` and `vs2` are one register group.
    pub same: bool,
}

/// Secret bits of a result.
pub type LaneRule = fn(&Lane) -> u64;

impl Lane {
    fn zero_extended(&self) -> (Bits, Bits) {
        (self.a, self.b)
    }

    fn sign_extended(&self) -> (Bits, Bits) {
        let extended = |of: Bits, from: u32| of.sign_extended(from, self.width.max(from));
        (extended(self.a, self.wide_a), extended(self.b, self.wide_b))
    }

    /// The second operand as an amount of a shift of elements of a width.
    fn amount(&self, width: u32) -> Bits {
        self.b.low(width.trailing_zeros())
    }

    fn shifted(&self, a: Bits, width: u32, shift: impl Fn(u64, u64) -> u64) -> u64 {
        bits::shifted(a, self.amount(width), width.into(), |x, by| shift(x, by.min(63)) & ones(self.width))
    }

    fn product(&self, a: Bits, b: Bits) -> Bits {
        Bits {
            value: a.value.wrapping_mul(b.value) & ones(self.width),
            secret: bits::mul(a.low(self.width), b.low(self.width), self.width),
        }
    }

    fn all(&self) -> u64 {
        any(self.a, self.b, self.width)
    }
}

const fn bit(is_secret: bool) -> u64 {
    is_secret as u64
}

/// Whether `a + b + v0` carries out of the elements.
const fn carries(lane: &Lane) -> u64 {
    let least = lane.a.least() as u128 + lane.b.least() as u128 + lane.v0.least() as u128;
    let most = lane.a.most() as u128 + lane.b.most() as u128 + lane.v0.most() as u128;
    bit((least >> lane.wide_a != 0) != (most >> lane.wide_a != 0))
}

/// Whether `a - b - v0` borrows.
const fn borrows(lane: &Lane) -> u64 {
    let least = lane.b.least() as u128 + lane.v0.least() as u128;
    let most = lane.b.most() as u128 + lane.v0.most() as u128;
    let may_borrow = (lane.a.least() as u128) < most;
    let must_borrow = (lane.a.most() as u128) < least;
    bit(may_borrow && !must_borrow)
}

fn less(lane: &Lane, is_signed: bool, swapped: bool) -> bool {
    let (a, b) = if swapped { (lane.b, lane.a) } else { (lane.a, lane.b) };
    !lane.same && if is_signed { bits::less_signed(a, b, lane.wide_a) } else { bits::less(a, b) }
}

fn chosen(lane: &Lane, is_signed: bool, largest: bool) -> u64 {
    let order = |x: u64| if is_signed { x ^ 1 << (lane.wide_a - 1) } else { x };
    let takes_a = (order(lane.a.value) < order(lane.b.value)) != largest;
    let equal = lane.a.value == lane.b.value;
    let is_secret = less(lane, is_signed, false) || less(lane, is_signed, true);
    bits::chosen(lane.a, lane.b, takes_a, is_secret || equal && lane.a.secret != lane.b.secret)
}

/// Rows `NAMES |lane| rule;`.
macro_rules! lanes {
    ($($($name:literal)|* => |$lane:ident| $rule:expr;)*) => {
        /// The rule of an operation, by its name in the descriptions without its form.
        pub fn rule(stem: &str) -> Option<LaneRule> {
            Some(match stem {
                $($($name)|* => |$lane| $rule,)*
                _ => return None,
            })
        }
    };
}

lanes! {
    "VADD" => |l| bits::add(l.a, l.b, l.width);
    "VSUB" => |l| if l.same { 0 } else { bits::sub(l.a, l.b, l.width) };
    "VRSUB" => |l| bits::sub(l.b, l.a, l.width);
    "VAND" => |l| bits::and(l.a, l.b);
    "VANDN" => |l| if l.same { 0 } else { bits::and(l.a, not(l.b, l.width)) };
    "VOR" => |l| bits::or(l.a, l.b);
    "VXOR" => |l| if l.same { 0 } else { bits::xor(l.a, l.b) };
    "VMV" => |l| l.b.secret;
    "VMERGE" => |l| bits::select(l.v0, l.b, l.a);
    "VID" => |_l| 0;
    "VSLL" => |l| l.shifted(l.a, l.width, |x, by| x << by);
    "VSRL" => |l| l.shifted(l.a, l.width, |x, by| x >> by);
    "VSRA" => |l| l.shifted(l.a, l.width, |x, by| (bits::sign_extended(x, l.width) as i64 >> by) as u64);
    "VROL" => |l| bits::rotated_left(l.a, l.b, l.width);
    "VROR" => |l| bits::rotated_right(l.a, l.b, l.width);
    "VMINU" => |l| chosen(l, false, false);
    "VMIN" => |l| chosen(l, true, false);
    "VMAXU" => |l| chosen(l, false, true);
    "VMAX" => |l| chosen(l, true, true);
    "VMUL" => |l| bits::mul(l.a, l.b, l.width);
    "VMULHU" => |l| interval::mul_high(l.a, l.b, (false, false), l.width);
    "VMULH" => |l| interval::mul_high(l.a, l.b, (true, true), l.width);
    "VMULHSU" => |l| interval::mul_high(l.a, l.b, (true, false), l.width);
    "VDIVU" => |l| interval::div(l.a, l.b, false, l.width);
    "VREMU" => |l| interval::rem(l.a, l.b, false, l.width);
    "VDIV" => |l| interval::div(l.a, l.b, true, l.width);
    "VREM" => |l| interval::rem(l.a, l.b, true, l.width);
    "VMACC" => |l| bits::add(l.d, l.product(l.a, l.b), l.width);
    "VNMSAC" => |l| bits::sub(l.d, l.product(l.a, l.b), l.width);
    "VMADD" => |l| bits::add(l.a, l.product(l.b, l.d), l.width);
    "VNMSUB" => |l| bits::sub(l.a, l.product(l.b, l.d), l.width);
    "VBREV" => |l| l.a.secret.reverse_bits() >> (64 - l.width);
    "VBREV8" => |l| l.a.secret.swap_bytes().reverse_bits();
    "VREV8" => |l| l.a.secret.swap_bytes() >> (64 - l.width);
    "VCLZ" => |l| bits::leading_zeros(l.a, l.width);
    "VCTZ" => |l| bits::trailing_zeros(l.a, l.width);
    "VCPOP" => |l| bits::count_ones(l.a);
    "VCLMUL" => |l| bits::clmul(l.a, l.b) as u64;
    "VCLMULH" => |l| (bits::clmul(l.a, l.b) >> 64) as u64;
    "VZEXT" => |l| l.a.secret;
    "VSEXT" => |l| l.sign_extended().0.secret;
    "VWADDU" => |l| { let (a, b) = l.zero_extended(); bits::add(a, b, l.width) };
    "VWADD" => |l| { let (a, b) = l.sign_extended(); bits::add(a, b, l.width) };
    "VWSUBU" => |l| { let (a, b) = l.zero_extended(); bits::sub(a, b, l.width) };
    "VWSUB" => |l| { let (a, b) = l.sign_extended(); bits::sub(a, b, l.width) };
    "VWMULU" => |l| bits::mul(l.a, l.b, l.width);
    "VWMUL" => |l| { let (a, b) = l.sign_extended(); l.product(a, b).secret };
    "VWMULSU" => |l| l.product(l.sign_extended().0, l.b).secret;
    "VWMACCU" => |l| bits::add(l.d, l.product(l.a, l.b), l.width);
    "VWMACC" => |l| { let (a, b) = l.sign_extended(); bits::add(l.d, l.product(a, b), l.width) };
    // vs1 or rs1 is the signed one, or the unsigned one.
    "VWMACCSU" => |l| bits::add(l.d, l.product(l.a, l.sign_extended().1), l.width);
    "VWMACCUS" => |l| bits::add(l.d, l.product(l.sign_extended().0, l.b), l.width);
    "VWSLL" => |l| l.shifted(l.a, l.width, |x, by| x << by);
    "VNSRL" => |l| l.shifted(l.a, l.wide_a, |x, by| x >> by);
    "VNSRA" => |l| l.shifted(l.a, l.wide_a, |x, by| (bits::sign_extended(x, l.wide_a) as i64 >> by) as u64);
    "VMSEQ" | "VMSNE" => |l| bit(!l.same && bits::eq(l.a, l.b));
    "VMSLTU" => |l| bit(less(l, false, false));
    "VMSLT" => |l| bit(less(l, true, false));
    "VMSLEU" | "VMSGTU" => |l| bit(less(l, false, true));
    "VMSLE" | "VMSGT" => |l| bit(less(l, true, true));
    "VADC" => |l| bits::add_with_carry(l.a, l.b, l.v0, l.width);
    "VSBC" => |l| bits::sub_with_borrow(l.a, l.b, l.v0, l.width);
    "VMADC" => |l| carries(l);
    "VMSBC" => |l| borrows(l);
    // Saturation and rounding.
    "VSADDU" | "VSADD" | "VSSUBU" | "VSSUB" | "VAADDU" | "VAADD" | "VASUBU" | "VASUB" | "VSMUL" | "VSSRL" | "VSSRA"
        | "VNCLIPU" | "VNCLIP" => |l| l.all();
}
