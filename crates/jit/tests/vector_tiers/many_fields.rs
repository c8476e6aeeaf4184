//! Segments of many fields side by side in memory, under masks of all kinds and without one, of which one fails or none,
//! against the model of the unit.

use hart::pages::Rights;

use crate::element_faults::{Case, END, PLACE};
use crate::guest::{DATA, program};
use crate::looped::{ADDRESSES, Looped};
use crate::numbers::randoms;
use crate::rounds::shape;
use crate::unit::{BYTES, Step, Unit, step};

/// VLEN, SEW and LMUL (both log2) with columns of thirty-two bytes: one to three of them, in all of a register, a half or a
/// quarter.
pub const SHAPES: [(u32, u32, i32); 16] = [
    (256, 0, 0),
    (256, 1, 0),
    (256, 2, 0),
    (256, 3, 0),
    (512, 0, 0),
    (512, 1, 0),
    (512, 2, 0),
    (512, 3, 0),
    (512, 0, -1),
    (512, 1, -1),
    (512, 2, -1),
    (1024, 0, -2),
    (1024, 1, -1),
    (1024, 2, -1),
    (128, 0, 0),
    (128, 3, 0),
];

/// Register with the stride.
const STRIDE: u32 = 20;

fn access(name: &str, fields: u32, sew: u32, v: u32) -> Step {
    let (stem, end) = name.split_once('.').unwrap_or((name, ""));
    Step { fields, ..step(&format!("{stem}{}{end}__V", 8 << sew), v, 0, ADDRESSES) }
}

/// The mask of a round.
pub fn set_mask(unit: &mut Unit, round: usize) {
    let last = unit.vlmax() - 1;
    let bytes = &mut unit.file[..16];
    match round {
        0 => bytes.fill(0),
        1 => bytes.fill(0xff),
        2 => bytes.fill(0x01),
        // The last one alone, and all but that.
        3 | 4 => {
            bytes.fill(if round == 3 { 0 } else { 0xff });
            bytes[last / 8] ^= 1 << (last % 8);
        }
        _ => bytes.iter_mut().zip(randoms(last as u64)).for_each(|(byte, random)| *byte = random as u8),
    }
}

#[test]
fn all_masks() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    let mut seed = 0;
    for ((vlen, sew, lmul), fields) in
        SHAPES.into_iter().flat_map(|shape| (5..=8).map(move |fields| (shape, fields)))
    {
        seed += 1;
        let of = |name: &str, v: u32| access(name, fields, sew, v);
        let steps = vec![
            of("VLSEGE", 8).masked(),
            step("VADD__VV", 9, 9, 8 + fields - 1),
            of("VSSEGE", 8).masked(),
            of("VLSEGE", 32 - fields),
            step("VXOR__VV", 32 - fields, 32 - fields, 8),
            of("VSSEGE", 32 - fields),
            of("VLSEGE.FF", 16 - fields / 2).masked(),
            of("VSSEGE", 1).masked(),
        ];
        let (vlmax, _) = shape(vlen, sew, lmul).expect("a type");
        let end = DATA + BYTES as u64 - u64::from(fields) * (vlmax << sew);
        let (ones, paged) = (seed % 3 == 0, seed % 2 == 0);
        let program = &programs[usize::from(seed % 4 == 3)];
        Looped { ones, paged, ..Looped::new(program, vlen, (sew, lmul), steps) }.check_with(|unit, round| {
            set_mask(unit, round);
            // Lines of the host's memory begin anywhere within.
            let address = if round % 2 == 1 { end } else { DATA + 13 * round as u64 };
            unit.x[ADDRESSES as usize] = if unit.rv32 { address as u32 as i32 as u64 } else { address };
        });
    }
}

/// Each segment in turn is the first that does not fit in memory, or is where nobody may access it.
#[test]
fn each_segment_fails() {
    let program = program("rv64gcv");
    let mut number = 0;
    for (sew, fields) in (0..4).flat_map(|sew| (5..=8).map(move |fields| (sew, fields))) {
        let (vlen, size) = (256, u64::from(fields) << sew);
        let (vlmax, _) = shape(vlen, sew, 0).expect("a type");
        for (name, rights) in [
            ("VLSEGE", None),
            ("VSSEGE", None),
            ("VLSEGE.FF", None),
            ("VLSEGE", Some(Rights::NONE)),
            ("VSSEGE", Some(Rights::READ)),
            ("VLSEGE.FF", Some(Rights::NONE)),
        ] {
            number += 1;
            let the_access = access(name, fields, sew, 16);
            let masked = (number + sew) % 2 == 0;
            let the_access = if masked { the_access.masked() } else { the_access };
            let steps = vec![step("VADD__VI", 16, 16, 3), the_access, step("VXOR__VV", 24, 24, 16)];
            let hole = rights.map(|rights| (DATA + 0x1000, rights));
            let end = hole.map_or(END, |(start, _)| start);
            let paged = hole.is_some();
            let case = Case { program: &program, vlen, sew, lmul: 0, wanted: None, steps, hole, paged };
            for missing in 0..=vlmax {
                let within = if missing % 3 == 1 { 1 } else { size };
                let by = (missing * size).saturating_sub(size - within);
                let failed = case.check(|unit, is_last| {
                    unit.file[..4].fill([0xff, 0xb6, 0x6d][missing as usize % 3]);
                    unit.x[PLACE as usize] = end - vlmax * size + if is_last { by } else { 0 };
                });
                let is_first = name.ends_with("FF");
                assert!(masked || is_first || failed.is_some() == (missing > 0), "{name}, {missing}");
            }
        }
    }
}

/// Loads at a stride, up to the end of memory and to a few bytes before it, of which more may be loaded than segments have.
#[test]
fn any_strides() {
    let program = program("rv64gcv");
    let mut seed = 0;
    for ((vlen, sew, lmul), fields) in
        SHAPES.into_iter().flat_map(|shape| [2, 3, 5, 6, 7, 8].map(move |fields| (shape, fields)))
    {
        seed += 1;
        let size = u64::from(fields) << sew;
        let (vlmax, _) = shape(vlen, sew, lmul).expect("a type");
        let of = |v: u32| Step { fields, ..step(&format!("VLSSEGE{}__V", 8 << sew), v, STRIDE, ADDRESSES) };
        let steps = vec![
            step("VADD__VI", 8, 8, 3),
            of(8).masked(),
            step("VADD__VV", 9, 9, 8),
            of(32 - fields),
            step("VXOR__VV", 32 - fields, 32 - fields, 8),
        ];
        let strides = [0, 1, size, size + 5, 24, 61].map(|stride| stride.min((BYTES as u64 - size) / vlmax));
        let paged = seed % 2 == 0;
        Looped { paged, ..Looped::new(&program, vlen, (sew, lmul), steps) }.check_with(|unit, round| {
            set_mask(unit, round + seed % 2);
            let stride = strides[(round + seed) % strides.len()];
            unit.x[STRIDE as usize] = stride;
            let end = DATA + BYTES as u64 - (stride * (vlmax - 1) + size);
            unit.x[ADDRESSES as usize] = end - [0, 1, 2, 8, 24, 64].map(|by: u64| by.min(end - DATA))[round];
        });
    }
}
