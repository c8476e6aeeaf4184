//! An instruction gives the same numbers and flags as with a mask of ones: masked instructions do one element after the
//! other, and as long as no flag is raised before, none of them is left to the host's arithmetic.

use std::cell::Cell;

use coredsl::ir::Instruction;
use engine::Program;
use hart::AgnosticFill;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::machine::{Left, Length, Setting, execute};
use crate::numbers::{Numbers, groups};
use crate::{CASES, guest, tier};

const ISAS: [&str; 2] = ["rv64gcv_zvfh_zvfbfmin_zvfbfwma", "rv32gcv_zvfh_zvfbfmin_zvfbfwma"];
/// The reserved rounding modes are tried, too.
const MODES: [u64; 10] = [0, 0, 0, 0, 0, 1, 2, 3, 4, 5];
const INEXACT: u64 = 1;

/// Which registers the destination is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Destination {
    Apart,
    First,
    Second,
}

/// An instruction's operands, and what its effect depends on.
#[derive(Clone, Debug)]
pub struct Case {
    isa: usize,
    pub setting: Setting,
    pub fields: Vec<(&'static str, i64)>,
    pub fflags: u64,
}

/// Bits of elements of `vd`, `vs2` and `vs1` where SEW is `sew`; a mask has one.
fn widths(name: &str, sew: u32) -> [u32; 3] {
    let (operation, form) = name.split_once("__").expect("a form");
    let vd = if operation.starts_with("VMF") { 1 } else { sew << u32::from(operation.starts_with("VFW")) };
    let is_wide = form.starts_with('W') || form.ends_with('W');
    let vs1 = if operation.starts_with("VFWRED") { 2 * sew } else { sew };
    [vd, sew << u32::from(is_wide), vs1]
}

/// First registers of the operands where a group of SEW is 2^`lmul` of them. A destination that shares registers with a
/// narrower source has it at its end.
fn registers([vd, vs2, vs1]: [u32; 3], lmul: i32, destination: Destination) -> [i64; 3] {
    let end = |source: u32| if vd > source && lmul >= 0 { 1i64 << lmul } else { 0 };
    match destination {
        Destination::Apart => [24, 8, 16],
        Destination::First => [8, 8 + end(vs2), 16],
        Destination::Second => [16, 8, 16 + end(vs1)],
    }
}

fn case(name: &str) -> impl Strategy<Value = Case> + use<> {
    let name = name.to_owned();
    let setting = (0..4u32, -2..4i32, select(&[128u32, 256, 512][..]), any::<(bool, bool)>());
    let length = (
        select(&[Length::Register, Length::Register, Length::Immediate, Length::Longest][..]),
        prop_oneof![0..70u64, 0..9u64],
    );
    let destination =
        select(&[Destination::Apart, Destination::Apart, Destination::First, Destination::Second][..]);
    let control = (
        select(&MODES[..]),
        select(&[0x7e00u64, 0x7e00, 0x3e00, 0x5e00, 0x5a00, 0x1e00][..]),
        select(&[0, 1, 1, 1, 3, 0x10, 0x1e, 0x1f][..]),
        0..12u32,
    );
    (0..ISAS.len(), setting, length, destination, control, groups()).prop_map(
        move |(isa, (sew, lmul, vlen, (agnostic, ones)), (length, vl), destination, control, groups)| {
            let (frm, status, fflags, boxing) = control;
            let bits = 8 << sew;
            let widths = widths(&name, bits);
            let [vd, vs2, vs1] = registers(widths, lmul, destination);
            let second = if name.ends_with('F') { ("rs1", 1) } else { ("vs1", vs1) };
            let wanted = groups[2].number(bits, 99);
            let scalar = if boxing == 0 { wanted } else { wanted | u64::MAX.checked_shl(bits).unwrap_or(0) };
            let setting = Setting {
                vlen,
                fill: if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed },
                zimm: i64::from(lmul & 7) | i64::from(sew) << 3 | if agnostic { 0xc0 } else { 0 },
                length,
                vl,
                frm,
                status,
                scalar,
                registers: file(vlen as usize / 8, widths, groups),
            };
            Case { isa, setting, fields: vec![("vd", vd), ("vs2", vs2), second], fflags }
        },
    )
}

/// Ones in v0, then groups of eight registers: that of `vs2`, that of `vs1` and that of `vd`.
fn file(vlenb: usize, [vd, vs2, vs1]: [u32; 3], [d, a, b]: [Numbers; 3]) -> Vec<u8> {
    let group = |numbers: Numbers, bits: u32| numbers.bytes(bits.clamp(8, 64), 8 * vlenb);
    [vec![0xff; vlenb], vec![0x5a; 7 * vlenb], group(a, vs2), group(b, vs1), group(d, vd)].concat()
}

/// Those that may be masked.
fn instructions() -> Vec<Instruction> {
    let program = guest::program(ISAS[0]);
    let is_one = |instruction: &&Instruction| {
        let name = &instruction.name;
        (name.starts_with("VF") || name.starts_with("VMF"))
            && name != "VFIRST__M"
            && instruction.encoding.fields.iter().any(|field| field.name == "vm")
    };
    program.module().instructions.iter().filter(is_one).cloned().collect()
}

/// Tries instructions with these operands, often enough that they are legal: `law` says whether it was.
pub fn try_all(
    is_in: fn(&str) -> bool,
    cases: u32,
    law: impl Fn(&Program, &Case, &dyn Fn(bool) -> u32) -> Result<bool, TestCaseError>,
) {
    let programs = ISAS.map(guest::program);
    let found: Vec<Instruction> =
        instructions().into_iter().filter(|instruction| is_in(&instruction.name)).collect();
    assert!(!found.is_empty());
    for instruction in found {
        let (name, legal) = (&instruction.name, Cell::new(0));
        let config = Config {
            cases,
            rng_seed: RngSeed::Fixed(0x1a3),
            failure_persistence: None,
            max_shrink_iters: 300,
            ..Config::default()
        };
        let outcome = TestRunner::new(config).run(&case(name), |case| {
            let has = |field: &str| instruction.encoding.fields.iter().any(|found| found.name == field);
            let word = |masked: bool| {
                let fields = case.fields.iter().copied().filter(|&(field, _)| has(field));
                let fields: Vec<(&str, i64)> = fields.chain([("vm", i64::from(!masked))]).collect();
                guest::with_fields(&instruction, &fields)
            };
            legal.set(legal.get() + u32::from(law(&programs[case.isa], &case, &word)?));
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(legal.get() >= cases / 30, "{name} is hardly ever legal: {} times", legal.get());
    }
}

fn check(is_in: fn(&str) -> bool) {
    try_all(is_in, CASES, |program, case, word| {
        let expected = execute(program, &case.setting, word(true), 0, |machine| machine);
        let found = execute(program, &case.setting, word(false), case.fflags, tier::prepare);
        let is_legal = expected.is_ok();
        let expected = expected.map(|left| Left { fflags: left.fflags | case.fflags, ..left });
        prop_assert_eq!(found, expected);
        Ok(is_legal && case.fflags & INEXACT != 0)
    });
}

fn is_conversion(name: &str) -> bool {
    name.contains("CVT")
}

fn is_wide(name: &str) -> bool {
    name.starts_with("VFW") && !is_conversion(name)
}

#[test]
fn conversions_are_those_of_each_element() {
    check(is_conversion);
}

#[test]
fn wide_results_are_those_of_each_element() {
    check(is_wide);
}

#[test]
fn comparisons_and_reductions_are_those_of_each_element() {
    check(|name| !is_wide(name) && (name.starts_with("VMF") || name.contains("RED")));
}

#[test]
fn arithmetic_is_that_of_each_element() {
    check(|name| !is_conversion(name) && !is_wide(name) && !name.starts_with("VMF") && !name.contains("RED"));
}
