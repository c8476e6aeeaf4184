//! Comparisons, minima, maxima and signs of floating-point numbers: every one beside every other, and NaNs in each place.

use hart::AgnosticFill;

use crate::float_loops::{A, B, Loop, Op, SCALAR, SHAPES, looks, op, with_groups};
use crate::guest::program;
use crate::ieee;
use crate::rounds::Length;

/// Numbers that are none of NaN: zeros, infinities, ones, the smallest, the largest and the subnormal ones, of each sign.
fn plain(sew: u32) -> Vec<u64> {
    let infinity = ieee::bits(sew, f64::INFINITY);
    let one = ieee::bits(sew, 1.0);
    let least = infinity & infinity.wrapping_neg();
    let all = [0, infinity, one, one + 1, least, least - 1, 1, 2, infinity - 1, ieee::bits(sew, 1.0e10)];
    let sign = ieee::bits(sew, -0.0);
    all.into_iter().flat_map(|bits| [bits, bits | sign]).collect()
}

/// NaNs, quiet and signalling, of each sign.
fn special(sew: u32) -> Vec<u64> {
    let (infinity, quiet) = (ieee::bits(sew, f64::INFINITY), ieee::canonical(sew));
    let sign = ieee::bits(sew, -0.0);
    let all = [quiet, infinity | 1, quiet | 5, quiet - 1];
    all.into_iter().flat_map(|bits| [bits, bits | sign]).collect()
}

fn check_shapes(sew: u32, ops_of: impl Fn(i32) -> Vec<Vec<Op>>) {
    let program = program("rv64gcv");
    for (index, (vlen, lmul, length)) in SHAPES.into_iter().enumerate() {
        if crate::rounds::shape(vlen, sew, lmul).is_none() {
            continue;
        }
        for (number, ops) in ops_of(lmul).into_iter().enumerate() {
            // All of them, or every other one.
            let masks = |(position, op): (usize, Op)| match (index + number) % 4 {
                0 => op.masked(),
                3 if position % 2 == 0 => op.masked(),
                _ => op,
            };
            let ops: Vec<Op> = ops.into_iter().enumerate().map(masks).collect();
            let fills = if index % 3 == 1 { vec![AgnosticFill::Ones] } else { vec![] };
            for fill in [AgnosticFill::Undisturbed].into_iter().chain(fills) {
                let (program, ops) = (&program, ops.clone());
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
                all.check(&all.rounds(&plain(sew), &special(sew)));
            }
        }
    }
}

/// Masks in the first and the last registers, v0 and the operands' own among them.
fn comparisons(_lmul: i32) -> Vec<Vec<Op>> {
    let op = |name: &'static str, d: u32, b: u32| op(name, d, A, b);
    vec![vec![
        op("VMFEQ__VV", 0, B),
        op("VMFNE__VV", 31, B),
        op("VMFLT__VV", 1, B),
        op("VMFLE__VV", 30, B),
        op("VMFEQ__VF", 2, SCALAR),
        op("VMFNE__VF", 29, SCALAR),
        op("VMFLT__VF", 3, SCALAR),
        op("VMFLE__VF", 28, SCALAR),
        op("VMFGT__VF", 4, SCALAR),
        op("VMFGE__VF", 27, SCALAR),
        op("VXOR__VV", B, B),
        op("VMFLE__VV", A, B),
        op("VMFNE__VV", B, B),
        op("VMFGE__VF", A, SCALAR),
    ]]
}

/// Choices and signs, each to a group of its own, and then to an operand's.
fn choices(lmul: i32) -> Vec<Vec<Op>> {
    let all = [
        ("VFMIN__VV", B),
        ("VFMAX__VV", B),
        ("VFMIN__VF", SCALAR),
        ("VFMAX__VF", SCALAR),
        ("VFSGNJ__VV", B),
        ("VFSGNJN__VV", B),
        ("VFSGNJX__VV", B),
        ("VFSGNJ__VF", SCALAR),
        ("VFSGNJN__VF", SCALAR),
        ("VFSGNJX__VF", SCALAR),
    ];
    let mut loops = with_groups(lmul, &all);
    let last = loops.last_mut().expect("some");
    // With what is computed just before, and not in the register file yet.
    last.push(op("VXOR__VV", B, A, B));
    last.push(op("VFMAX__VV", A, A, B));
    last.push(op("VFSGNJN__VV", B, B, B));
    loops
}

#[test]
fn comparisons_of_singles() {
    check_shapes(2, comparisons);
}

#[test]
fn comparisons_of_doubles() {
    check_shapes(3, comparisons);
}

#[test]
fn choices_and_signs_of_singles() {
    check_shapes(2, choices);
}

#[test]
fn choices_and_signs_of_doubles() {
    check_shapes(3, choices);
}

/// Registers of eight bytes, of which sixteen are two: a mask is in one of them, and the other one is what it was.
#[test]
fn masks_in_registers_of_64_bits() {
    let program = program("rv64gcv");
    let op = |name: &'static str, d: u32, b: u32| op(name, d, A, b);
    let ops = vec![
        op("VMFLT__VV", 1, B),
        op("VXOR__VV", 2, B),
        op("VMFLE__VV", 1, B),
        op("VMFEQ__VV", 31, B),
        op("VXOR__VV", 28, B),
        op("VMFNE__VF", 27, SCALAR),
        op("VXOR__VV", 4, B),
        op("VMFGT__VF", 3, SCALAR),
        op("VMFGE__VF", 4, SCALAR),
        op("VMFLE__VF", 3, SCALAR),
    ];
    for (sew, lmul) in [(2, 1), (3, 1)] {
        let (program, ops) = (&program, ops.clone());
        let (fill, length) = (AgnosticFill::Undisturbed, Length::All);
        let all = Loop { program, vlen: 64, fill, sew, lmul, length, ops, looks: false };
        all.check(&all.rounds(&plain(sew), &special(sew)));
    }
}
