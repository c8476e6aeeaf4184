//! Reductions of floating-point numbers, with a model of these.

use hart::AgnosticFill;

use crate::float_loops::{A, B, Loop, Op, SHAPES, looks, op};
use crate::guest::program;
use crate::{ieee, ieee_double};

/// What a reduction makes of the first element of `vs1` and of active elements of `vs2`, and the flags that it raises.
pub fn fold(name: &str, sew: u32, frm: u64, first: u64, elements: &[u64]) -> (u64, u64) {
    let is_wide = name.starts_with("VFW");
    let result = sew + u32::from(is_wide);
    let mut flags = 0;
    let mut all = first;
    for &element in elements {
        let (next, raised) = match name {
            "VFREDMIN__VS" => ieee::element("VFMIN", sew, frm, all, element),
            "VFREDMAX__VS" => ieee::element("VFMAX", sew, frm, all, element),
            _ => {
                let nans = [(result, all), (sew, element)]
                    .map(|(sew, bits)| (ieee::is_nan(sew, bits), ieee::is_signalling(sew, bits)));
                if nans.iter().any(|nan| nan.0) {
                    let is_invalid = nans.iter().any(|nan| nan.1);
                    (ieee::canonical(result), if is_invalid { ieee::INVALID } else { 0 })
                } else {
                    ieee_double::sum(result, frm, ieee::number(result, all), ieee::number(sew, element))
                }
            }
        };
        (all, flags) = (next, flags | raised);
    }
    // "Unordered": a sum of nothing is one all the same.
    if elements.is_empty() && name.contains("USUM") && ieee::is_nan(result, first) {
        let flags = if ieee::is_signalling(result, first) { ieee::INVALID } else { 0 };
        return (ieee::canonical(result), flags);
    }
    (all, flags)
}

/// Numbers that are not far from each other, and zeros.
fn near(sew: u32) -> Vec<u64> {
    let all = [0.0, 1.0, 1.5, 0.1, 3.25e3, 7.0e-3, 1.0 / 3.0, 1.0e4 / 7.0, 0.999];
    all.into_iter().flat_map(|number: f64| [number, -number]).map(|number| ieee::bits(sew, number)).collect()
}

/// Infinities and NaNs. High halves of doubles among them are that, too.
fn special(sew: u32) -> Vec<u64> {
    let (infinity, quiet) = (ieee::bits(sew, f64::INFINITY), ieee::canonical(sew));
    let sign = ieee::bits(sew, -0.0);
    let all = [infinity, infinity, quiet, infinity | 1, quiet | 5];
    let doubles = [0x7ff0_0000, 0x7ff8_0000, 0x7ff0_0001].into_iter().filter(|_| sew == 2);
    all.into_iter().chain(doubles).flat_map(|bits| [bits, bits | sign]).collect()
}

fn check(sew: u32, names: &[&'static str], plain: &[u64]) {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    for (index, (vlen, lmul, length)) in SHAPES.into_iter().enumerate() {
        if crate::rounds::shape(vlen, sew, lmul).is_none() {
            continue;
        }
        // To registers of their own, to the first of the elements, to the scalar, and from what is not stored yet.
        let mut ops: Vec<Op> = names.iter().zip([1, 30, 2, 31]).map(|(&name, d)| op(name, d, A, B)).collect();
        ops.push(op("VXOR__VV", B, A, B));
        ops.push(op(names[0], B, A, B));
        ops.push(op("VXOR__VV", A, A, B));
        ops.push(op(names[names.len() - 1], A, A, B));
        let masks = |(position, op): (usize, Op)| {
            if [0, 1, 3][index % 3] >> (position % 2) & 1 == 1 { op.masked() } else { op }
        };
        let ops: Vec<Op> = ops.into_iter().enumerate().map(masks).collect();
        let fill = if index % 4 == 1 { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
        let program = &programs[index / 2 % 2];
        let looks = looks(index + usize::from(sew == 3), length);
        let all = Loop { program, vlen, fill, sew, lmul, length, ops, looks };
        all.check(&all.rounds(plain, &special(sew)));
    }
}

#[test]
fn sums() {
    for sew in [2, 3] {
        check(sew, &["VFREDUSUM__VS", "VFREDOSUM__VS"], &near(sew));
    }
}

#[test]
fn wide_sums() {
    check(2, &["VFWREDUSUM__VS", "VFWREDOSUM__VS"], &near(2));
}

#[test]
fn extremes() {
    for sew in [2, 3] {
        let mut numbers = near(sew);
        numbers.extend([1, 2, ieee::bits(sew, f64::INFINITY), ieee::bits(sew, f64::INFINITY) - 1]);
        let sign = ieee::bits(sew, -0.0);
        let numbers: Vec<u64> = numbers.into_iter().flat_map(|bits| [bits, bits ^ sign]).collect();
        check(sew, &["VFREDMIN__VS", "VFREDMAX__VS"], &numbers);
    }
}
