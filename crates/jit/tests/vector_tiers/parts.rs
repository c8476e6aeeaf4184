//! Accesses that move more or less than columns: segments of all numbers of fields side by side, masks, short bodies, and indices
//! of elements that are masked off, against the model of the unit.

use crate::Setup;
use crate::guest::{DATA, encode, program};
use crate::looped::{ADDRESSES, Looped};
use crate::rounds::{Length, shape};
use crate::unit::{BYTES, Step, Unit, step};

/// The end of memory.
const END: u64 = DATA + BYTES as u64;

/// Segments that end with the last byte of memory, and others.
#[test]
fn segments_side_by_side() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    let mut seed = 0;
    for vlen in [64, 128, 256] {
        for (sew, lmul) in (0..4).flat_map(|sew| (0..=1).map(move |lmul| (sew, lmul))) {
            let Some((vlmax, _)) = shape(vlen, sew, lmul) else { continue };
            for fields in (1..=8_u32).filter(|fields| fields << lmul <= 8) {
                seed += 1;
                let bits = 8 << sew;
                let [load, store] = match fields {
                    1 => [format!("VLE{bits}__V"), format!("VSE{bits}__V")],
                    _ => [format!("VLSEGE{bits}__V"), format!("VSSEGE{bits}__V")],
                };
                let first = load.replace("__V", "FF__V");
                let of = |name: &str, v| Step { fields, ..step(name, v, 0, ADDRESSES) };
                let steps = vec![
                    of(&load, 8).masked(),
                    of(&load, 16),
                    step("VADD__VV", 8, 8, 16),
                    of(&store, 8).masked(),
                    of(&first, 24).masked(),
                    of(&store, 16),
                    of(&first, 8),
                ];
                let (ones, paged) = (seed % 5 == 0, seed % 2 == 0);
                let length = if seed % 7 == 0 { Length::Register } else { Length::All };
                let program = &programs[usize::from(seed % 4 == 3)];
                let end = END - u64::from(fields) * (vlmax << sew);
                Looped { length, ones, paged, ..Looped::new(program, vlen, (sew, lmul), steps) }.check_with(
                    |unit, round| {
                        let address = if round % 2 == 1 { end } else { DATA + 3 * round as u64 };
                        unit.x[ADDRESSES as usize] =
                            if unit.rv32 { address as u32 as i32 as u64 } else { address };
                    },
                );
            }
        }
    }
}

#[test]
fn masks_and_short_bodies() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    for vlen in [32, 64, 128, 256, 1024] {
        for (sew, count) in (0..4).flat_map(|sew| (0..=16).map(move |count| (sew, count))) {
            if shape(vlen, sew, 0).is_none() {
                continue;
            }
            let bits = 8 << sew;
            let base = ADDRESSES;
            let steps = vec![
                step("VLM__V", 9, 0, base),
                step("VADD__VI", 9, 9, 1),
                step("VSM__V", 9, 0, base + 1),
                step(&format!("VLE{bits}__V"), 10, 0, base + 1),
                step("VADD__VV", 9, 9, 10),
                step(&format!("VSE{bits}__V"), 9, 0, base + 2),
                step(&format!("VLE{bits}FF__V"), 11, 0, base),
            ];
            let length = if count == 0 { Length::All } else { Length::Immediate(count) };
            let (ones, paged) = (count % 3 == 1, count % 2 == 1);
            let program = &programs[usize::from(count % 4 == 3)];
            Looped { length, ones, paged, ..Looped::new(program, vlen, (sew, 0), steps) }.check();
        }
    }
}

/// What is masked off has indices of places that there are not.
#[test]
fn indices_that_do_not_count() {
    let program = program("rv64gcv");
    let mut seed = 0;
    for vlen in [128, 256] {
        for (sew, width) in (0..4).flat_map(|sew| (0..4).map(move |width| (sew, width))) {
            let emul = width as i32 - sew as i32;
            for fields in [1_u32, 2, 3, 5, 8] {
                seed += 1;
                let name = if fields == 1 { "XEI" } else { "XSEGEI" };
                let of = |kind: &str, v| {
                    let name = format!("V{kind}{name}{}__V", 8 << width);
                    Step { fields, ..step(&name, v, 24, ADDRESSES) }.masked()
                };
                let steps =
                    vec![of("LU", 8), step("VADD__VI", 8, 8, 5), of("SU", 8), of("LO", 16), of("SO", 16)];
                let paged = seed % 2 == 0;
                let size = u64::from(fields) << sew;
                Looped { paged, ..Looped::new(&program, vlen, (sew, 0), steps) }.check_with(|unit, round| {
                    unit.x[ADDRESSES as usize] = END - 0x80;
                    let count = (unit.vlen as usize) << emul.max(0);
                    let count = ((count / 8) >> width).min(unit.vlmax());
                    for element in 0..count {
                        let is_active = unit.bit(0, element);
                        let near = (element * 7 + round * 5) as u64 % (0x81 - size);
                        // In some rounds, none is far.
                        let value = if is_active || round == 2 { near } else { u64::MAX >> (round % 2) };
                        set_index(unit, element, width, value);
                    }
                });
            }
        }
    }
}

fn set_index(unit: &mut Unit, element: usize, width: u32, value: u64) {
    unit.set_element(24, element, width, value & u64::MAX >> (64 - (8 << width)));
}

/// Accesses of which v0 is the mask and the data are illegal.
#[test]
fn data_in_the_mask() {
    let program = program("rv64gcv");
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let handler = vec![
        op("CSRRS", &[("rd", 6), ("csr", 0x341)]),
        op("ADDI", &[("rd", 6), ("rs1", 6), ("imm", 4)]),
        op("CSRRW", &[("csr", 0x341), ("rs1", 6)]),
        op("MRET", &[]),
    ];
    for name in
        ["VLE8__V", "VSE8__V", "VLSEGE8__V", "VSSEGE8__V", "VLE8FF__V", "VLSE8__V", "VSSE8__V", "VLUXEI8__V"]
    {
        let fields = if name.contains("SEG") { 2 } else { 1 };
        let words = vec![
            op("VSETVLI", &[("rd", 5), ("zimm", 0xc0)]),
            step("VADD__VI", 0, 0, 1).word(&program),
            Step { fields, ..step(name, 0, if name.contains('X') { 8 } else { 0 }, ADDRESSES) }
                .masked()
                .word(&program),
            step("VADD__VI", 8, 0, 1).word(&program),
            op("JAL", &[("imm", -16)]),
        ];
        let mut x = vec![0; 32];
        x[ADDRESSES as usize] = DATA;
        let setup = Setup { x, handler: handler.clone(), ..Setup::new(&program, words) };
        setup.assert_equal_tiers(30, 8, 1);
    }
}
