//! What floating-point instructions do with one element, by the arithmetic of wide integers and of doubles, apart from
//! both tiers.

pub const INVALID: u64 = 16;
pub const INEXACT: u64 = 1;

/// Widths by SEW, log2 of bytes: of all bits and of the significand's written ones.
const fn widths(sew: u32) -> (u32, u32) {
    if sew == 2 { (32, 23) } else { (64, 52) }
}

/// All bits of an element.
pub const fn mask(sew: u32) -> u64 {
    u64::MAX >> (64 - widths(sew).0)
}

const fn sign(sew: u32) -> u64 {
    1 << (widths(sew).0 - 1)
}

const fn infinity(sew: u32) -> u64 {
    let (_, written) = widths(sew);
    (mask(sew) >> 1) >> written << written
}

/// The NaN that results are.
pub const fn canonical(sew: u32) -> u64 {
    infinity(sew) | 1 << (widths(sew).1 - 1)
}

pub const fn is_nan(sew: u32, bits: u64) -> bool {
    bits & !sign(sew) > infinity(sew)
}

pub const fn is_signalling(sew: u32, bits: u64) -> bool {
    is_nan(sew, bits) && bits >> (widths(sew).1 - 1) & 1 == 0
}

/// A number, which doubles hold.
pub fn number(sew: u32, bits: u64) -> f64 {
    if sew == 2 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) }
}

/// Its bits.
pub fn bits(sew: u32, number: f64) -> u64 {
    if sew == 2 { u64::from((number as f32).to_bits()) } else { number.to_bits() }
}

/// What `name` (without its form) makes of an element of `vs2` and one of the second operand where `frm` is as given, and
/// the flags it raises. A comparison is 1 or 0.
pub fn element(name: &str, sew: u32, frm: u64, a: u64, b: u64) -> (u64, u64) {
    let sign = sign(sew);
    match name {
        "VMFEQ" | "VMFNE" | "VMFLT" | "VMFLE" | "VMFGT" | "VMFGE" => compared(name, sew, a, b),
        "VFMIN" | "VFMAX" => chosen(name == "VFMIN", sew, a, b),
        "VFSGNJ" => (a & !sign | b & sign, 0),
        "VFSGNJN" => (a & !sign | !b & sign, 0),
        "VFSGNJX" => (a ^ b & sign, 0),
        // One on integers, beside the others.
        "VXOR" => (a ^ b, 0),
        "VFCVT__X__F" => to_integer(number(sew, a), widths(sew).0, frm, true),
        "VFCVT__XU__F" => to_integer(number(sew, a), widths(sew).0, frm, false),
        "VFCVT__RTZ__X__F" => to_integer(number(sew, a), widths(sew).0, 1, true),
        "VFCVT__RTZ__XU__F" => to_integer(number(sew, a), widths(sew).0, 1, false),
        "VFCVT__F__X" => {
            from_integer(sew, frm, ((a << (64 - widths(sew).0)) as i64 >> (64 - widths(sew).0)).into())
        }
        "VFCVT__F__XU" => from_integer(sew, frm, a.into()),
        _ => panic!("no model of {name}"),
    }
}

/// "Vector Floating-Point Compare Instructions": equality is quiet, order signals.
fn compared(name: &str, sew: u32, a: u64, b: u64) -> (u64, u64) {
    let is_quiet = matches!(name, "VMFEQ" | "VMFNE");
    let signals = |bits| if is_quiet { is_signalling(sew, bits) } else { is_nan(sew, bits) };
    let flags = if signals(a) || signals(b) { INVALID } else { 0 };
    let (a, b) = (number(sew, a), number(sew, b));
    let holds = match name {
        "VMFEQ" => a == b,
        "VMFNE" => a != b,
        "VMFLT" => a < b,
        "VMFLE" => a <= b,
        "VMFGT" => a > b,
        _ => a >= b,
    };
    (holds.into(), flags)
}

/// `minimumNumber` and `maximumNumber` of IEEE 754-2019.
fn chosen(least: bool, sew: u32, a: u64, b: u64) -> (u64, u64) {
    let flags = if is_signalling(sew, a) || is_signalling(sew, b) { INVALID } else { 0 };
    let is_less = |a: u64, b: u64| {
        let (x, y) = (number(sew, a), number(sew, b));
        x < y || x == y && a & sign(sew) != 0
    };
    let chosen = match (is_nan(sew, a), is_nan(sew, b)) {
        (true, true) => canonical(sew),
        (true, false) => b,
        (false, true) => a,
        _ if is_less(a, b) == least => a,
        _ => b,
    };
    (chosen, flags)
}

/// A number as an integer of so many bits.
pub fn to_integer(number: f64, width: u32, frm: u64, signed: bool) -> (u64, u64) {
    let (least, most) = match signed {
        true => (-((1_i128) << (width - 1)), (1_i128 << (width - 1)) - 1),
        false => (0, (1_i128 << width) - 1),
    };
    if number.is_nan() {
        return (most as u64, INVALID);
    }
    let rounded = match frm {
        0 => number.round_ties_even(),
        1 => number.trunc(),
        2 => number.floor(),
        3 => number.ceil(),
        _ => number.round(),
    };
    // Whatever is too large for 128 bits is too large for fewer.
    let integer = rounded as i128;
    if integer < least || integer > most {
        return (integer.clamp(least, most) as u64 & u64::MAX >> (64 - width), INVALID);
    }
    (integer as u64 & u64::MAX >> (64 - width), if rounded == number { 0 } else { INEXACT })
}

pub fn from_integer(sew: u32, frm: u64, a: i128) -> (u64, u64) {
    let precision = widths(sew).1 + 1;
    let (magnitude, is_negative) = (a.unsigned_abs(), a < 0);
    let dropped = (128 - magnitude.leading_zeros()).saturating_sub(precision);
    let (kept, rest) = (magnitude >> dropped, magnitude & ((1 << dropped) - 1));
    let half = if dropped == 0 { 1 } else { 1 << (dropped - 1) };
    let is_up = rest != 0
        && match frm {
            0 => rest > half || rest == half && kept & 1 == 1,
            1 => false,
            2 => is_negative,
            3 => !is_negative,
            _ => rest >= half,
        };
    // As wide as the significand, which is exact.
    let magnitude = ((kept + u128::from(is_up)) << dropped) as f64;
    (bits(sew, if is_negative { -magnitude } else { magnitude }), if rest == 0 { 0 } else { INEXACT })
}
