//! Instructions as a guest sees them: operands, boxes, signs, integer results.

use engine::{Program, Stop};
use hart::csr::Clock;
use proptest::prelude::*;

use crate::guest::{Code, run};
use crate::{narrow, wide};

const BOX: u64 = 0xffff_ffff_0000_0000;
const HALF_BOX: u64 = 0xffff_ffff_ffff_0000;
const NAN: u64 = 0x7fc0_0000;

/// f3 and x3 after one instruction with these operands in f1, f2, f4 and x1, x2.
fn after(
    program: &Program,
    name: &str,
    fields: &[(&str, i64)],
    floats: [u64; 3],
    integers: [u64; 2],
) -> (u64, u64) {
    let has = |field: &str| {
        let found = program.module().instructions.iter().find(|instruction| instruction.name == name);
        found.is_some_and(|instruction| instruction.encoding.fields.iter().any(|known| known.name == field))
    };
    let standard = [("rd", 3), ("rs1", 1), ("rs2", 2), ("rs3", 4)];
    let mut all: Vec<_> = standard
        .into_iter()
        .filter(|(field, _)| has(field) && !fields.iter().any(|(given, _)| given == field))
        .collect();
    all.extend(fields);
    let mut machine = Code::new(program).op(name, &all).machine();
    machine.hart.write_csr(0x300, 1 << 13, Clock::default()).expect("a writable register");
    for (register, bits) in [1, 2, 4].into_iter().zip(floats) {
        machine.hart.float.set_raw(register, bits);
    }
    for (register, value) in [1, 2].into_iter().zip(integers) {
        machine.hart.set_x(register, value);
    }
    assert_eq!(run(&mut machine, 1), Stop::InstructionLimit, "{name} on {}", program.isa());
    (machine.hart.float.raw(3), machine.hart.x(3))
}

fn float(name: &str, floats: [u64; 3]) -> u64 {
    let [narrow, wide] = [narrow(), wide()].map(|program| after(program, name, &[], floats, [0; 2]).0);
    assert_eq!(narrow, wide, "{name} is the same at both widths");
    wide
}

fn single(value: f32) -> u64 {
    BOX | u64::from(value.to_bits())
}

#[test]
fn fused_operations_negate_product_and_addend() {
    let operands = [2.0, 3.0, 1.0].map(single);
    for (name, result) in [("FMADD__S", 7.0), ("FMSUB__S", 5.0), ("FNMSUB__S", -5.0), ("FNMADD__S", -7.0)] {
        assert_eq!(float(name, operands), single(result), "{name}");
    }
    let operands = [2.0f64, 3.0, 1.0].map(f64::to_bits);
    for (name, result) in [("FMADD__D", 7.0f64), ("FMSUB__D", 5.0), ("FNMSUB__D", -5.0), ("FNMADD__D", -7.0)]
    {
        assert_eq!(float(name, operands), result.to_bits(), "{name}");
    }
    // 1 + 2 = 3 in halves.
    assert_eq!(float("FMADD__H", [0x3c00, 0x3c00, 0x4000].map(|bits| HALF_BOX | bits)), HALF_BOX | 0x4200);
}

#[test]
fn what_is_not_boxed_is_the_canonical_nan() {
    let good = single(1.0);
    for bad in [0x3f80_0000, 0xffff_fffe_3f80_0000, 0x7fff_ffff_3f80_0000, 1.0f64.to_bits()] {
        assert_eq!(float("FADD__S", [good, bad, 0]), BOX | NAN);
        assert_eq!(float("FMIN__S", [good, bad, 0]), good);
        assert_eq!(float("FSGNJ__S", [bad, good, 0]), BOX | NAN);
        assert_eq!(float("FSGNJN__S", [good, bad, 0]), BOX | 0xbf80_0000, "the NaN is positive");
        assert_eq!(float("FCVT__D__S", [bad, 0, 0]), 0x7ff8_0000_0000_0000);
        for program in [narrow(), wide()] {
            let integer = |name| after(program, name, &[], [bad, bad, 0], [0; 2]).1;
            assert_eq!(integer("FCLASS__S"), 1 << 9);
            assert_eq!(integer("FEQ__S"), 0);
            assert_eq!(integer("FMV__X__W"), u64::from(bad as u32), "moves look at no value");
        }
    }
    for bad in [0x3c00, BOX | 0x3c00, 0x0000_ffff_ffff_3c00] {
        assert_eq!(float("FADD__H", [HALF_BOX | 0x3c00, bad, 0]), HALF_BOX | 0x7e00);
    }
}

#[test]
fn signs_are_injected_into_nans_too() {
    let (nan, minus) = (BOX | 0x7f80_1234, BOX | 0x8000_0000);
    assert_eq!(float("FSGNJ__S", [nan, minus, 0]), BOX | 0xff80_1234);
    assert_eq!(float("FSGNJN__S", [nan, minus, 0]), nan);
    assert_eq!(float("FSGNJX__S", [BOX | 0xff80_1234, minus, 0]), nan);
    assert_eq!(float("FSGNJX__D", [1 << 63 | 7, 1 << 63, 0]), 7);
}

#[test]
fn moves_between_the_register_files() {
    let (narrow, wide) = (narrow(), wide());
    let bits = 0x0123_4567_89ab_cdef;
    let moved = |program, name| after(program, name, &[], [bits, 0, 0], [0; 2]).1;
    assert_eq!(moved(wide, "FMV__X__D"), bits);
    assert_eq!(moved(wide, "FMV__X__W"), 0xffff_ffff_89ab_cdef);
    assert_eq!(moved(wide, "FMV__X__H"), 0xffff_ffff_ffff_cdef);
    assert_eq!(moved(narrow, "FMV__X__W"), 0x89ab_cdef);
    assert_eq!(moved(narrow, "FMV__X__H"), 0xffff_cdef);
    assert_eq!(moved(narrow, "FMVH__X__D"), 0x0123_4567);
    let moved = |program, name, integers| after(program, name, &[], [0; 3], integers).0;
    assert_eq!(moved(wide, "FMV__D__X", [bits, 0]), bits);
    for program in [narrow, wide] {
        assert_eq!(moved(program, "FMV__W__X", [0x89ab_cdef, 0]), BOX | 0x89ab_cdef);
        assert_eq!(moved(program, "FMV__H__X", [0x89ab_cdef, 0]), HALF_BOX | 0xcdef);
    }
    assert_eq!(moved(narrow, "FMVP__D__X", [0x89ab_cdef, 0x8123_4567]), 0x8123_4567_89ab_cdef);
}

#[test]
fn integer_results_are_sign_extended_and_x0_stays_zero() {
    let (narrow, wide) = (narrow(), wide());
    let value = [single(4_000_000_000.0), 0, 0];
    let converted = |program, name| after(program, name, &[("rm", 7)], value, [0; 2]).1;
    assert_eq!(converted(wide, "FCVT__WU__S"), 0xffff_ffff_ee6b_2800);
    assert_eq!(converted(narrow, "FCVT__WU__S"), 0xee6b_2800);
    assert_eq!(converted(wide, "FCVT__LU__S"), 4_000_000_000);
    assert_eq!(converted(narrow, "FCVT__W__S"), 0x7fff_ffff);
    for name in ["FCVT__W__S", "FCLASS__S", "FMV__X__W"] {
        assert_eq!(after(wide, name, &[("rd", 0)], value, [0; 2]).1, 0);
    }
    // On RV64 the 32 low bits alone are the operand.
    let from = |name| after(wide, name, &[], [0; 3], [0x1234_5678_ffff_ffff, 0]).0;
    assert_eq!(from("FCVT__D__W"), (-1.0f64).to_bits());
    assert_eq!(from("FCVT__D__WU"), 4_294_967_295.0f64.to_bits());
}

#[test]
fn constants() {
    let constant = |name: &str, number: i64| after(wide(), name, &[("rs1", number)], [0; 3], [0; 2]).0;
    let values: Vec<f32> = vec![
        -1.0,
        f32::MIN_POSITIVE,
        0.000_015_258_789,
        0.000_030_517_578,
        0.003_906_25,
        0.007_812_5,
        0.0625,
        0.125,
        0.25,
        0.3125,
        0.375,
        0.4375,
        0.5,
        0.625,
        0.75,
        0.875,
        1.0,
        1.25,
        1.5,
        1.75,
        2.0,
        2.5,
        3.0,
        4.0,
        8.0,
        16.0,
        128.0,
        256.0,
        32768.0,
        65536.0,
        f32::INFINITY,
    ];
    for (number, value) in values.into_iter().enumerate() {
        let number = number as i64;
        assert_eq!(constant("FLI__S", number), single(value));
        let double = if number == 1 { f64::MIN_POSITIVE } else { f64::from(value) };
        assert_eq!(constant("FLI__D", number), double.to_bits());
    }
    assert_eq!(constant("FLI__D", 31), 0x7ff8_0000_0000_0000);
    // The smallest normal half, a subnormal one, and 2^16, which is too large.
    for (number, bits) in [(0, 0xbc00), (1, 0x0400), (2, 0x0100), (29, 0x7c00), (30, 0x7c00), (31, 0x7e00)] {
        assert_eq!(constant("FLI__H", number), HALF_BOX | bits);
    }
}

proptest! {
    /// Doubles and singles on both widths compute the same as the host.
    #[test]
    fn widths_agree(a in any::<f64>(), b in any::<f64>()) {
        for (name, result) in [("FADD__D", a + b), ("FSUB__D", a - b), ("FMUL__D", a * b), ("FDIV__D", a / b)] {
            let expected = if result.is_nan() { 0x7ff8_0000_0000_0000 } else { result.to_bits() };
            prop_assert_eq!(float(name, [a.to_bits(), b.to_bits(), 0]), expected);
        }
    }
}
