//! Comparisons that make masks, operations on these, and instructions that are masked, against the model of the unit.

use crate::guest::program;
use crate::looped::{ADDRESSES, Looped};
use crate::numbers::randoms;
use crate::rounds::{Length, shape};
use crate::unit::{Step, addi, set, step};

const COMPARISONS: [&str; 32] = [
    "VMSEQ__VV",
    "VMSEQ__VX",
    "VMSEQ__VI",
    "VMSNE__VV",
    "VMSNE__VX",
    "VMSNE__VI",
    "VMSLTU__VV",
    "VMSLTU__VX",
    "VMSLT__VV",
    "VMSLT__VX",
    "VMSLEU__VV",
    "VMSLEU__VX",
    "VMSLEU__VI",
    "VMSLE__VV",
    "VMSLE__VX",
    "VMSLE__VI",
    "VMSGTU__VX",
    "VMSGTU__VI",
    "VMSGT__VX",
    "VMSGT__VI",
    "VMADC__VV",
    "VMADC__VX",
    "VMADC__VI",
    "VMSBC__VV",
    "VMSBC__VX",
    "VMADC__VVM",
    "VMADC__VXM",
    "VMADC__VIM",
    "VMSBC__VVM",
    "VMSBC__VXM",
    "VMADC__VVM",
    "VMSBC__VVM",
];
const LOGICAL: [&str; 8] = [
    "VMAND__MM",
    "VMNAND__MM",
    "VMANDN__MM",
    "VMXOR__MM",
    "VMOR__MM",
    "VMNOR__MM",
    "VMORN__MM",
    "VMXNOR__MM",
];
const FIRST: [&str; 5] = ["VCPOP__M", "VFIRST__M", "VMSBF__M", "VMSIF__M", "VMSOF__M"];

/// Random numbers below a bound.
fn below(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut random = randoms(seed);
    move |bound| (random.next().unwrap_or(0) >> 20) as u32 % bound
}

/// Comparisons of groups, equal in some lanes, and what is done with their masks.
fn comparisons(lmul: i32, seed: u64) -> Vec<Step> {
    let group = 1 << lmul.max(0);
    let mut below = below(seed);
    let mut steps = Vec::new();
    for (index, name) in COMPARISONS.into_iter().enumerate() {
        let [a, b] = [(); 2].map(|()| 8 + below(24 / group) * group);
        // A mask in the first register of a group, in another, and in v0.
        let d = [1 + below(7), 2, 3, 0][below(4) as usize];
        let (form, is_group) = (name.split_once("__").map_or("", |(_, form)| form), name.contains("__VV"));
        if is_group && index % 2 == 0 {
            steps.push(Step { ..step("VMERGE__VVM", a, a, b) }.masked());
        }
        let b = if is_group { b } else { below(32) };
        let d = if form.len() == 3 { d.max(1) } else { d };
        let one = step(name, d, a, b);
        steps.push(if form.len() == 3 { one.masked() } else { one });
        if index % 3 == 0 {
            steps.push(step(FIRST[index / 3 % 5], if d == 4 { 5 } else { 4 }, d, 0));
        }
        if index % 4 == 1 {
            steps.push(step(LOGICAL[index / 4], below(6), d, below(6)));
        }
        if below(3) == 0 {
            steps.push(step("VADD__VI", a, a, 1));
        }
    }
    steps
}

#[test]
fn comparisons_of_all_types() {
    let programs = ["rv64gcv_zvbb", "rv32gcv_zvbb"].map(program);
    let mut seed = 0;
    for vlen in [64, 128, 256, 1024] {
        for (sew, lmul) in (0..4).flat_map(|sew| (-1..=3).map(move |lmul| (sew, lmul))) {
            let Some((vlmax, _)) = shape(vlen, sew, lmul) else { continue };
            seed += 1;
            // All types of 128 bits, and some of others.
            if vlen != 128 && seed % 2 == 0 {
                continue;
            }
            let length = match seed % 3 {
                _ if vlmax > 64 => Length::Immediate(16),
                0 => Length::Register,
                _ => Length::All,
            };
            let steps = comparisons(lmul, seed);
            let ones = seed % 11 == 0;
            Looped {
                length,
                ones,
                ..Looped::new(&programs[seed as usize / 2 % 2], vlen, (sew, lmul), steps)
            }
            .check();
        }
    }
}

/// Masks of all lengths that a test can name, whose tails stay.
#[test]
fn operations_on_masks() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    let lengths = [0, 1, 2, 7, 8, 9, 15, 16, 17, 24, 31].map(Length::Immediate);
    for (index, length) in lengths.into_iter().chain([Length::All; 12]).enumerate() {
        let (vlen, sew, lmul) = match length {
            Length::All => [
                (64, 0, 3),
                (128, 0, 2),
                (128, 0, 3),
                (256, 0, 3),
                (1024, 0, 0),
                (1024, 0, 3),
                (256, 1, 2),
                (32, 0, 3),
                (512, 0, 3),
                (512, 3, 3),
                (64, 0, 0),
                (128, 1, 1),
            ][index - 11],
            _ => ([128, 256, 1024][index % 3], 0, 2),
        };
        let program = if vlen == 32 { &own32() } else { &programs[index % 2] };
        let mut below = below(index as u64);
        let mut steps = Vec::new();
        for name in LOGICAL.into_iter().chain(LOGICAL) {
            steps.push(step(name, below(5), below(5), below(5)));
        }
        for name in FIRST.into_iter().chain(FIRST) {
            // Sets of which the first bit is far.
            steps.push(step("VMAND__MM", 6, 1 + below(5), 1 + below(5)));
            steps.push(step("VMAND__MM", 6, 6, 7 + below(5)));
            steps.push(step("VMAND__MM", 6, 6, 7 + below(5)));
            let d =
                if name == "VCPOP__M" || name == "VFIRST__M" { [0, 20, 21][below(3) as usize] } else { 12 };
            steps.push(step(name, d, 6 + below(2), 0));
            steps.push(step("VMOR__MM", 1 + below(5), 12, 2 + below(5)));
            if below(3) == 0 {
                steps.push(step(name, if d == 12 { 13 } else { d }, 6, 0).masked());
            }
        }
        let is_none = |unit: &mut crate::unit::Unit, round: usize| {
            // No bit at all, in one round.
            if round == 3 {
                (6..14).for_each(|register| {
                    unit.file[register * unit.vlen as usize / 8..][..unit.vlen as usize / 8].fill(0)
                });
            }
        };
        let ones = index % 7 == 6;
        Looped { length, ones, ..Looped::new(program, vlen, (sew, lmul), steps) }.check_with(is_none);
    }
}

/// More bits than a column has, of which the last ones are a part of one.
#[test]
fn operations_on_long_masks() {
    let program = program("rv64gcv");
    for (index, vl) in [127, 128, 129, 190, 255, 256, 300, 640, 1000].into_iter().enumerate() {
        let (_, vtype) = shape(1024, 0, 3).expect("a type");
        // A number that compiled code knows.
        let mut steps = vec![Step { vm: false, ..step("ADDI", 20, vl, 0) }, set(0, 20, vtype)];
        let mut below = below(index as u64);
        for name in LOGICAL {
            steps.push(step(name, below(5), below(5), below(5)));
        }
        let d = [21, 22, 12, 13, 14];
        steps.extend(FIRST.into_iter().zip(d).map(|(name, d)| step(name, d, 4, 0)));
        Looped::new(&program, 1024, (0, 3), steps).check();
    }
}

/// With registers of 32 bits.
fn own32() -> engine::Program {
    program("rv32imac_zve32x_zvl32b")
}

/// Element-wise instructions, loads, stores and segments under masks that comparisons make.
#[test]
fn masked_instructions() {
    let programs = ["rv64gcv_zvbb", "rv32gcv_zvbb"].map(program);
    let mut seed = 0;
    for vlen in [64, 128, 256] {
        for (sew, lmul) in (0..4).flat_map(|sew| (-1..=2).map(move |lmul| (sew, lmul))) {
            let Some((vlmax, _)) = shape(vlen, sew, lmul) else { continue };
            seed += 1;
            let group = 1 << lmul.max(0);
            let mut below = below(seed);
            let mut steps = Vec::new();
            for index in 0..12 {
                let mut register = || 4 + below(28 / group) * group;
                let [d, a, b] = [(); 3].map(|()| register() / group * group);
                let d = d.max(group);
                if index % 3 == 0 {
                    steps.push(step("VMSLTU__VV", 0, a, b));
                }
                let lane = [
                    "VADD__VV",
                    "VXOR__VX",
                    "VMUL__VV",
                    "VMIN__VX",
                    "VMACC__VV",
                    "VSLL__VI",
                    "VBREV8__V",
                    "VSUB__VV",
                ][index % 8];
                let extra = match lane {
                    "VBREV8__V" => step(lane, d, a, 0),
                    name if name.ends_with("VV") => step(name, d, a, b),
                    name => step(name, d, a, 1 + b % 31),
                };
                steps.push(extra.masked());
                let base = ADDRESSES + below(4);
                let most = (8 / group).min(8);
                let fields = if below(2) == 0 { 1 } else { 1 + below(most) };
                let v = group * (1 + below((32 / group) - fields));
                let bits = 8 << sew;
                let [load, store] = match fields {
                    1 => [format!("VLE{bits}__V"), format!("VSE{bits}__V")],
                    _ => [format!("VLSEGE{bits}__V"), format!("VSSEGE{bits}__V")],
                };
                steps.push(Step { fields, ..step(&load, v, 0, base) }.masked());
                let v = group * (1 + below((32 / group) - fields));
                steps.push(Step { fields, ..step(&store, v, 0, ADDRESSES + below(4)) }.masked());
                steps.push(addi(base, 4 * below(5)));
            }
            let length = match seed % 4 {
                0 => Length::Register,
                1 => Length::Immediate((vlmax / 2).clamp(1, 16)),
                _ => Length::All,
            };
            let (ones, paged) = (seed % 5 == 0, seed % 3 == 0);
            let program = &programs[seed as usize % 2];
            Looped { length, ones, paged, ..Looped::new(program, vlen, (sew, lmul), steps) }.check();
        }
    }
}
