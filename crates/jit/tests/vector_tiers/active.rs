//! Stores of many elements and segments under masks of none, one, some and all of them, at a stride or at indices, against the
//! model of the unit.

use crate::guest::{DATA, program};
use crate::looped::{ADDRESSES, Looped};
use crate::numbers::randoms;
use crate::rounds::{Length, shape};
use crate::unit::{Step, Unit, step};

/// Register with the stride.
const STRIDE: u32 = 20;
/// Bytes that are stored to.
const PLACES: u64 = 0xe00;

/// The mask of a round, of 32 elements of which so many count.
fn mask(round: usize, count: u64) -> u32 {
    match round {
        0 => 0,
        1 => u32::MAX,
        2 => 1 << (count - 1),
        3 => 1,
        // Elements that do not count, and others.
        4 => 0xaaaa_aaaa,
        _ => 0x9249_2493,
    }
}

fn prepare(unit: &mut Unit, round: usize, count: u64, (width, size): (u32, u64)) {
    let bits = mask(round, count);
    unit.file[..4].copy_from_slice(&bits.to_le_bytes());
    let most = (PLACES - size) / count;
    unit.x[ADDRESSES as usize] = DATA + 0x40;
    unit.x[STRIDE as usize] = [most, size.min(most), 0, 1, 3, most][round % 6];
    let limit = if width == 0 { 0x100 } else { PLACES - size };
    for (element, random) in (0..count as usize).zip(randoms(count + round as u64)) {
        // In one round, all are in one place.
        let index = if round == 1 && count.is_multiple_of(3) { 7 } else { (random >> 9) % limit };
        // The others are where nobody may store.
        let far = u64::MAX >> (64 - (8 << width));
        let is_active = bits >> element & 1 == 1;
        unit.set_element(24, element, width, if is_active || width == 0 { index } else { far });
    }
}

#[test]
fn stores_of_active_elements() {
    let program = program("rv64gcv");
    let mut seed = 0;
    for (vlen, sew, lmul) in [(256, 0, 0), (128, 0, 1), (256, 1, 1), (512, 1, 0), (512, 2, 1), (1024, 3, 1)] {
        let vlmax = shape(vlen, sew, lmul).map_or(0, |(vlmax, _)| vlmax);
        let group = 1_u32 << lmul;
        for fields in (1..=8).filter(|fields| fields * group <= 8) {
            for width in 0..5_u32 {
                seed += 1;
                let is_at_stride = width == 4;
                let width = if is_at_stride { sew } else { width };
                let emul = lmul + width as i32 - sew as i32;
                if !(-3..=3).contains(&emul) {
                    continue;
                }
                let length = match seed % 3 {
                    0 if sew > 0 => Length::Immediate([0, 24, 20, 18][sew as usize]),
                    _ => Length::All,
                };
                let count = length.elements(vlmax, 0);
                let bits = 8 << width;
                let name = match (is_at_stride, fields) {
                    (true, 1) => format!("VSSE{bits}__V"),
                    (true, _) => format!("VSSSEGE{bits}__V"),
                    (false, 1) => format!("VSUXEI{bits}__V"),
                    (false, _) => format!("VSOXSEGEI{bits}__V"),
                };
                let second = if is_at_stride { STRIDE } else { 24 };
                let store = Step { fields, ..step(&name, 8, second, ADDRESSES) }.masked();
                // Indices and data that are at hand.
                let steps = vec![
                    step("VADD__VI", 24, 24, 0),
                    step("VADD__VI", 8, 8, 3),
                    store,
                    step("VADD__VI", 8, 8, 1),
                ];
                let paged = seed % 2 == 0;
                let size = u64::from(fields) << sew;
                Looped { length, paged, ..Looped::new(&program, vlen, (sew, lmul), steps) }
                    .check_with(|unit, round| prepare(unit, round, count, (width, size)));
            }
        }
    }
}
