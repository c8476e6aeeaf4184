//! Fixed-point instructions under every rounding mode, and `vxsat`, which stays if it is set and is set by active elements alone.

use crate::guest;
use crate::model::{self, Case, Registers};
use crate::random::registers;
use crate::rules::case;
use crate::run::{run, run_from};

/// Elements of the two operands.
type Operands = [Operand; 2];

/// Those that saturate: elements that do, and elements that do not.
const SATURATING: [(&str, &[&str], Operands, Operands); 7] = [
    ("VSADDU", &["VV", "VX", "VI"], [Operand::Ones, Operand::One], [Operand::One, Operand::One]),
    ("VSADD", &["VV", "VX", "VI"], [Operand::Greatest, Operand::One], [Operand::Ones, Operand::One]),
    ("VSSUBU", &["VV", "VX"], [Operand::Zero, Operand::One], [Operand::One, Operand::One]),
    ("VSSUB", &["VV", "VX"], [Operand::Zero, Operand::Least], [Operand::Ones, Operand::Least]),
    ("VSMUL", &["VV", "VX"], [Operand::Least, Operand::Least], [Operand::One, Operand::Least]),
    ("VNCLIPU", &["WV", "WX", "WI"], [Operand::Ones, Operand::Zero], [Operand::One, Operand::Zero]),
    ("VNCLIP", &["WV", "WX", "WI"], [Operand::Greatest, Operand::Zero], [Operand::Ones, Operand::Zero]),
];
/// Those that do not.
const ROUNDING: [(&str, &[&str]); 6] = [
    ("VAADDU", &["VV", "VX"]),
    ("VAADD", &["VV", "VX"]),
    ("VASUBU", &["VV", "VX"]),
    ("VASUB", &["VV", "VX"]),
    ("VSSRL", &["VV", "VX", "VI"]),
    ("VSSRA", &["VV", "VX", "VI"]),
];

/// An element.
#[derive(Clone, Copy)]
enum Operand {
    Zero,
    One,
    Ones,
    Least,
    Greatest,
}

impl Operand {
    fn bits(self, bits: u32) -> u128 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
            Self::Ones => u128::MAX >> (128 - bits),
            Self::Least => 1 << (bits - 1),
            Self::Greatest => u128::MAX >> (129 - bits),
        }
    }
}

/// Engine and model agree, with the bit clear before and set before. Returns whether the model saturates.
fn agree(program: &engine::Program, case: &Case) -> bool {
    let wanted = model::execute(case).expect("legal");
    let got = run(program, case).expect("legal");
    assert_eq!(got, wanted, "{case:?}");
    let again = run_from(program, case, true).expect("legal");
    assert!(again.saturated && again.registers == wanted.registers, "vxsat stays: {case:?}");
    wanted.saturated
}

#[test]
fn every_mode_width_and_group_rounds_alike() {
    let program = guest::program("rv64gcv");
    let all: Vec<(&str, &[&str])> =
        SATURATING.iter().map(|&(name, forms, ..)| (name, forms)).chain(ROUNDING).collect();
    let mut turn = 0;
    for &(name, forms) in &all {
        for form in forms {
            for (vxrm, sew) in (0..4).flat_map(|vxrm| [8, 16, 32, 64].map(|sew| (vxrm, sew))) {
                let is_clip = form.starts_with('W');
                if is_clip && sew == 64 {
                    continue;
                }
                turn += 1;
                let lmul =
                    [-1, 0, 1, 2][(turn + turn / 4 + turn / 16) % 4].max(if sew == 64 { 0 } else { -1 });
                // A clip's destination is apart, or the lowest part of its source.
                let vd = if turn / 4 % 2 == 0 { 8 } else { 16 };
                let mut case = Case {
                    sew,
                    vxrm,
                    x: [3, 0x80, 0x7fff, u64::MAX, 1 << 63, 11][turn % 6],
                    tail_agnostic: turn % 2 == 0,
                    mask_agnostic: turn % 3 == 0,
                    ones: turn % 5 < 3,
                    // Whole steps of every length, and what is left of them.
                    registers: registers([16, 32, 128][turn % 3], sew, (3 * turn + turn % 3) as u64),
                    ..case(&format!("{name}__{form}"), lmul, (vd, 16, 24), turn % 7 == 0)
                };
                if form.ends_with('I') {
                    case.rs1 = turn as u32 % 32;
                }
                for less in [0, turn % 5 + 1] {
                    case.vl = case.vlmax().saturating_sub(less);
                    agree(&program, &case);
                }
            }
        }
    }
}

/// Registers whose elements before `vl` do not saturate where v0 is `kept`, and all others do.
fn but_for(case: &Case, others: Operands, body: Operands, kept: impl Fn(usize) -> bool) -> Registers {
    let (sew, vlenb) = (case.sew, case.registers.vlenb);
    let wide = if case.name.contains("__W") { 2 * sew } else { sew };
    let mut result = Registers { bytes: vec![0; 32 * vlenb], vlenb };
    for (register, bits, number) in [(16, wide, 0), (24, sew, 1)] {
        for index in 0..8 * 8 * vlenb / bits as usize {
            let is_body = index < case.vl && kept(index);
            result.set(register, bits, index, (if is_body { body } else { others })[number].bits(bits));
        }
    }
    for index in 0..8 * vlenb {
        result.set(0, 1, index, kept(index).into());
    }
    result
}

#[test]
fn only_active_elements_saturate() {
    let program = guest::program("rv64gcv");
    for (name, forms, others, body) in SATURATING {
        for form in forms {
            for (sew, lmul) in [(8, -1), (8, 0), (16, 0), (16, 1), (32, 1), (64, 1)] {
                if form.starts_with('W') && sew == 64 {
                    continue;
                }
                let second = body[1].bits(sew) as u64;
                let vd = if lmul > 0 { 16 } else { 8 };
                let mut case =
                    Case { sew, x: second, ..case(&format!("{name}__{form}"), lmul, (vd, 16, 24), false) };
                if form.ends_with('I') {
                    case.rs1 = second as u32;
                }
                case.registers = Registers { bytes: vec![0; 32 * 16], vlenb: 16 };
                let vlmax = case.vlmax();
                for vl in (1..=vlmax).filter(|vl| vl % 4 == 3 || *vl == vlmax || *vl == 1) {
                    let mut case = Case { vl, masked: false, ..case.clone() };
                    case.registers = but_for(&case, others, body, |_| true);
                    assert!(!agree(&program, &case), "{case:?}");
                    // With one element more, which saturates.
                    if vl < vlmax {
                        let case = Case { vl: vl + 1, ..case.clone() };
                        assert!(agree(&program, &case), "{case:?}");
                    }
                    case.masked = true;
                    case.registers = but_for(&case, others, body, |index| index % 3 != vl % 3);
                    assert!(!agree(&program, &case), "{case:?}");
                }
            }
        }
    }
}
