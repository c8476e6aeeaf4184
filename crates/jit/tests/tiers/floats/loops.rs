//! Loops of random instructions, in which flags, rounding modes and the unit's state change from round to round.

use engine::Program;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::{FFLAGS, FRM, MEPC, MSTATUS, PROGRAMS, ROUNDS, Setup, TOHOST, exchange, looped, op, write};
use crate::guest::{BASE, DATA, SIZE};
use crate::numbers::{FORMATS, Format, kind, row};

const CASES: u32 = 500;
/// Random instructions in a loop.
const LENGTH: usize = 8;
/// Most instructions of a run.
const RUN: u64 = 360;

const ARITHMETIC: [&str; 9] = ["FADD", "FSUB", "FMUL", "FDIV", "FSQRT", "FMADD", "FMSUB", "FNMSUB", "FNMADD"];
const SIGNS: [&str; 3] = ["FSGNJ", "FSGNJN", "FSGNJX"];
const NEIGHBOURS: [&str; 6] = ["FMIN", "FMAX", "FLE", "FLT", "FEQ", "FCLASS"];
const CONVERSIONS: [&str; 10] = [
    "FCVT__W__D",
    "FCVT__WU__S",
    "FCVT__D__W",
    "FCVT__S__WU",
    "FCVT__S__D",
    "FCVT__D__S",
    "FCVT__S__H",
    "FCVT__H__S",
    "FCVT__W__H",
    "FCVT__S__W",
];
const MOVES: [&str; 6] = ["FMV__X__W", "FMV__W__X", "FMV__X__H", "FMV__H__X", "FMV__X__D", "FMV__D__X"];
const ACCESSES: [&str; 6] = ["FLW", "FLD", "FLH", "FSW", "FSD", "FSH"];
const COMPRESSED: [&str; 4] = ["C__FLD", "C__FSD", "C__FLDSP", "C__FSDSP"];
const COMPRESSED_NARROW: [&str; 4] = ["C__FLW", "C__FSW", "C__FLWSP", "C__FSWSP"];

/// An instruction of a loop.
#[derive(Clone, Debug)]
struct Choice {
    form: u32,
    which: Index,
    format: Index,
    registers: [i64; 4],
    integer: i64,
    base: i64,
    rounding: i64,
    offset: i64,
}

fn choice() -> impl Strategy<Value = Choice> {
    let register = || 8..14i64;
    let registers = (register(), register(), register(), register()).prop_map(|(d, a, b, c)| [d, a, b, c]);
    let operands = (
        select(&[0i64, 12, 13, 13, 14, 15][..]),
        select(&[8i64, 8, 8, 8, 9, 9, 9, 9, 9, 10, 11][..]),
        select(&[7i64, 7, 7, 7, 7, 0, 0, 0, 0, 1, 2, 3, 4, 5][..]),
        prop_oneof![3 => (-4..4i64).prop_map(|index| 8 * index), 1 => -33..33i64, 1 => select(&[-2048, 2047][..])],
    );
    (0..64u32, any::<[Index; 2]>(), registers, operands).prop_map(
        |(form, [which, format], registers, (integer, base, rounding, offset))| Choice {
            form,
            which,
            format,
            registers,
            integer,
            base,
            rounding,
            offset,
        },
    )
}

fn word(program: &Program, is_narrow: bool, usual: Format, choice: &Choice) -> u32 {
    let &Choice { form, which, format, registers: [d, a, b, c], integer, base, rounding, offset } = choice;
    let format = if format.index(5) > 0 { usual } else { *format.get(&FORMATS) };
    let pick = |names: &[&'static str]| names[which.index(names.len())];
    let floats = [("rd", d), ("rs1", a), ("rs2", b), ("rs3", c), ("rm", rounding)];
    let named =
        |name: &str, fields: &[(&str, i64)]| op(program, &format!("{name}__{}", format.letter), fields);
    match form {
        0..32 => named(pick(&ARITHMETIC), &floats),
        32..35 => named(pick(&SIGNS), &floats),
        35..38 => {
            let name = pick(&NEIGHBOURS);
            let to = if matches!(name, "FMIN" | "FMAX") { d } else { integer };
            named(name, &[("rd", to), ("rs1", a), ("rs2", b)])
        }
        38..40 => {
            let name = pick(&CONVERSIONS);
            let to = if name.starts_with("FCVT__W") { integer } else { d };
            let from = if name.ends_with('W') || name.ends_with("WU") { integer } else { a };
            op(program, name, &[("rd", to), ("rs1", from), ("rm", rounding)])
        }
        40..45 => {
            let name = MOVES[which.index(if is_narrow { 4 } else { 6 })];
            let (to, from) = if name.starts_with("FMV__X") { (integer, a) } else { (d, integer) };
            op(program, name, &[("rd", to), ("rs1", from)])
        }
        45..53 => op(program, pick(&ACCESSES), &[("rd", d), ("rs1", base), ("rs2", b), ("imm", offset)]),
        53..57 => {
            let is_single = is_narrow && form == 53;
            let name = pick(if is_single { &COMPRESSED_NARROW } else { &COMPRESSED });
            let uimm = offset & if is_single { 0x7c } else { 0xf8 };
            // Three bits for a register are one from 8 on.
            let less = if name.ends_with("SP") { 0 } else { 8 };
            op(program, name, &[("rd", d - less), ("rs1", base - 8), ("rs2", b - less), ("uimm", uimm)])
        }
        57..59 => exchange(program, FFLAGS, 17),
        59 => exchange(program, FRM, 18),
        60 => op(program, "CSRRS", &[("csr", MSTATUS), ("rs1", 21)]),
        61 => op(program, "CSRRC", &[("csr", MSTATUS), ("rs1", 20)]),
        62 => exchange(program, MSTATUS, 19),
        _ => op(program, "ADDI", &[("rd", base), ("rs1", base), ("imm", offset & 0xf)]),
    }
}

/// Goes on after the instruction that trapped; also with the unit on and a rounding mode there is.
fn handler(program: &Program, restores: bool) -> Vec<u32> {
    let mut words = vec![
        op(program, "CSRRS", &[("rd", 30), ("csr", MEPC)]),
        op(program, "LBU", &[("rd", 29), ("rs1", 30)]),
        op(program, "ANDI", &[("rd", 29), ("rs1", 29), ("imm", 3)]),
        op(program, "SLTIU", &[("rd", 29), ("rs1", 29), ("imm", 3)]),
        op(program, "BNE", &[("rs1", 29), ("imm", 8)]),
        op(program, "ADDI", &[("rd", 30), ("rs1", 30), ("imm", 2)]),
        op(program, "ADDI", &[("rd", 30), ("rs1", 30), ("imm", 2)]),
        write(program, MEPC, 30),
    ];
    if restores {
        words.push(op(program, "CSRRS", &[("csr", MSTATUS), ("rs1", 21)]));
        words.push(write(program, FRM, 0));
    }
    words.push(op(program, "MRET", &[]));
    words
}

/// Reads four registers' new values from where x8 walks.
fn renew(program: &Program) -> Vec<u32> {
    let load = |index: i64| op(program, "FLD", &[("rd", 8 + index), ("rs1", 8), ("imm", 8 * index)]);
    let mut words: Vec<u32> = (0..4).map(load).collect();
    words.push(op(program, "ADDI", &[("rd", 8), ("rs1", 8), ("imm", 32)]));
    words
}

#[test]
fn both_tiers_give_the_same_numbers_flags_and_faults() {
    let control = (
        select(&[1u64, 1, 1, 1, 0, 0x1f, 0x1e][..]),
        select(&[0u64, 0, 0, 0, 0, 1, 2, 3, 4, 5, 7][..]),
        select(&[0u64, 1, 1, 4, 6][..]),
        select(&[0x7800u64, 0x7800, 0x5800, 0x3800, 0x1800][..]),
        0..4u32,
    );
    let places = (select(&[0u64, 8, 1, 3, 6][..]), 0..24u64, 0..24u64);
    let case = (
        proptest::collection::vec(choice(), LENGTH),
        (select(&[0usize, 0, 0, 1, 1, 1, 2][..]), [kind(), kind()], any::<[u64; 2]>()),
        control,
        places,
        (any::<bool>(), 0..4u32, select(&[7u64, 45, RUN, RUN][..])),
    );
    let seed = RngSeed::Fixed(0xf10a75);
    let config = Config { cases: CASES, rng_seed: seed, failure_persistence: None, ..Config::default() };
    let entered = std::cell::Cell::new(0);
    let outcome =
        TestRunner::new(config).run(&case, |(choices, (format, kinds, seeds), control, places, more)| {
            let (flags, rounding, other_rounding, status, traps) = control;
            let (odd, end, tohost) = places;
            let (is_narrow, threshold, steps) = more;
            let (program, format) = (&*PROGRAMS[usize::from(is_narrow)], FORMATS[format]);
            let before = [write(program, FFLAGS, 16), write(program, FRM, 22)];
            let mut again = renew(program);
            again.extend(choices.iter().map(|choice| word(program, is_narrow, format, choice)));
            let mut setup = Setup::new(program, looped(program, &before, &again));
            let random = |index: u32| seeds[0].rotate_left(11 * index);
            (setup.x[2], setup.x[8], setup.x[9]) = (DATA + 0x300, DATA + 0x40, DATA + 0x100 + odd);
            (setup.x[10], setup.x[11]) = (BASE + SIZE as u64 - end, TOHOST - tohost + 8);
            for register in 12..16 {
                setup.x[register as usize] = random(register);
            }
            (setup.x[16], setup.x[17], setup.x[18], setup.x[19]) = (flags, flags ^ 1, other_rounding, status);
            (setup.x[20], setup.x[21], setup.x[22]) = (0x2000, 0x6000, rounding);
            setup.x[ROUNDS as usize] = 30;
            setup.data = row(format, kinds, seeds[1], 200);
            setup.floats = row(format, kinds, seeds[0], 32);
            if traps > 0 {
                setup.handler = handler(program, traps > 1);
            }
            let times = setup.assert_equal_tiers(steps, RUN.div_ceil(steps), threshold);
            entered.set(entered.get() + times);
            Ok(())
        });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(entered.get() > 2 * CASES as usize, "hardly anything was compiled");
}
