//! Every instruction on element groups against its model, on any group of registers, with tails, `vstart`
//! and operands in place.

use hart::AgnosticFill;
use proptest::prelude::*;

use crate::guest::program;
use crate::unit::{Registers, Setting, execute};
use crate::{ISA, model};

/// Operands beside `vd` and `vs2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Vv,
    Scalar,
    Vs1,
    Immediate,
}

/// Name, operands, elements in a group, and how many of `vs2`, `vs1` must not overlap `vd`.
type Row = (&'static str, Form, usize, usize);

const INSTRUCTIONS: &[Row] = &[
    ("VAESEM__VV", Form::Vv, 4, 0),
    ("VAESEM__VS", Form::Scalar, 4, 1),
    ("VAESEF__VV", Form::Vv, 4, 0),
    ("VAESEF__VS", Form::Scalar, 4, 1),
    ("VAESDM__VV", Form::Vv, 4, 0),
    ("VAESDM__VS", Form::Scalar, 4, 1),
    ("VAESDF__VV", Form::Vv, 4, 0),
    ("VAESDF__VS", Form::Scalar, 4, 1),
    ("VAESZ__VS", Form::Scalar, 4, 1),
    ("VAESKF1__VI", Form::Immediate, 4, 0),
    ("VAESKF2__VI", Form::Immediate, 4, 0),
    ("VGHSH__VV", Form::Vs1, 4, 0),
    ("VGMUL__VV", Form::Vv, 4, 0),
    ("VSHA2MS__VV", Form::Vs1, 4, 2),
    ("VSHA2CH__VV", Form::Vs1, 4, 2),
    ("VSHA2CL__VV", Form::Vs1, 4, 2),
    ("VSM4K__VI", Form::Immediate, 4, 0),
    ("VSM4R__VV", Form::Vv, 4, 0),
    ("VSM4R__VS", Form::Scalar, 4, 1),
    ("VSM3ME__VV", Form::Vs1, 8, 1),
    ("VSM3C__VI", Form::Immediate, 8, 1),
];

#[derive(Clone, Copy, Debug)]
struct Case {
    row: Row,
    setting: Setting,
    registers: [usize; 3],
    uimm: u64,
    seed: u64,
}

prop_compose! {
    fn case()(
        row in prop::sample::select(INSTRUCTIONS),
        vlen in 5u32..=12,
        lmul in -2i8..=3,
        wide in any::<bool>(),
        bounds in any::<[u16; 2]>(),
        (agnostic, ones) in any::<(bool, bool)>(),
        places in prop::array::uniform3(0usize..32),
        few in any::<bool>(),
        uimm in 0u64..32,
        seed in any::<u64>(),
    ) -> Case {
        let (name, form, elements, apart) = row;
        let sew = if wide && name.starts_with("VSHA2") { 64 } else { 32 };
        // LMUL is SEW/ELEN at least.
        let mut setting = Setting::new(1 << vlen, sew).with_lmul(lmul.max(sew.ilog2() as i8 - 6));
        while setting.vl < elements {
            setting = setting.with_lmul(setting.lmul + 1);
        }
        let groups = setting.vl / elements;
        let [end, start] = bounds.map(usize::from);
        // A few groups at the beginning or anywhere: the model is slow.
        let [start, end] = if start % 2 == 0 {
            [0, end % (groups.min(6) + 1)]
        } else {
            let end = end % (groups + 1);
            [(end + 1).saturating_sub(start % 6), end]
        };
        (setting.vl, setting.vstart) = (end * elements, start * elements);
        setting.agnostic = agnostic;
        setting.fill = if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
        let size = 1 << setting.lmul.max(0);
        // From a few registers, so that sources often are the destination.
        let mut registers = places.map(|place| (if few { place % 4 } else { place }) * size % 32);
        if form == Form::Scalar {
            // Aligned to as many registers as hold a group.
            let alignment = 16usize.div_ceil(setting.vlenb());
            registers[1] = places[1] / alignment * alignment;
        }
        for source in 1..=apart {
            if registers[source] / size == registers[0] / size {
                registers[source] = (registers[source] + size) % 32;
            }
        }
        Case { row, setting, registers, uimm, seed }
    }
}

fn group(
    registers: &Registers,
    setting: Setting,
    register: usize,
    index: usize,
    elements: usize,
) -> model::Group {
    let width = setting.sew / 8;
    let bytes = &registers.at(register)[index * elements * width..][..elements * width];
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    bytes.chunks(width).map(word).collect()
}

fn expected(case: Case, before: &Registers) -> Registers {
    let Case { row: (name, form, elements, _), setting, registers: [vd, vs2, vs1], uimm, .. } = case;
    let (mnemonic, _) = name.split_once("__").expect("a suffix");
    let mut after = before.clone();
    let at = vd * setting.vlenb();
    for index in setting.vstart / elements..setting.vl / elements {
        let source = |register, index| group(before, setting, register, index, elements);
        let vs2 = source(vs2, if form == Form::Scalar { 0 } else { index });
        let result =
            model::result(mnemonic, setting.sew, &source(vd, index), &vs2, &source(vs1, index), uimm);
        for (element, word) in result.iter().enumerate() {
            let width = setting.sew / 8;
            let place = at + (index * elements + element) * width;
            after.bytes[place..place + width].copy_from_slice(&word.to_le_bytes()[..width]);
        }
    }
    if setting.vstart < setting.vl && setting.agnostic && setting.fill == AgnosticFill::Ones {
        after.bytes[at + setting.vl * setting.sew / 8..at + setting.group_bytes()].fill(0xff);
    }
    after
}

#[test]
fn every_instruction_does_what_its_pseudo_code_says() {
    let program = program(ISA);
    proptest!(ProptestConfig::with_cases(600), |(case in case())| {
        let Case { row: (name, form, ..), setting, registers: [vd, vs2, vs1], uimm, seed } = case;
        let before = Registers::random(setting.vlen, seed);
        let mut fields = vec![("vd", vd as i64), ("vs2", vs2 as i64)];
        match form {
            Form::Vv | Form::Scalar => {}
            Form::Vs1 => fields.push(("vs1", vs1 as i64)),
            Form::Immediate => fields.push(("uimm", uimm as i64)),
        }
        let after = execute(&program, setting, &before, &[(name, &fields)]);
        let after = after.map_err(TestCaseError::fail)?;
        prop_assert!(after == expected(case, &before), "registers differ");
    });
}
