//! Floating-point instructions between 32 and 64 bits, at the bounds of what either can be.

use hart::AgnosticFill;

use crate::float_loops::{A, B, Loop, Op, SCALAR, SHAPES, looks, op};
use crate::guest::program;
use crate::ieee;

fn check(is_narrowing: bool, names: &[(&'static str, u32)], plain: &[u64], special: &[u64]) {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    for (index, (vlen, lmul, length)) in SHAPES.into_iter().enumerate() {
        if lmul == 3 || crate::rounds::shape(vlen, 2, lmul).is_none() {
            continue;
        }
        let group = 1_usize << (lmul + i32::from(!is_narrowing)).max(0);
        let groups: Vec<u32> = (24..32).step_by(group).chain((0..8).step_by(group).skip(1)).collect();
        for (number, names) in names.chunks(groups.len()).enumerate() {
            let own = |(&(name, b), &d): (&(&'static str, u32), &u32)| op(name, d, A, b);
            let mut ops: Vec<Op> = names.iter().zip(&groups).map(own).collect();
            // From what is not stored yet, and to what is read: the first part of a wider group, and the last of a narrower.
            ops.insert(0, op("VXOR__VV", B, A, B));
            ops.push(op("VXOR__VV", A, A, B));
            ops.extend(ops.first().copied());
            if is_narrowing {
                ops.extend(names.first().map(|&(name, b)| op(name, A, A, b)));
            }
            let masks = |(position, op): (usize, Op)| match (index + number) % 3 {
                0 => op.masked(),
                1 if position % 2 == 1 => op.masked(),
                _ => op,
            };
            let ops: Vec<Op> = ops.into_iter().enumerate().map(masks).collect();
            let fill = if index % 4 == 1 { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
            let program = &programs[index / 2 % 2];
            let looks = looks(index + number, length);
            let all = Loop { program, vlen, fill, sew: 2, lmul, length, ops, looks };
            all.check(&all.rounds(plain, special));
        }
    }
}

fn with_signs(sew: u32, numbers: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let sign = ieee::bits(sew, -0.0);
    numbers.into_iter().flat_map(|bits| [bits, bits | sign]).collect()
}

fn power(exponent: i32) -> f64 {
    2.0_f64.powi(exponent)
}

/// NaNs and infinities, and singles that doubles begin with which are such.
fn special_singles() -> Vec<u64> {
    with_signs(2, [0x7fc0_0000, 0x7f80_0001, 0x7f80_0000, 0x7ff8_0000, 0x7ff0_0000, 0x7f80_0000])
}

/// Singles whose sums are exact or not.
fn singles() -> Vec<u64> {
    let numbers =
        [0.0, 1.0, 1.5, 0.1, power(40), power(-40), 3.0e20, 1.0 / 3.0, power(29), power(30) + 128.0];
    with_signs(
        2,
        numbers.into_iter().map(|number| ieee::bits(2, number)).chain([1, 0x007f_ffff, 0x7f7f_ffff]),
    )
}

#[test]
fn arithmetic() {
    let names = [
        ("VFWADD__VV", B),
        ("VFWSUB__VV", B),
        ("VFWMUL__VV", B),
        ("VFWMACC__VV", B),
        ("VFWADD__VF", SCALAR),
        ("VFWSUB__VF", SCALAR),
        ("VFWMUL__VF", SCALAR),
        ("VFWMACC__VF", SCALAR),
        ("VFWNMACC__VV", B),
        ("VFWMSAC__VF", SCALAR),
        ("VFWNMSAC__VV", B),
    ];
    check(false, &names, &singles(), &special_singles());
}

#[test]
fn sums_with_doubles() {
    let names = [("VFWADD__WV", B), ("VFWSUB__WV", B), ("VFWADD__WF", SCALAR), ("VFWSUB__WF", SCALAR)];
    check(false, &names, &singles(), &special_singles());
}

#[test]
fn widening_conversions() {
    let names = [
        "VFWCVT__F__F__V",
        "VFWCVT__X__F__V",
        "VFWCVT__XU__F__V",
        "VFWCVT__RTZ__X__F__V",
        "VFWCVT__RTZ__XU__F__V",
        "VFWCVT__F__X__V",
        "VFWCVT__F__XU__V",
    ];
    let numbers =
        [0.0, 0.5, 1.5, 2.5, 0.75, 1.0, 1.0e5, power(23) + 1.0, power(31), power(50), 3.0 * power(49)];
    let plain = numbers.map(|number| ieee::bits(2, number));
    let mut special = special_singles();
    special.extend(with_signs(2, [51, 52, 62, 63, 64, 65].map(|exponent| ieee::bits(2, power(exponent)))));
    special.extend(with_signs(2, [3.0, 2.5, 3.5].map(|number| ieee::bits(2, number * power(50)))));
    special.extend([-0.5, -0.25, -0.0, -1.0, -1.5].map(|number| ieee::bits(2, number)));
    for name in names {
        let signed = !name.contains("XU");
        let plain: Vec<u64> = if signed { with_signs(2, plain) } else { plain.to_vec() };
        check(false, &[(name, 0); 3], &plain, &special);
    }
}

/// What is at, below and above a number.
fn near(number: f64) -> [u64; 3] {
    [number.to_bits(), number.to_bits() + 1, number.to_bits().saturating_sub(1)]
}

#[test]
fn doubles_to_singles() {
    let names = [("VFNCVT__F__F__W", 0), ("VFNCVT__ROD__F__F__W", 0)];
    let half = power(-24);
    let numbers = [1.0, 1.0 + half, 1.0 + 3.0 * half, 1.0 + half / 2.0, 0.1, 1.0e30, 1.0e-30, power(-125)];
    let plain = with_signs(3, numbers.into_iter().flat_map(near).chain([0]));
    let largest = f64::from(f32::MAX);
    let bounds = [
        power(-126),
        power(-126) - power(-150),
        power(-126) - power(-151),
        power(-127),
        power(-149),
        power(-150),
        power(-151),
        1.5 * power(-149),
        largest,
        largest + power(102),
        largest + power(103),
        power(128),
        power(1000),
        power(-1000),
    ];
    let mut special = with_signs(3, bounds.into_iter().flat_map(near));
    let nans = [0x7ff8_0000_0000_0000, 0x7ff0_0000_0000_0001, 0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0055];
    special.extend(with_signs(3, nans));
    check(true, &names, &plain, &special);
}

#[test]
fn doubles_to_words() {
    let numbers = [0.0, 0.5, 1.5, 2.5, 0.75, 7.0, 1.0e5, power(30) + 0.5, power(31) - 1.0, power(31) - 0.75];
    let plain = numbers.map(f64::to_bits);
    let exponents = [31, 32, 33, 50, 51, 52, 63, 64, 100];
    let mut special = with_signs(3, exponents.into_iter().flat_map(|exponent| near(power(exponent))));
    special.extend(with_signs(3, [0x7ff8_0000_0000_0000, 0x7ff0_0000_0000_0001, 0x7ff0_0000_0000_0000]));
    let bounds = [power(31) - 0.5, power(31) - 0.25, power(31) + 0.5, power(32) - 0.5, power(32) - 0.25];
    special.extend(with_signs(3, bounds.map(f64::to_bits)));
    special.extend([-0.0, -0.5, -0.25, -0.75, -1.0].map(f64::to_bits));
    for name in ["VFNCVT__X__F__W", "VFNCVT__XU__F__W", "VFNCVT__RTZ__X__F__W", "VFNCVT__RTZ__XU__F__W"] {
        let signed = !name.contains("XU");
        let plain: Vec<u64> = if signed { with_signs(3, plain) } else { plain.to_vec() };
        check(true, &[(name, 0); 3], &plain, &special);
    }
}

#[test]
fn doublewords_to_singles() {
    let steps = |middle: i64| middle - 2..=middle + 2;
    let plain: Vec<u64> = [0, 1 << 24, 3 << 24, 1 << 30, (1 << 40) + (1 << 16), (1 << 51) - 3]
        .into_iter()
        .flat_map(steps)
        .map(|integer| integer.unsigned_abs())
        .collect();
    let special = [51, 52, 53, 54, 62, 63].into_iter().flat_map(|bits| {
        let power = 1_u64 << bits;
        // The last is a tie of singles but for its last bit, which doubles have no room for.
        [
            power - 1,
            power,
            power + 1,
            power.wrapping_neg(),
            (power - 1).wrapping_neg(),
            power | power >> 24 | 1,
        ]
    });
    // And what is just below one, which doubles round up to it; without signs, there are larger ones.
    let below = |bits: u32| (3_u64 << (bits - 1) | 1 << (bits - 24)) + (1 << (bits - 23)) - 1;
    let ties: Vec<u64> =
        (54..64).map(below).chain([u64::MAX, u64::MAX << 40, (u64::MAX << 39) - 1]).collect();
    let ties = ties.iter().flat_map(|&integer| [0, 1, 2].map(|beyond| integer.wrapping_add(beyond)));
    let ties = ties.flat_map(|integer| [integer, integer.wrapping_neg()]);
    let special: Vec<u64> = special.chain(ties).collect();
    let signed: Vec<u64> = plain.iter().flat_map(|&integer| [integer, integer.wrapping_neg()]).collect();
    check(true, &[("VFNCVT__F__X__W", 0); 2], &signed, &special);
    check(true, &[("VFNCVT__F__XU__W", 0); 2], &plain, &special);
}
