//! Products, minima, maxima, rotations, quotients and gathers of doublewords that compiled code does in place or whose
//! kernels leave alone what is masked off, under masks and without, and at edges; rotations of all widths.

use crate::guest::program;
use crate::looped::Looped;
use crate::rounds::{Length, shape};
use crate::under_masks::prepare;
use crate::unit::{Step, Unit, step};

const NAMES: [&str; 26] = [
    "VMINU__VV",
    "VMINU__VX",
    "VMIN__VV",
    "VMIN__VX",
    "VMAXU__VV",
    "VMAXU__VX",
    "VMAX__VV",
    "VMAX__VX",
    "VMUL__VV",
    "VMUL__VX",
    "VMACC__VV",
    "VMULH__VV",
    "VMULH__VX",
    "VMULHU__VV",
    "VMULHU__VX",
    "VMULHSU__VV",
    "VMULHSU__VX",
    "VDIVU__VV",
    "VDIVU__VX",
    "VDIV__VV",
    "VDIV__VX",
    "VREMU__VV",
    "VREMU__VX",
    "VREM__VV",
    "VREM__VX",
    "VRGATHER__VX",
];
const ROTATIONS: [&str; 4] = ["VROL__VX", "VROR__VX", "VROL__VV", "VROR__VV"];

/// Each of some instructions on groups of so many registers, first with a destination of its own, then with that of an
/// operand; what is read next is in the host's registers or in memory.
fn steps(names: &[&'static str], group: u32, is_masked: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    for (index, &name) in names.iter().enumerate() {
        let second = if name.ends_with('X') { 16 + index as u32 % 8 } else { 8 };
        for d in [24, 8] {
            let gathers = name.starts_with("VRGATHER");
            let one = step(name, if gathers { 24 } else { d }, 16, second);
            steps.push(if is_masked { one.masked() } else { one });
        }
        if index % 3 == 0 {
            steps.push(step("VADD__VV", 16, 16, 24));
        }
    }
    debug_assert!(group <= 8, "the registers of an operand are its own");
    steps
}

fn check(names: &[&'static str], vlen: u32, (sew, lmul): (u32, i32), seed: usize) {
    let Some((vlmax, _)) = shape(vlen, sew, lmul) else { return };
    let program = program(if seed % 5 == 4 { "rv32gcv_zvbb" } else { "rv64gcv_zvbb" });
    for is_masked in [false, true] {
        let length = match (seed + usize::from(is_masked)) % 6 {
            1 => Length::Register,
            3 => Length::Immediate((vlmax - vlmax / 4).clamp(1, 31)),
            _ => Length::All,
        };
        let steps = steps(names, 1 << lmul.max(0), is_masked);
        let ones = seed % 7 == 6;
        for some in steps.chunks(5) {
            let looped = Looped { length, ones, ..Looped::new(&program, vlen, (sew, lmul), some.to_vec()) };
            looped.check_with(prepare);
        }
    }
}

#[test]
fn of_doublewords() {
    let mut seed = 0;
    for vlen in [64, 128, 256, 512, 1024] {
        for lmul in 0..=3 {
            seed += 1;
            check(&NAMES, vlen, (3, lmul), seed);
        }
    }
}

#[test]
fn rotations_by_a_number_in_a_register() {
    let mut seed = 0;
    for vlen in [128, 256, 512] {
        for (sew, lmul) in (0..4).flat_map(|sew| (-1..=2).map(move |lmul| (sew, lmul))) {
            seed += 1;
            check(&ROTATIONS, vlen, (sew, lmul), seed);
        }
    }
}

/// Indices from v8 on: within the group, its end, and those that name an element only if some of their bits are looked at.
fn indices(unit: &mut Unit, round: usize) {
    let (vlenb, vlmax) = (unit.vlen as usize / 8, unit.vlmax() as u64);
    for (number, index) in unit.file[8 * vlenb..16 * vlenb].chunks_exact_mut(8).enumerate() {
        let number = number as u64 + round as u64;
        let value = match number % 6 {
            0 => vlmax - 1,
            1 => vlmax,
            2 => number * 7 % vlmax,
            // Each bit beyond the group.
            3 => {
                let bit = (number / 6 + round as u64) % u64::from(vlmax.leading_zeros());
                number % vlmax + (vlmax << bit)
            }
            4 => [u64::MAX, 1 << 63, 1 << 32, 0x100, vlmax + 1, 1 << 31][number as usize / 6 % 6],
            _ => vlmax / 2,
        };
        index.copy_from_slice(&value.to_le_bytes());
    }
}

#[test]
fn gathers_by_indices_of_doublewords() {
    let program = program("rv64gcv");
    for vlen in [64, 128, 256, 512, 1024] {
        for (lmul, ones) in (0..=3).flat_map(|lmul| [(lmul, false), (lmul, lmul == 0)]) {
            let gather = || step("VRGATHER__VV", 24, 16, 8);
            let steps = vec![
                gather(),
                step("VADD__VV", 16, 24, 16),
                gather().masked(),
                step("VADD__VI", 8, 8, 1),
                gather(),
                step("VADD__VV", 0, 24, 16),
                gather().masked(),
            ];
            for length in [Length::All, Length::Register, Length::Immediate(2)] {
                let steps = steps.clone();
                Looped { length, ones, ..Looped::new(&program, vlen, (3, lmul), steps) }.check_with(indices);
            }
        }
    }
}
