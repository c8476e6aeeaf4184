//! Loads and stores of elements and segments at a stride, and of segments at indices, against the model of the unit.

use crate::guest::{DATA, program};
use crate::looped::{ADDRESSES, Looped};
use crate::numbers::randoms;
use crate::rounds::{Length, shape};
use crate::unit::{Step, Unit, step};

/// Register with the stride.
const STRIDE: u32 = 20;
/// First byte of the places, and how many bytes they take: what follows is an event to store to.
const PLACES: (u64, u64) = (DATA + 0x40, 0xf00);

/// A stride under which all of so many segments of a size are in the places, and the first of these.
fn stride(round: usize, seed: u64, count: u64, size: u64) -> (u64, u64) {
    let most = (PLACES.1 - size) / count.max(2);
    let random = randoms(seed + round as u64).next().unwrap_or(0) >> 7;
    let (first, middle) = (PLACES.0, PLACES.0 + PLACES.1 / 2);
    match round {
        0 => (most, first),
        1 => (size.min(most), first + 3),
        2 => (0, first + 5),
        3 => ((most / 2).wrapping_neg(), middle),
        4 => (1.min(most), first),
        _ => (random % (most + 1), first + 1),
    }
}

fn name(stores: bool, kind: &str, fields: u32, bits: u32) -> String {
    let letter = if stores { 'S' } else { 'L' };
    match (kind, fields) {
        ("stride", 1) => format!("V{letter}SE{bits}__V"),
        ("stride", _) => format!("V{letter}SSEGE{bits}__V"),
        (_, 1) => format!("V{letter}UXEI{bits}__V"),
        _ => format!("V{letter}OXSEGEI{bits}__V"),
    }
}

#[test]
fn segments_anywhere() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    let mut seed = 0;
    for vlen in [64, 128, 256] {
        for (sew, lmul) in (0..4).flat_map(|sew| (-1..=2).map(move |lmul| (sew, lmul))) {
            let Some((vlmax, _)) = shape(vlen, sew, lmul) else { continue };
            let group = 1_u32 << lmul.max(0);
            for fields in (1..=8).filter(|fields| fields * group <= 8) {
                for kind in ["stride", "indices"] {
                    seed += 1;
                    // Data of another width than SEW, or indices.
                    let width = if seed % 3 == 0 || kind == "indices" { seed as u32 % 4 } else { sew };
                    let emul = lmul + width as i32 - sew as i32;
                    let of_other = 1_u32 << emul.clamp(0, 3);
                    let (data, data_width) = if kind == "stride" { (of_other, width) } else { (group, sew) };
                    let is_rv32 = seed % 5 == 4;
                    if !(-3..=3).contains(&emul)
                        || shape(vlen, width, emul).is_none()
                        || fields * data > 8
                        || is_rv32 && width == 3 && kind == "indices"
                    {
                        continue;
                    }
                    let size = u64::from(fields) << data_width;
                    let second = if kind == "stride" { STRIDE } else { 8 };
                    let of = |stores, v| {
                        let name = name(stores, kind, fields, 8 << width);
                        let one = Step { fields, ..step(&name, v, second, ADDRESSES) };
                        if seed % 4 < 2 { one.masked() } else { one }
                    };
                    let steps = vec![
                        of(false, 16),
                        step("VADD__VV", 24, 16, 24),
                        of(true, 24),
                        of(false, 24),
                        step("VADD__VV", 16, 24, 16),
                        of(true, 16),
                    ];
                    let length = match seed % 6 {
                        0 => Length::Register,
                        1 => Length::Immediate(16),
                        _ => Length::All,
                    };
                    let (ones, paged) = (seed % 11 == 0, seed % 2 == 1);
                    let program = &programs[usize::from(is_rv32)];
                    let prepare = |unit: &mut Unit, round: usize| {
                        let (stride, first) = stride(round, seed, vlmax, size);
                        unit.x[STRIDE as usize] =
                            if unit.rv32 { stride as u32 as i32 as u64 } else { stride };
                        unit.x[ADDRESSES as usize] = first;
                        if kind == "indices" {
                            unit.x[ADDRESSES as usize] = PLACES.0;
                            let at = 8 * unit.vlen as usize / 8;
                            let bytes = (vlmax as usize) << width;
                            for (index, random) in
                                unit.file[at..at + bytes].chunks_exact_mut(1 << width).zip(randoms(seed))
                            {
                                let value = (random >> 11) % if width == 0 { 0x100 } else { PLACES.1 - size };
                                index.copy_from_slice(&value.to_le_bytes()[..1 << width]);
                            }
                        }
                    };
                    Looped { length, ones, paged, ..Looped::new(program, vlen, (sew, lmul), steps) }
                        .check_with(prepare);
                }
            }
        }
    }
}
