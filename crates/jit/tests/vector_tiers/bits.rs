//! Bits of elements reversed and counted: all bytes, the edges of wider elements, and random ones, masked and not.

use crate::guest::program;
use crate::looped::Looped;
use crate::numbers::randoms;
use crate::rounds::{Length, shape};
use crate::unit::{Unit, step};

const NAMES: [&str; 6] = ["VBREV__V", "VBREV8__V", "VREV8__V", "VCLZ__V", "VCTZ__V", "VCPOP__V"];

/// Eight registers from v8 on with elements that a function makes of their numbers.
fn fill(unit: &mut Unit, of: impl Fn(usize) -> u64) {
    let (vlenb, size) = (unit.vlen as usize / 8, 1 << unit.sew);
    for (number, element) in unit.file[8 * vlenb..16 * vlenb].chunks_exact_mut(size).enumerate() {
        element.copy_from_slice(&of(number).to_le_bytes()[..size]);
    }
}

/// One that is zero, a bit, all bits from one on or below it, or random.
fn edge(sew: u32, number: usize, round: usize) -> u64 {
    let (bits, number) = (8 << sew, number + round * 32);
    let bit = 1_u64 << (number / 4 % bits);
    match number % 4 {
        0 => bit,
        1 => bit - 1,
        2 => bit.wrapping_neg(),
        _ if number % 16 == 3 => 0,
        _ => randoms(number as u64).next().unwrap_or(0),
    }
}

#[test]
fn bits_of_elements() {
    let programs = ["rv64gcv_zvbb", "rv32gcv_zvbb"].map(program);
    for (index, (vlen, sew, lmul)) in [(128, 0), (256, 0), (64, 1), (128, 2), (64, 3), (1024, 0)]
        .into_iter()
        .flat_map(|(vlen, lmul)| (0..4).map(move |sew| (vlen, sew, lmul)))
        .enumerate()
    {
        if shape(vlen, sew, lmul).is_none() {
            continue;
        }
        let group = 1 << lmul;
        let mut steps = Vec::new();
        for (number, name) in NAMES.into_iter().enumerate() {
            let d = 16 + (number as u32 * group) % 16;
            steps.push(step(name, d, 8, 0));
            // What is still in the host's registers, too.
            steps.push(step(name, d, d, 0));
            steps.push(step("VXOR__VV", d, d, 8));
            if number % 2 == index % 2 {
                steps.push(step(name, d, 8, 0).masked());
            }
            steps.push(step(
                ["VSE8__V", "VSE16__V", "VSE32__V", "VSE64__V"][sew as usize],
                d,
                0,
                10 + number as u32,
            ));
        }
        let length = if index % 5 == 4 { Length::Register } else { Length::All };
        let ones = index % 7 == 3;
        let looped = Looped { length, ones, ..Looped::new(&programs[index % 2], vlen, (sew, lmul), steps) };
        // All bytes, in rounds of which each has others.
        looped.check_with(|unit, round| match sew {
            0 => fill(unit, |number| (number + round * unit_step(vlen, lmul)) as u64),
            _ => fill(unit, |number| edge(sew, number, round)),
        });
    }
}

/// Bytes of a group, or so many that the rounds of a loop have all of them.
fn unit_step(vlen: u32, lmul: i32) -> usize {
    ((vlen as usize / 8) << lmul).max(43)
}

/// Every byte, and nothing else.
#[test]
fn every_byte() {
    let program = program("rv64gcv_zvbb");
    let steps = NAMES.iter().zip([0, 16, 24]).map(|(name, d)| step(name, d, 8, 0));
    let others = NAMES[3..].iter().zip([0, 16, 24]).map(|(name, d)| step(name, d, 8, 0));
    for steps in [steps.collect(), others.collect()] {
        Looped::new(&program, 128, (0, 3), steps).check_with(|unit, round| {
            fill(unit, |number| (number + 128 * round) as u64);
        });
    }
}
