//! Elements and segments at indices under masks: those that are masked off lead anywhere, and one that is not may fail.

use hart::pages::Rights;

use crate::element_faults::{Case, END, PLACE};
use crate::guest::{DATA, program};
use crate::rounds::shape;
use crate::unit::{Step, Unit, step};

/// First register of the indices.
const INDICES: usize = 8;
/// What elements are at from the address on.
const SPAN: u64 = 0x80;

fn name(loads: bool, fields: u32, bits: u32) -> String {
    let letter = if loads { 'L' } else { 'S' };
    if fields == 1 { format!("V{letter}UXEI{bits}__V") } else { format!("V{letter}OXSEGEI{bits}__V") }
}

/// Every third element is masked off.
const fn is_active(element: usize) -> bool {
    element % 3 != 1
}

/// Sets the mask, and indices of a width: those of active elements within the span, others from `far` on.
fn prepare(unit: &mut Unit, width: u32, size: u64, far: u64) {
    let (at, vlmax) = (INDICES * unit.vlen as usize / 8, unit.vlmax());
    for (element, bytes) in unit.file[at..at + (vlmax << width)].chunks_exact_mut(1 << width).enumerate() {
        let near = element as u64 * 7 % (SPAN + 1 - size);
        let index = if is_active(element) { near } else { far.wrapping_add(element as u64) };
        bytes.copy_from_slice(&index.to_le_bytes()[..1 << width]);
    }
    for (byte, bits) in unit.file[..4].iter_mut().enumerate() {
        *bits = (0..8).filter(|bit| is_active(8 * byte + bit)).map(|bit| 1 << bit).sum();
    }
}

#[test]
fn indices_that_are_masked_off() {
    let program = program("rv64gcv");
    let mut number = 0;
    let shapes = (0..4).flat_map(|sew| (0..4).map(move |width| (sew, width)));
    for (sew, width, fields) in shapes.flat_map(|(sew, width)| {
        [1, [2, 5, 8][(sew + width) as usize % 3]].map(|fields| (sew, width, fields))
    }) {
        for (loads, rights) in
            [(true, None), (false, None), (true, Some(Rights::NONE)), (false, Some(Rights::READ))]
        {
            number += 1;
            let vlen = [128, 256][number % 2];
            let (vlmax, _) = shape(vlen, sew, 0).expect("a type");
            if shape(vlen, width, width as i32 - sew as i32).is_none() {
                continue;
            }
            let wanted = [None, None, Some(vlmax - 1)][number % 3];
            let elements = wanted.unwrap_or(vlmax) as usize;
            let the_access =
                Step { fields, ..step(&name(loads, fields, 8 << width), 16, INDICES as u32, PLACE) }.masked();
            let steps = vec![
                step("VADD__VI", 16, 16, 3),
                the_access.clone(),
                step("VXOR__VV", 24, 24, 16),
                the_access,
            ];
            let hole = rights.map(|rights| (DATA + 0x1000, rights));
            let end = hole.map_or(END, |(start, _)| start);
            let size = u64::from(fields) << sew;
            let case =
                Case { program: &program, vlen, sew, lmul: 0, wanted, steps, hole, paged: hole.is_some() };
            // One that fails is the last that is active, if one does.
            let last = (0..elements).rev().find(|&element| is_active(element)).expect("the first is");
            for (far, fails) in
                [SPAN, u64::MAX - 99].into_iter().flat_map(|far| [false, true].map(|fails| (far, fails)))
            {
                let failed = case.check(|unit, is_last| {
                    unit.x[PLACE as usize] = end - SPAN;
                    prepare(unit, width, size, far);
                    if is_last && fails {
                        let at = INDICES * unit.vlen as usize / 8 + (last << width);
                        unit.file[at] = (SPAN - size) as u8 + 1;
                    }
                });
                assert_eq!(failed.map(|failed| failed.element), fails.then_some(last));
            }
        }
    }
}
