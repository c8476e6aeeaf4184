//! Comparisons against the host's, with NaNs in each element, zeros of both signs and infinities, for every number of
//! elements that a last byte of a mask can have.

use hart::AgnosticFill;

use crate::guest::{self, encode};
use crate::machine::{Length, Setting, again, machine};
use crate::tier;

const VLENB: usize = 32;
const NAMES: [&str; 10] = [
    "VMFEQ__VV",
    "VMFEQ__VF",
    "VMFNE__VV",
    "VMFNE__VF",
    "VMFLT__VV",
    "VMFLT__VF",
    "VMFLE__VV",
    "VMFLE__VF",
    "VMFGT__VF",
    "VMFGE__VF",
];
const QUIET: u64 = 0x7ff8_0000_0000_0000;
const SIGNALING: u64 = 0xfff0_0000_0000_0001;
const INVALID: u64 = 0x10;
/// The smallest number.
const TINY: f64 = f64::from_bits(1);
const NUMBERS: [f64; 9] = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1.0, -1.0, TINY, -TINY, f64::MAX];

/// A double's bits in an element of `sew` bits: the same number, or the same kind of NaN.
fn bits(double: u64, sew: u32) -> u64 {
    match (sew, double) {
        (64, _) => double,
        (_, QUIET) => 0x7fc0_0000,
        (_, SIGNALING) => 0xff80_0001,
        (_, 1) => 1,
        (_, 0x8000_0000_0000_0001) => 0x8000_0001,
        (_, number) if number == f64::MAX.to_bits() => f32::MAX.to_bits().into(),
        _ => u64::from((f64::from_bits(double) as f32).to_bits()),
    }
}

/// The result and the flags.
fn expected(name: &str, a: u64, b: u64) -> (bool, u64) {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let is_quiet = name.starts_with("VMFEQ") || name.starts_with("VMFNE");
    let holds = match &name[..5] {
        "VMFEQ" => x == y,
        "VMFNE" => x != y,
        "VMFLT" => x < y,
        "VMFLE" => x <= y,
        "VMFGT" => x > y,
        _ => x >= y,
    };
    let is_invalid = [a, b].contains(&SIGNALING) || !is_quiet && (x.is_nan() || y.is_nan());
    (holds, if is_invalid { INVALID } else { 0 })
}

/// Of both operands, element by element: all pairs of numbers in turn, but for a NaN where there is one.
fn operands(turn: usize, vl: usize, nan: Option<(usize, usize, u64)>, scalar: Option<u64>) -> Vec<[u64; 2]> {
    let number = |index: usize| NUMBERS[index % NUMBERS.len()].to_bits();
    let of = |index: usize| {
        let pair = index + turn * vl;
        let mut both = [number(pair), number(pair / NUMBERS.len() + pair)];
        if let Some((lane, operand, nan)) = nan.filter(|nan| nan.0 == index) {
            assert_eq!(lane, index);
            both[operand] = nan;
        }
        both[1] = scalar.unwrap_or(both[1]);
        both
    };
    (0..vl).map(of).collect()
}

fn check(sew: u32, vl: usize, fill: AgnosticFill) {
    let program = guest::program("rv64gcv");
    let width = sew as usize / 8;
    for name in NAMES {
        let is_scalar = name.ends_with('F');
        // The mask may take the first register of vs2.
        for vd in [24, 8] {
            let second = if is_scalar { ("rs1", 1) } else { ("vs1", 16) };
            let word = encode(program.module(), name, &[("vd", vd), ("vs2", 8), second, ("vm", 1)]);
            let setting = Setting {
                vlen: 8 * VLENB as u32,
                fill,
                zimm: 2 | i64::from(sew.ilog2() - 3) << 3,
                length: Length::Register,
                vl: vl as u64,
                frm: 0,
                status: 0x7e00,
                scalar: 0,
                registers: vec![0; 32 * VLENB],
            };
            let mut machine = machine(&program, &setting, word, tier::prepare);
            let nans = (0..vl).flat_map(|lane| {
                [(0, QUIET), (0, SIGNALING), (1, QUIET), (1, SIGNALING)]
                    .map(|(at, nan)| Some((lane, at, nan)))
            });
            for (turn, nan) in nans.chain([None; 24]).enumerate() {
                let of_second = nan.filter(|nan| nan.1 == 1).map(|nan| nan.2);
                let number = NUMBERS[turn % NUMBERS.len()].to_bits();
                let scalar = is_scalar.then(|| of_second.unwrap_or(number));
                let pairs = operands(turn, vl, nan, scalar);
                let mut before = vec![0x5a; 32 * VLENB];
                for (index, pair) in pairs.iter().enumerate() {
                    for (first, double) in [8, 16].into_iter().zip(pair) {
                        let number = bits(*double, sew).to_le_bytes();
                        before[first * VLENB + index * width..][..width].copy_from_slice(&number[..width]);
                    }
                }
                let mut wanted = before.clone();
                let mask = &mut wanted[vd as usize * VLENB..][..VLENB];
                let mut flags = 0;
                for index in 0..8 * VLENB {
                    let bit = match pairs.get(index) {
                        Some(&[a, b]) => {
                            let (holds, raised) = expected(name, a, b);
                            flags |= raised;
                            holds
                        }
                        None if fill == AgnosticFill::Ones => true,
                        None => continue,
                    };
                    mask[index / 8] = mask[index / 8] & !(1 << (index % 8)) | u8::from(bit) << (index % 8);
                }
                let scalar = scalar.map_or(0, |number| bits(number, sew));
                let scalar = if sew == 32 { scalar | 0xffff_ffff << 32 } else { scalar };
                let found = again(&mut machine, &before, scalar, 0, 0);
                assert_eq!(found.1, flags, "flags of {name}, SEW {sew}, vl {vl}, {pairs:x?}");
                assert!(found.0 == wanted, "{name}, SEW {sew}, vl {vl}, vd {vd}, {pairs:x?}");
            }
        }
    }
}

#[test]
fn doubles_are_compared() {
    for (vl, fill) in (1..=16usize).flat_map(|vl| [(vl, AgnosticFill::Ones), (vl, AgnosticFill::Undisturbed)])
    {
        if vl.is_multiple_of(4) || vl % 3 == 1 {
            check(64, vl, fill);
        }
    }
}

#[test]
fn singles_are_compared() {
    for vl in [4, 5, 12, 28] {
        check(32, vl, AgnosticFill::Undisturbed);
        check(32, vl, AgnosticFill::Ones);
    }
}
