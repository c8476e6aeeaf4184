//! Conversions between floating-point numbers and integers as wide, at all bounds of what either can be.

use hart::AgnosticFill;

use crate::float_loops::{A, B, Loop, Op, SHAPES, looks, op, with_groups};
use crate::guest::program;
use crate::ieee;

/// A number, the one below it and the one above it, of each sign.
fn near(sew: u32, number: f64) -> [u64; 6] {
    let (bits, sign) = (ieee::bits(sew, number), ieee::bits(sew, -0.0));
    [bits, bits + 1, bits.saturating_sub(1)]
        .map(|bits| [bits, bits | sign])
        .as_flattened()
        .try_into()
        .expect("six")
}

fn power(exponent: i32) -> f64 {
    2.0_f64.powi(exponent)
}

/// Numbers within the bounds of signed integers, for which there is a fast way: ties and their neighbours, subnormal ones.
fn small(sew: u32) -> Vec<u64> {
    let bound = if sew == 2 { 31 } else { 51 };
    let numbers = [0.5, 1.5, 2.5, 0.75, 1.0, 3.0, 127.5, 8_388_607.5, power(23), power(24), power(24) + 2.0];
    let mut all: Vec<u64> = numbers.into_iter().flat_map(|number| near(sew, number)).collect();
    let sign = ieee::bits(sew, -0.0);
    // The largest below the bound, and the subnormal ones.
    for bits in [ieee::bits(sew, power(bound)) - 1, ieee::bits(sew, power(bound - 1) - 0.5), 0, 1, 12345] {
        all.extend([bits, bits | sign]);
    }
    all
}

/// The same that are positive, and that are integers when they are rounded.
fn positive(sew: u32) -> Vec<u64> {
    small(sew).into_iter().filter(|bits| bits & ieee::bits(sew, -0.0) == 0).collect()
}

/// Numbers at the bounds of integers and of the ways to them, and NaNs.
fn large(sew: u32) -> Vec<u64> {
    let exponents = [30, 31, 32, 33, 50, 51, 52, 53, 62, 63, 64, 65];
    let mut all: Vec<u64> = exponents.into_iter().flat_map(|exponent| near(sew, power(exponent))).collect();
    // Odd ones above, as far as they are numbers.
    for odd in exponents.into_iter().flat_map(|exponent| [1.0, 1.5, 3.0].map(|by| power(exponent) + by)) {
        all.extend([odd, -odd].map(|number| ieee::bits(sew, number)));
    }
    let (infinity, quiet) = (ieee::bits(sew, f64::INFINITY), ieee::canonical(sew));
    let sign = ieee::bits(sew, -0.0);
    for bits in [infinity, infinity - 1, quiet, infinity | 1] {
        all.extend([bits, bits | sign]);
    }
    // What becomes zero, or less.
    all.extend([-0.0, -0.5, -0.25, -0.75, -1.0, -1.5].map(|number| ieee::bits(sew, number)));
    all
}

/// Integers that have a fast way: of 52 bits with a sign.
fn short_integers(sew: u32) -> Vec<u64> {
    let steps = |middle: i64| (middle - 2..=middle + 2).collect::<Vec<i64>>();
    let mut all = [0, 1 << 24, -(1 << 24), 1 << 30, 3 << 25].map(steps).concat();
    match sew {
        2 => all.extend([
            i64::from(i32::MAX),
            i64::from(i32::MIN),
            i64::from(i32::MAX) - 63,
            i64::from(i32::MAX) - 64,
        ]),
        _ => all.extend([(1 << 51) - 1, (1 << 51) - 2, -(1 << 51), -(1 << 51) + 1, 1 << 50, -(1 << 50) - 1]),
    }
    all.into_iter().map(|integer| integer as u64 & ieee::mask(sew)).collect()
}

/// Others, at all bounds.
fn long_integers(sew: u32) -> Vec<u64> {
    let bits: &[u32] = if sew == 2 { &[31, 32] } else { &[51, 52, 53, 54, 62, 63, 64] };
    let all = bits.iter().flat_map(|&bits| {
        let power = 1_i128 << bits;
        [power - 2, power - 1, power, power + 1, -power - 1, -power, 1 - power, power + (power >> 25)]
    });
    // Ties of singles and of doubles.
    let ties = [
        (1 << 53) + 1,
        (1 << 53) + 3,
        (1 << 63) | 1 << 10,
        (1 << 63) | 3 << 10,
        (1 << 25) + 2,
        (1 << 25) + 6,
    ];
    all.chain(ties).map(|integer| integer as u64 & ieee::mask(sew)).collect()
}

fn check(sew: u32, names: &[&'static str], plain: &[u64], special: &[u64]) {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    for (index, (vlen, lmul, length)) in SHAPES.into_iter().enumerate() {
        if crate::rounds::shape(vlen, sew, lmul).is_none() {
            continue;
        }
        let names: Vec<(&'static str, u32)> = names.iter().map(|&name| (name, 0)).collect();
        for mut ops in with_groups(lmul, &names) {
            // One that is computed just before, and at last one in place.
            ops.insert(1, op("VXOR__VV", B, A, B));
            ops.insert(0, op("VXOR__VV", B, A, B));
            ops.extend(ops.last().map(|last| Op { d: A, ..*last }));
            if index % 3 == 0 {
                ops.iter_mut().for_each(|op| *op = op.masked());
            }
            let fill = if index % 2 == 0 { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
            let program = &programs[index / 2 % 2];
            let all = Loop {
                program,
                vlen,
                fill,
                sew,
                lmul,
                length,
                ops,
                looks: looks(index + usize::from(sew == 3), length),
            };
            all.check(&all.rounds(plain, special));
        }
    }
}

const SIGNED: [&str; 2] = ["VFCVT__X__F__V", "VFCVT__RTZ__X__F__V"];
const UNSIGNED: [&str; 2] = ["VFCVT__XU__F__V", "VFCVT__RTZ__XU__F__V"];

#[test]
fn numbers_to_signed_integers() {
    for sew in [2, 3] {
        check(sew, &SIGNED, &small(sew), &large(sew));
    }
}

#[test]
fn numbers_to_unsigned_integers() {
    for sew in [2, 3] {
        check(sew, &UNSIGNED, &positive(sew), &large(sew));
    }
}

#[test]
fn signed_integers_to_numbers() {
    for sew in [2, 3] {
        check(sew, &["VFCVT__F__X__V"], &short_integers(sew), &long_integers(sew));
    }
}

#[test]
fn unsigned_integers_to_numbers() {
    let positive = |sew| {
        let top = if sew == 2 { 31 } else { 51 };
        short_integers(sew).into_iter().filter(|integer| integer >> top == 0).collect::<Vec<u64>>()
    };
    for sew in [2, 3] {
        check(sew, &["VFCVT__F__XU__V"], &positive(sew), &long_integers(sew));
    }
}
