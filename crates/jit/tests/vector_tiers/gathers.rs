//! Gathers by indices of 16 bits: within the group, at its end and beyond it, of overlapping registers.

use crate::guest::program;
use crate::looped::Looped;
use crate::rounds::{Length, shape};
use crate::unit::{Unit, set, step};

/// Indices from v8 on: most of them within the group, some of them just not.
fn fill(unit: &mut Unit, round: usize) {
    let (vlenb, vlmax) = (unit.vlen as usize / 8, unit.vlmax());
    for (number, index) in unit.file[8 * vlenb..20 * vlenb].chunks_exact_mut(2).enumerate() {
        let value = match (number + round) % 5 {
            0 => vlmax - 1,
            1 => number * 7 % vlmax,
            2 => [vlmax, vlmax + 1, 0x100, 0x8000, 0xffff, 0xff00, 0x4000, 0x7fff][number / 5 % 8],
            3 => (vlmax - 1) - number * 3 % vlmax,
            _ => round * 11 % vlmax,
        };
        index.copy_from_slice(&(value as u16).to_le_bytes());
    }
}

#[test]
fn gathers_by_short_indices() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    let mut seed = 0;
    for vlen in [64, 128, 256, 512] {
        for (sew, lmul) in (0..4).flat_map(|sew| (-1..=3).map(move |lmul| (sew, lmul))) {
            let of_indices = lmul + 1 - sew as i32;
            if shape(vlen, sew, lmul).is_none() || !(-3..=3).contains(&of_indices) {
                continue;
            }
            seed += 1;
            let index_group = 1 << of_indices.max(0);
            let mut steps = Vec::new();
            for indices in [8 + index_group, 8, 8 + index_group] {
                // They are in the host's registers, and not.
                if seed % 2 == 0 {
                    // Both at once, if they are registers of one group.
                    let are_one = (0..=1).contains(&of_indices);
                    let (group, first) = if are_one { (of_indices + 1, 8) } else { (of_indices, indices) };
                    steps.push(set(7, 0, 0xc8 | i64::from(group & 7)));
                    steps.push(step("VADD__VI", first, first, 1));
                    let (_, vtype) = shape(vlen, sew, lmul).expect("a type");
                    steps.push(set(7, 0, vtype));
                }
                steps.push(step("VRGATHEREI16__VV", 24, 0, indices));
                steps.push(step("VADD__VV", 0, 24, 0));
                // From a part of what it takes them from.
                if sew == 1 {
                    steps.push(step("VRGATHEREI16__VV", 24, indices / 8 * 8, indices));
                }
                if indices == 8 {
                    steps.push(step("VRGATHEREI16__VV", 24, 16, indices).masked());
                }
            }
            let length = match seed % 4 {
                1 => Length::Register,
                3 => Length::Immediate(8),
                _ => Length::All,
            };
            let ones = seed % 5 == 0;
            // Settings within the loop are of all elements.
            let length = if seed % 2 == 0 { Length::All } else { length };
            let program = &programs[seed / 2 % 2];
            Looped { length, ones, ..Looped::new(program, vlen, (sew, lmul), steps) }.check_with(fill);
        }
    }
}

/// Indices that do not fit in a byte name no element of a group whose last one is at the greatest that does.
#[test]
fn from_a_group_of_as_many_bytes_as_a_byte_can_name() {
    let program = program("rv64gcv");
    let steps = vec![step("VRGATHEREI16__VV", 24, 0, 8), step("VADD__VV", 0, 24, 0)];
    let length = Length::Immediate(16);
    Looped { length, ..Looped::new(&program, 512, (0, 2), steps) }.check_with(fill);
}
