//! What floating-point instructions do that take singles to doubles, or back, and sums: apart from both tiers, by the host's
//! doubles where these are exact, or off by what is known.

use crate::ieee::{self, INEXACT, INVALID};

const OVERFLOW: u64 = 4;
const UNDERFLOW: u64 = 2;
const SINGLE: u32 = 2;
const DOUBLE: u32 = 3;
/// Rounding to odd, which is no `frm`.
const ODD: u64 = 8;

/// What `name` makes of elements of `vs2`, of the second operand and of `vd`, and the flags it raises, where SEW is 32.
pub fn element(name: &str, frm: u64, [a, b, d]: [u64; 3]) -> (u64, u64) {
    let wide = |bits: u64| f64::from(f32::from_bits(bits as u32));
    match name {
        "VFWADD__VV" | "VFWADD__VF" => of_numbers(&[a, b], &[], || sum(DOUBLE, frm, wide(a), wide(b))),
        "VFWSUB__VV" | "VFWSUB__VF" => of_numbers(&[a, b], &[], || sum(DOUBLE, frm, wide(a), -wide(b))),
        "VFWADD__WV" | "VFWADD__WF" => {
            of_numbers(&[b], &[a], || sum(DOUBLE, frm, f64::from_bits(a), wide(b)))
        }
        "VFWSUB__WV" | "VFWSUB__WF" => {
            of_numbers(&[b], &[a], || sum(DOUBLE, frm, f64::from_bits(a), -wide(b)))
        }
        "VFWMUL__VV" | "VFWMUL__VF" => of_numbers(&[a, b], &[], || number(wide(a) * wide(b))),
        "VFWMACC__VV" | "VFWMACC__VF" | "VFWNMACC__VV" | "VFWMSAC__VF" | "VFWNMSAC__VV" => {
            let product = wide(a) * wide(b);
            let has_invalid = product.is_nan() && !wide(a).is_nan() && !wide(b).is_nan();
            let (bits, flags) = of_numbers(&[a, b], &[d], || {
                let d = f64::from_bits(d);
                let product = if name.starts_with("VFWN") { -product } else { product };
                let d = if name.starts_with("VFWNMAC") || name.starts_with("VFWMS") { -d } else { d };
                sum(DOUBLE, frm, product, d)
            });
            (bits, flags | if has_invalid { INVALID } else { 0 })
        }
        "VFWCVT__F__F__V" => of_numbers(&[a], &[], || number(wide(a))),
        "VFWCVT__X__F__V" => ieee::to_integer(wide(a), 64, frm, true),
        "VFWCVT__XU__F__V" => ieee::to_integer(wide(a), 64, frm, false),
        "VFWCVT__RTZ__X__F__V" => ieee::to_integer(wide(a), 64, 1, true),
        "VFWCVT__RTZ__XU__F__V" => ieee::to_integer(wide(a), 64, 1, false),
        "VFWCVT__F__X__V" => ieee::from_integer(DOUBLE, frm, (a as i32).into()),
        "VFWCVT__F__XU__V" => ieee::from_integer(DOUBLE, frm, a.into()),
        "VFNCVT__F__F__W" => of_numbers(&[], &[a], || narrowed(frm, f64::from_bits(a))),
        "VFNCVT__ROD__F__F__W" => of_numbers(&[], &[a], || narrowed(ODD, f64::from_bits(a))),
        "VFNCVT__X__F__W" => ieee::to_integer(f64::from_bits(a), 32, frm, true),
        "VFNCVT__XU__F__W" => ieee::to_integer(f64::from_bits(a), 32, frm, false),
        "VFNCVT__RTZ__X__F__W" => ieee::to_integer(f64::from_bits(a), 32, 1, true),
        "VFNCVT__RTZ__XU__F__W" => ieee::to_integer(f64::from_bits(a), 32, 1, false),
        "VFNCVT__F__X__W" => ieee::from_integer(SINGLE, frm, (a as i64).into()),
        "VFNCVT__F__XU__W" => ieee::from_integer(SINGLE, frm, a.into()),
        _ => panic!("no model of {name}"),
    }
}

/// What is computed if none of the singles and doubles is a NaN. What is a NaN then is invalid.
fn of_numbers(singles: &[u64], doubles: &[u64], compute: impl FnOnce() -> (u64, u64)) -> (u64, u64) {
    let all = || singles.iter().map(|&bits| (SINGLE, bits)).chain(doubles.iter().map(|&bits| (DOUBLE, bits)));
    let canonical = |(bits, flags): (u64, u64)| match (bits, flags) {
        (bits, INVALID) if bits > u64::from(u32::MAX) => (ieee::canonical(DOUBLE), INVALID),
        other => other,
    };
    if !all().any(|(sew, bits)| ieee::is_nan(sew, bits)) {
        return canonical(compute());
    }
    let is_invalid = all().any(|(sew, bits)| ieee::is_signalling(sew, bits));
    // Results of two doubles and of singles are doubles, but for what one double becomes.
    let sew = if singles.is_empty() { SINGLE } else { DOUBLE };
    (ieee::canonical(sew), if is_invalid { INVALID } else { 0 })
}

/// A double that is exact, or what comes of an infinity and a zero.
fn number(value: f64) -> (u64, u64) {
    if value.is_nan() { (ieee::canonical(DOUBLE), INVALID) } else { (value.to_bits(), 0) }
}

/// The sum of two numbers of SEW, rounded.
pub fn sum(sew: u32, frm: u64, a: f64, b: f64) -> (u64, u64) {
    let sum = a + b;
    if sum.is_nan() {
        return (ieee::canonical(sew), INVALID);
    }
    if sum == 0.0 {
        let is_negative = a.is_sign_negative() && b.is_sign_negative()
            || a.is_sign_negative() != b.is_sign_negative() && frm == 2;
        return (ieee::bits(sew, if is_negative { -0.0 } else { 0.0 }), 0);
    }
    if a.is_infinite() || b.is_infinite() {
        return (ieee::bits(sew, sum), 0);
    }
    // The larger one first, so that the sum less that is exact.
    let (large, small) = if a.abs() >= b.abs() { (a, b) } else { (b, a) };
    let rest = small - (sum - large);
    if sew == SINGLE {
        // Singles are rounded as if from the exact sum, if that is rounded to odd: doubles have two more bits, and others.
        let is_beyond = rest != 0.0 && (rest > 0.0) != (sum > 0.0);
        let towards_zero = if is_beyond { sum.to_bits() - 1 } else { sum.to_bits() };
        return narrowed(frm, f64::from_bits(towards_zero | u64::from(rest != 0.0)));
    }
    if rest == 0.0 {
        return (sum.to_bits(), 0);
    }
    let towards = if rest > 0.0 { sum.next_up() } else { sum.next_down() };
    let is_tie = (towards - sum) / 2.0 == rest;
    let grows = (rest > 0.0) == (sum > 0.0);
    let moves = match frm {
        0 => false,
        1 => !grows,
        2 => rest < 0.0,
        3 => rest > 0.0,
        _ => is_tie && grows,
    };
    let result = if moves { towards } else { sum };
    (result.to_bits(), if result.is_infinite() { OVERFLOW | INEXACT } else { INEXACT })
}

/// A double that is no NaN as a single.
fn narrowed(mode: u64, number: f64) -> (u64, u64) {
    let sign = u64::from(number.is_sign_negative()) << 31;
    if number.is_infinite() || number == 0.0 {
        return (sign | ieee::bits(SINGLE, number.abs()), 0);
    }
    let bits = number.abs().to_bits();
    // Subnormal doubles are like the smallest normal ones here.
    let (exponent, significand) = ((bits >> 52).max(1) as i32 - 1075, bits & ((1 << 52) - 1));
    let significand = if bits >> 52 == 0 { significand } else { significand | 1 << 52 };
    let top = exponent + 63 - significand.leading_zeros() as i32;
    let at = |last: i32| {
        let dropped = (last - exponent).min(63) as u32;
        let (kept, rest) = (significand >> dropped, significand & ((1 << dropped) - 1));
        let half = 1 << (dropped - 1);
        let up = rest != 0
            && match mode {
                0 => rest > half || rest == half && kept & 1 == 1,
                2 => sign != 0,
                3 => sign == 0,
                4 => rest >= half,
                _ => false,
            };
        let kept = if mode == ODD && rest != 0 { kept | 1 } else { kept + u64::from(up) };
        (kept as f64 * 2.0_f64.powi(last), rest != 0)
    };
    let (value, is_inexact) = at((top - 23).max(-149));
    if value >= 2.0_f64.powi(128) {
        let is_infinite = mode == 0 || mode == 4 || mode == 2 && sign != 0 || mode == 3 && sign == 0;
        let largest = ieee::bits(SINGLE, f64::INFINITY);
        return (sign | (largest - u64::from(!is_infinite)), OVERFLOW | INEXACT);
    }
    // As if there were smaller exponents.
    let is_tiny = at(top - 23).0 < 2.0_f64.powi(-126);
    let flags = match (is_inexact, is_tiny) {
        (false, _) => 0,
        (true, false) => INEXACT,
        (true, true) => INEXACT | UNDERFLOW,
    };
    (sign | ieee::bits(SINGLE, value), flags)
}
