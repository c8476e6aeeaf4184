//! A masked instruction, or one that begins in the middle, gives the same numbers and flags as one after the other with a
//! single element active. A masked reduction is that of its active elements.

use hart::AgnosticFill;
use proptest::prelude::*;

use crate::law::{Case, try_all};
use crate::machine::{Length, Setting, execute};
use crate::{CASES, tier};

/// `vl` at most.
const LONGEST: u64 = 21;

/// Its registers with this mask.
fn with_mask(setting: &Setting, mask: u32) -> Setting {
    let mut setting = setting.clone();
    setting.registers[..4].copy_from_slice(&mask.to_le_bytes());
    setting
}

/// A setting in which nothing but active elements changes, and a mask.
fn undisturbed(case: &Case) -> (Setting, u32) {
    let setting = &case.setting;
    let vl = setting.vl % (LONGEST + 1);
    let bits = setting.registers[9 * setting.vlen as usize / 8..].iter().step_by(3);
    // Some are ones but for a few elements.
    let some = bits.take(4).fold(0, |mask, &byte| mask << 8 | u32::from(byte));
    let mask = if setting.vl.is_multiple_of(3) { some | some << 7 | some << 13 } else { some };
    let length = if case.fflags & 2 == 0 { Length::Before(0) } else { Length::Register };
    (Setting { fill: AgnosticFill::Undisturbed, vl, length, ..setting.clone() }, mask)
}

#[test]
fn active_elements_are_those_of_each_alone() {
    try_all(
        |name| !name.contains("RED"),
        CASES / 8,
        |program, case, word| {
            let (setting, mask) = undisturbed(case);
            let found = execute(program, &with_mask(&setting, mask), word(true), case.fflags, tier::prepare);
            let mut expected = execute(program, &with_mask(&setting, 0), word(true), 0, |machine| machine);
            let vl = expected.as_ref().map_or(0, |left| left.vl);
            for element in (0..vl).filter(|element| mask >> element & 1 == 1) {
                let Ok(before) = expected else { break };
                let one =
                    with_mask(&Setting { registers: before.registers, ..setting.clone() }, 1 << element);
                expected = execute(program, &one, word(true), 0, |machine| machine).map(|mut left| {
                    left.fflags |= before.fflags;
                    left
                });
            }
            let is_legal = expected.is_ok();
            let expected = expected.map(|mut left| {
                left.registers[..4].copy_from_slice(&mask.to_le_bytes());
                left.fflags |= case.fflags;
                left
            });
            prop_assert_eq!(found, expected);
            Ok(is_legal)
        },
    );
}

#[test]
fn elements_before_the_first_stay() {
    try_all(
        |name| !name.contains("RED"),
        CASES / 8,
        |program, case, word| {
            let (setting, mask) = undisturbed(case);
            let vstart = u64::from(mask % 9);
            let later = Setting { length: Length::Before(vstart), ..setting.clone() };
            let found = execute(program, &later, word(false), case.fflags, tier::prepare);
            let mask = u32::MAX << vstart;
            let expected = execute(program, &with_mask(&setting, mask), word(true), 0, |machine| machine);
            let is_legal = expected.is_ok();
            let expected = expected.map(|mut left| {
                left.registers[..4].copy_from_slice(&[0xff; 4]);
                left.fflags |= case.fflags;
                left
            });
            // What is not moved by one element.
            if case.fields.iter().all(|&(name, _)| name != "slides") {
                prop_assert_eq!(found, expected);
            }
            Ok(is_legal)
        },
    );
}

#[test]
fn reductions_are_those_of_active_elements() {
    try_all(
        |name| name.contains("RED"),
        CASES,
        |program, case, word| {
            let (setting, mask) = undisturbed(case);
            let mask = mask | 1;
            let found = execute(program, &with_mask(&setting, mask), word(true), case.fflags, tier::prepare);
            let (width, vlenb) = (1 << (setting.zimm >> 3 & 3), setting.vlen as usize / 8);
            let vs2 = case.fields[1].1 as usize * vlenb;
            let vl = found.as_ref().map_or(0, |left| left.vl);
            let mut active = setting.clone();
            active.vl = 0;
            for element in (0..vl as usize).filter(|element| mask >> element & 1 == 1) {
                let (from, to) = (vs2 + element * width, vs2 + active.vl as usize * width);
                active.registers.copy_within(from..from + width, to);
                active.vl += 1;
            }
            let expected = execute(program, &active, word(true), 0, |machine| machine);
            let is_legal = expected.is_ok();
            let expected = expected.map(|mut left| {
                let vd = case.fields[0].1 as usize * vlenb;
                let result = left.registers[vd..vd + vlenb].to_vec();
                left.registers = setting.registers.clone();
                left.registers[vd..vd + vlenb].copy_from_slice(&result);
                left.registers[..4].copy_from_slice(&mask.to_le_bytes());
                left.fflags |= case.fflags;
                left.vl = vl;
                left
            });
            // A destination among the elements has no place of its own.
            if case.fields[0].1 != case.fields[1].1 {
                prop_assert_eq!(found, expected);
            }
            Ok(is_legal)
        },
    );
}
