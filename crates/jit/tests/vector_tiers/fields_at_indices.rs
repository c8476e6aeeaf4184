//! Loads of segments at indices of all widths, up to the end of memory and to a few bytes before it, of which more may be
//! loaded than segments have, against the model of the unit.

use crate::guest::{DATA, program};
use crate::looped::{ADDRESSES, Looped};
use crate::many_fields::{SHAPES, set_mask};
use crate::numbers::randoms;
use crate::rounds::shape;
use crate::unit::{BYTES, Step, Unit, step};

/// First register of the indices.
const INDICES: u32 = 24;
/// The furthest of them in each round: what is as far as a byte says, is in a table.
const FURTHEST: [u64; 6] = [0x300, 0xff, 0x100, 0xff, 0xfe, 0x3ff];

/// Random indices of a width, one of which is the furthest, where the number of a round says.
fn set_indices(unit: &mut Unit, width: u32, furthest: u64, round: usize) {
    let (at, vlmax) = (INDICES as usize * unit.vlen as usize / 8, unit.vlmax());
    let indices = unit.file[at..at + (vlmax << width)].chunks_exact_mut(1 << width);
    for ((element, bytes), random) in indices.enumerate().zip(randoms(round as u64 + 1)) {
        let index = if element == (7 * round + 3) % vlmax { furthest } else { random % (furthest + 1) };
        bytes.copy_from_slice(&index.to_le_bytes()[..1 << width]);
    }
}

#[test]
fn any_indices() {
    let program = program("rv64gcv");
    let mut seed = 0;
    let all = SHAPES.into_iter().flat_map(|shape| (1..=8).map(move |fields| (shape, fields)));
    for ((vlen, sew, lmul), fields) in all {
        for width in 0..4 {
            let emul = lmul + width as i32 - sew as i32;
            if !(-3..=3).contains(&emul) {
                continue;
            }
            seed += 1;
            let size = u64::from(fields) << sew;
            let bits = 8 << width;
            let name = if fields == 1 { format!("VLUXEI{bits}__V") } else { format!("VLUXSEGEI{bits}__V") };
            let of = |v: u32| Step { fields, ..step(&name, v, INDICES, ADDRESSES) };
            let steps = vec![
                step("VADD__VI", 8, 8, 3),
                step("VADD__VI", INDICES, INDICES, 0),
                of(8).masked(),
                step("VADD__VV", 9, 9, 8),
                of(INDICES - fields),
                step("VXOR__VV", INDICES - fields, INDICES - fields, 8),
            ];
            assert!(shape(vlen, sew, lmul).is_some(), "a type");
            let paged = seed % 2 == 0;
            Looped { paged, ..Looped::new(&program, vlen, (sew, lmul), steps) }.check_with(|unit, round| {
                set_mask(unit, round + seed % 2);
                let furthest = FURTHEST[round].min(u64::MAX >> (64 - bits));
                set_indices(unit, width, furthest, round + seed);
                let end = DATA + BYTES as u64 - (furthest + size);
                unit.x[ADDRESSES as usize] = end - [0, 1, 2, 8, 24, 64][round];
            });
        }
    }
}
