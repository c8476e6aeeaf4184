//! Elements and segments at a stride of which some fail, in memory and in a process: which do, and what precedes them.

use hart::pages::Rights;

use crate::Setup;
use crate::TOHOST;
use crate::element_faults::{Case, END, PLACE};
use crate::guest::{BASE, DATA, encode, program};
use crate::rounds::shape;
use crate::unit::{Step, step};

/// Register with the stride.
const STRIDE: u32 = 20;

fn name(loads: bool, fields: u32, bits: u32) -> String {
    let letter = if loads { 'L' } else { 'S' };
    if fields == 1 { format!("V{letter}SE{bits}__V") } else { format!("V{letter}SSEGE{bits}__V") }
}

#[test]
fn strides_too_far() {
    let program = program("rv64gcv");
    let mut number = 0;
    for (sew, fields) in (0..4).flat_map(|sew| [1, 2, 3, 4, 5, 7, 8].map(move |fields| (sew, fields))) {
        for (loads, rights) in
            [(true, None), (false, None), (true, Some(Rights::NONE)), (false, Some(Rights::READ))]
        {
            number += 1;
            let vlen = [128, 256][number % 2];
            let (vlmax, _) = shape(vlen, sew, 0).expect("a type");
            let wanted = [None, None, Some(vlmax - 1)][number % 3];
            let elements = wanted.unwrap_or(vlmax);
            let the_access = Step { fields, ..step(&name(loads, fields, 8 << sew), 16, STRIDE, PLACE) };
            let steps = vec![step("VADD__VI", 16, 16, 3), the_access, step("VXOR__VV", 24, 24, 16)];
            let hole = rights.map(|rights| (DATA + 0x1000, rights));
            let end = hole.map_or(END, |(start, _)| start);
            let case =
                Case { program: &program, vlen, sew, lmul: 0, wanted, steps, hole, paged: hole.is_some() };
            let size = u64::from(fields) << sew;
            for stride in [0, 1, size, size + 5, 0x40] {
                let length = stride * (elements - 1) + size;
                for by in [0, 1, size, length] {
                    let failed = case.check(|unit, is_last| {
                        unit.x[STRIDE as usize] = stride;
                        unit.x[PLACE as usize] = end - length + if is_last { by } else { 0 };
                    });
                    assert_eq!(failed.is_some(), by > 0);
                }
            }
            // Backwards, to before memory, and so far that it wraps.
            if hole.is_some() || elements < 3 {
                continue;
            }
            let before = (DATA - BASE + size).wrapping_neg();
            for (stride, base) in [
                (before, DATA),
                (1 << 63, DATA),
                (1 << 32, DATA),
                (u64::MAX / (elements - 1), DATA),
                (u64::MAX / (elements - 1) + 1, DATA),
            ] {
                let failed = case.check(|unit, is_last| {
                    unit.x[STRIDE as usize] = if is_last { stride } else { 8 };
                    unit.x[PLACE as usize] = if is_last { base } else { DATA };
                });
                assert_eq!(failed.map(|failed| failed.element), Some(1));
            }
        }
    }
}

/// Stores to `tohost`, of which a part may be another element's, are events in both tiers, and others are not.
#[test]
fn stores_that_are_events() {
    let program = program("rv64gcv");
    for (sew, fields) in (0..4).flat_map(|sew| [1, 2, 3, 4].map(move |fields| (sew, fields))) {
        let vlen = 256;
        let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
        let (vlmax, vtype) = shape(vlen, sew, 0).expect("a type");
        for stride in [0, 3, 9, 16] {
            let the_access = Step { fields, ..step(&name(false, fields, 8 << sew), 16, STRIDE, PLACE) };
            let words = vec![
                op("VSETVLI", &[("rd", 5), ("zimm", vtype)]),
                step("VADD__VI", 16, 16, 1).word(&program),
                the_access.word(&program),
                step("VADD__VV", 24, 24, 16).word(&program),
                op("ADDI", &[("rd", PLACE.into()), ("rs1", PLACE.into()), ("imm", 1)]),
                op("JAL", &[("imm", -20)]),
            ];
            let length = stride * (vlmax - 1) + (u64::from(fields) << sew);
            let mut x = vec![0; 32];
            (x[PLACE as usize], x[STRIDE as usize]) = (TOHOST - length - 5, stride);
            let setup = Setup { vlen, x, ..Setup::new(&program, words) };
            setup.assert_equal_tiers(6, length + 20, 1);
        }
    }
}
