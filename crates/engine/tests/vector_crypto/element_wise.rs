//! Zvbb, Zvkb and Zvbc against one line each, on any group of registers, with masks, tails, `vstart` and
//! operands in place; and their reserved uses.

use hart::AgnosticFill;
use proptest::prelude::*;

use crate::ISA;
use crate::guest::program;
use crate::unit::{Op, Registers, Setting, execute, execute_with};

const NAMES: [&str; 20] = [
    "VANDN__VV",
    "VANDN__VX",
    "VBREV__V",
    "VBREV8__V",
    "VREV8__V",
    "VCLZ__V",
    "VCTZ__V",
    "VCPOP__V",
    "VROL__VV",
    "VROL__VX",
    "VROR__VV",
    "VROR__VX",
    "VROR__VI",
    "VWSLL__VV",
    "VWSLL__VX",
    "VWSLL__VI",
    "VCLMUL__VV",
    "VCLMUL__VX",
    "VCLMULH__VV",
    "VCLMULH__VX",
];

/// The low `bits` bits.
fn low(value: u128, bits: usize) -> u128 {
    if bits == 128 { value } else { value & ((1 << bits) - 1) }
}

/// Bits of an element, the lowest first.
fn bits(value: u128, count: usize) -> Vec<bool> {
    (0..count).map(|bit| value >> bit & 1 == 1).collect()
}

fn number(bits: impl IntoIterator<Item = bool>) -> u128 {
    bits.into_iter().enumerate().fold(0, |value, (bit, set)| value | u128::from(set) << bit)
}

/// Element of the destination from elements of `vs2` and the second operand.
fn result(operation: &str, sew: usize, a: u128, b: u128) -> u128 {
    let mut a_bits = bits(a, sew);
    match operation {
        "VANDN" => number(a_bits.iter().zip(bits(b, sew)).map(|(&a, b)| a && !b)),
        "VBREV" => number(a_bits.into_iter().rev()),
        "VBREV8" => number(a_bits.chunks(8).flat_map(|byte| byte.iter().rev().copied())),
        "VREV8" => number(a_bits.chunks(8).rev().flatten().copied()),
        "VCLZ" => a_bits.iter().rev().take_while(|&&bit| !bit).count() as u128,
        "VCTZ" => a_bits.iter().take_while(|&&bit| !bit).count() as u128,
        "VCPOP" => a_bits.iter().filter(|&&bit| bit).count() as u128,
        "VROL" => {
            a_bits.rotate_right(b as usize % sew);
            number(a_bits)
        }
        "VROR" => {
            a_bits.rotate_left(b as usize % sew);
            number(a_bits)
        }
        "VWSLL" => low(a << (b as usize % (2 * sew)), 2 * sew),
        "VCLMUL" => low(product(a, b), 64),
        "VCLMULH" => product(a, b) >> 64,
        _ => panic!("no model of {operation}"),
    }
}

fn product(a: u128, b: u128) -> u128 {
    (0..64).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ a << bit)
}

#[derive(Clone, Copy, Debug)]
struct Case {
    name: &'static str,
    setting: Setting,
    /// `vd`, `vs2`, `vs1`; the last is also the immediate.
    registers: [usize; 3],
    masked: bool,
    x5: u64,
    seed: u64,
}

impl Case {
    fn widens(self) -> bool {
        self.name.starts_with("VWSLL")
    }

    fn operands(self) -> (&'static str, &'static str) {
        self.name.split_once("__").expect("a suffix")
    }
}

prop_compose! {
    fn case()(
        name in prop::sample::select(&NAMES[..]),
        vlen in 7u32..=12,
        sew in 3u32..=6,
        lmul in -3i8..=3,
        bounds in any::<[u16; 2]>(),
        (agnostic, ones, masked, few) in any::<(bool, bool, bool, bool)>(),
        places in prop::array::uniform3(0usize..32),
        immediate in 0usize..64,
        x5 in any::<u64>(),
        seed in any::<u64>(),
    ) -> Case {
        let widens = name.starts_with("VWSLL");
        let sew = if name.starts_with("VCLMUL") { 6 } else if widens { sew.min(5) } else { sew };
        let lmul = lmul.max(sew as i8 - 6).min(if widens { 2 } else { 3 });
        let mut setting = Setting::new(1 << vlen, 1 << sew).with_lmul(lmul);
        let [end, start] = bounds.map(|bound| usize::from(bound) % (setting.vl + 1));
        (setting.vl, setting.vstart) = (end, if start > end / 2 { 0 } else { start });
        setting.agnostic = agnostic;
        setting.fill = if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
        let size = 1 << lmul.max(0);
        // From a few registers, so that sources often are the destination; never v0 if that is the mask.
        let place = |place: usize, size: usize| {
            let register = if few { place % 4 } else { place } * size % 32;
            if masked && register == 0 { 8 } else { register }
        };
        let wide = if widens { 1 << (lmul + 1).max(0) } else { size };
        let vd = place(places[0], wide);
        let mut registers = [vd, place(places[1], size), place(places[2], size)];
        if widens {
            for source in &mut registers[1..] {
                let inside = *source >= vd && *source < vd + wide;
                // A wider destination may overlap a whole source in its highest registers only.
                if inside && lmul >= 0 {
                    *source = vd + size;
                } else if inside {
                    *source = if vd == 8 { 16 } else { 8 };
                }
            }
        }
        if name.ends_with("__VI") {
            registers[2] = if widens { immediate % 32 } else { immediate };
        }
        Case { name, setting, registers, masked, x5, seed }
    }
}

fn element(registers: &Registers, register: usize, index: usize, sew: usize) -> u128 {
    let bytes = &registers.at(register)[index * sew / 8..][..sew / 8];
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte))
}

fn expected(case: Case, before: &Registers) -> Registers {
    let Setting { sew, vl, vstart, agnostic, fill, lmul, .. } = case.setting;
    let [vd, vs2, vs1] = case.registers;
    let (operation, form) = case.operands();
    let width = if case.widens() { 2 * sew } else { sew };
    // Sharing registers with a source of another width makes an instruction agnostic.
    let wide = 1 << (lmul + 1).max(0);
    let sources = if form == "VV" { &case.registers[1..] } else { &case.registers[1..2] };
    let mixed = case.widens() && sources.iter().any(|&source| source >= vd && source < vd + wide);
    let ones = fill == AgnosticFill::Ones && (agnostic || mixed);
    let mut after = before.clone();
    let start = vd * case.setting.vlenb();
    let mut put = |index: usize, value: u128| {
        let place = start + index * width / 8;
        after.bytes[place..place + width / 8].copy_from_slice(&value.to_le_bytes()[..width / 8]);
    };
    for index in vstart..vl {
        let b = match form {
            "VV" => element(before, vs1, index, sew),
            "VX" => low(case.x5.into(), sew),
            _ => vs1 as u128,
        };
        if !case.masked || before.at(0)[index / 8] >> (index % 8) & 1 == 1 {
            put(index, result(operation, sew, element(before, vs2, index, sew), b));
        } else if ones {
            put(index, u128::MAX);
        }
    }
    if vstart < vl && ones {
        let group = if case.widens() { lmul + 1 } else { lmul };
        let end = case.setting.vlenb() << group.max(0);
        after.bytes[start + vl * width / 8..start + end].fill(0xff);
    }
    after
}

fn fields(case: Case) -> Vec<(&'static str, i64)> {
    let [vd, vs2, vs1] = case.registers.map(|register| register as i64);
    let mut fields = vec![("vd", vd), ("vs2", vs2), ("vm", i64::from(!case.masked))];
    match case.operands().1 {
        "VV" => fields.push(("vs1", vs1)),
        "VX" => fields.push(("rs1", 5)),
        "VI" => fields.push(("uimm", vs1)),
        _ => {}
    }
    fields
}

#[test]
fn every_instruction_does_what_its_definition_says() {
    let program = program(ISA);
    proptest!(ProptestConfig::with_cases(1500), |(case in case())| {
        let before = Registers::random(case.setting.vlen, case.seed);
        let after = execute_with(&program, case.setting, &before, case.x5, &[(case.name, &fields(case))]);
        let after = after.map_err(TestCaseError::fail)?;
        prop_assert!(after == expected(case, &before), "registers differ");
    });
}

#[test]
fn a_scalar_is_sign_extended_to_wider_elements() {
    let program = program("rv32imac_zve64x_zvl128b_zvbb_zvbc");
    let setting = Setting::new(128, 64);
    let mut before = Registers::zero(128);
    before.repeat(2, &[0xff], 16);
    before.repeat(3, &[1, 0, 0, 0, 0, 0, 0, 0], 16);
    let after = |name, vs2| {
        let fields = [("vd", 1), ("vs2", vs2), ("rs1", 5), ("vm", 1)];
        let after = execute_with(&program, setting, &before, 0x8000_0001, &[(name, &fields)]);
        element(&after.expect("a legal instruction"), 1, 1, 64)
    };
    assert_eq!(after("VANDN__VX", 2), 0x7fff_fffe);
    assert_eq!(after("VCLMUL__VX", 3), 0xffff_ffff_8000_0001);
}

#[track_caller]
fn refused(setting: Setting, op: Op<'_>, rule: &str) {
    let registers = Registers::random(setting.vlen, 13);
    let found = execute(&program(ISA), setting, &registers, &[op]).map(|_| "no fault");
    assert_eq!(found.unwrap_or_else(|rule| rule), rule, "{op:?} {setting:?}");
}

#[test]
fn carry_less_products_have_64_bits() {
    for name in ["VCLMUL__VV", "VCLMULH__VV", "VCLMUL__VX", "VCLMULH__VX"] {
        for sew in [8, 16, 32] {
            let rule = "carry-less multiplication of vectors is defined for SEW = 64 only";
            refused(Setting::new(256, sew), (name, &[("vd", 1), ("vs2", 2), ("vm", 1)]), rule);
        }
    }
}

#[test]
fn a_widening_shift_has_room_for_twice_the_width() {
    let op: Op<'_> = ("VWSLL__VI", &[("vd", 8), ("vs2", 16), ("vm", 1)]);
    let width = "every operand's element width must be supported: from 8 bits to ELEN";
    refused(Setting::new(256, 64), op, width);
    let size = "a register group must not be larger than 8 registers: EMUL would be 16 or more";
    refused(Setting::new(256, 32).with_lmul(3), op, size);
    let aligned = "a register group must begin at a register number that is a multiple of its EMUL";
    refused(
        Setting::new(256, 32).with_lmul(1),
        ("VWSLL__VI", &[("vd", 10), ("vs2", 16), ("vm", 1)]),
        aligned,
    );
}

#[test]
fn a_masked_instruction_spares_its_mask() {
    let rule = "the destination of a masked instruction must not overlap the mask register v0";
    for name in NAMES {
        let sew = if name.starts_with("VCLMUL") { 64 } else { 32 };
        let setting = Setting::new(256, sew);
        let case = Case { name, setting, registers: [0, 16, 24], masked: true, x5: 0, seed: 0 };
        refused(setting, (name, &fields(case)), rule);
    }
}
