//! Long blocks of accesses through a few registers, near where memory ends.

use engine::{Program, Stop};
use hart::pages::PAGE;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::effort::{effort, runner};
use crate::guest::program;
use crate::layouts::Layout;
use crate::{Instruction, access, assert_same_memory, begin, immediate, pair, words};

/// Registers of addresses and of data; what is made of them; a table of addresses; the loop's counter; a distance.
const BASES: [i64; 3] = [5, 6, 7];
const DATA: std::ops::Range<i64> = 10..16;
const SUM: i64 = 16;
const INDEX: i64 = 17;
const TABLE: i64 = 18;
const COUNTER: i64 = 19;
const DISTANCE: i64 = 20;
/// Distance of the table from the first instruction, and its entries.
const TABLE_AT: u64 = 0x3c0;
const ENTRIES: i64 = 6;

/// What an address is, besides a register.
#[derive(Clone, Copy, Debug)]
enum Plus {
    Nothing,
    Masked(i64, i64),
    /// What shifts up and further down leave.
    Shifted(i64, i64),
    Rounded(i64),
    Distance,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Access(Index, usize, Plus, i64, i64),
    Move(usize, i64),
    Copy(usize, usize),
    /// A base is loaded anew.
    Reload(usize, i64),
    Change(usize),
    Compute(&'static str, i64, i64, i64),
    /// Passes the next step by, or not.
    Skip(i64, i64),
}

fn step() -> impl Strategy<Value = Step> {
    let data = || DATA;
    let base = || 0..BASES.len();
    let offset =
        prop_oneof![6 => -24..=24i64, 2 => select(&[-2048, -1024, -512, 256, 1000, 1023, 2040, 2047][..])];
    let plus = prop_oneof![
        10 => Just(Plus::Nothing),
        1 => (data(), select(&[7, 60, 255, 1020][..])).prop_map(|(data, mask)| Plus::Masked(data, mask)),
        1 => (data(), 56..63i64).prop_map(|(data, down)| Plus::Shifted(data, down)),
        1 => select(&[8, 16, 64][..]).prop_map(Plus::Rounded),
        1 => Just(Plus::Distance),
    ];
    let compute = select(&["ADD", "XOR", "SUB", "AND", "SLL"][..]);
    prop_oneof![
        24 => (any::<Index>(), base(), plus, data(), offset)
            .prop_map(|(which, base, plus, data, offset)| Step::Access(which, base, plus, data, offset)),
        5 => (base(), select(&[-64, -16, -9, -4, 1, 4, 8, 15, 48][..])).prop_map(|(base, by)| Step::Move(base, by)),
        1 => (base(), base()).prop_map(|(base, from)| Step::Copy(base, from)),
        2 => (base(), 0..ENTRIES).prop_map(|(base, entry)| Step::Reload(base, entry)),
        1 => base().prop_map(Step::Change),
        10 => (compute, data(), data(), data()).prop_map(|(name, rd, a, b)| Step::Compute(name, rd, a, b)),
        3 => (data(), data()).prop_map(|(a, b)| Step::Skip(a, b)),
    ]
}

const NAMES: [&str; 12] = ["LB", "LBU", "LH", "LW", "SB", "SH", "SW", "LD", "SD", "SD", "FLD", "FSD"];

impl Step {
    fn words(self, program: &Program) -> Vec<u32> {
        let rv32 = program.isa().xlen() == isa::Xlen::Rv32;
        let three = |name, rd: i64, a: i64, b: i64| (name, vec![("rd", rd), ("rs1", a), ("rs2", b)]);
        let shift = |name, rd: i64, by: i64| (name, vec![("rd", INDEX), ("rs1", rd), ("shamt", by)]);
        let all = match self {
            Self::Access(which, base, plus, data, offset) => {
                let name = if rv32 { *which.get(&NAMES[..7]) } else { *which.get(&NAMES) };
                let base = BASES[base];
                let least = if rv32 { 32 } else { 0 };
                let mut all = match plus {
                    Plus::Nothing => return words(program, [access(name, data, base, offset)]),
                    Plus::Masked(data, mask) => vec![immediate("ANDI", INDEX, data, mask)],
                    Plus::Shifted(data, by) => {
                        vec![shift("SLLI", data, 56 - least), shift("SRLI", INDEX, by - least)]
                    }
                    Plus::Rounded(by) => vec![immediate("ANDI", SUM, base, -by)],
                    Plus::Distance => vec![three("ADD", SUM, DISTANCE, base)],
                };
                if matches!(plus, Plus::Masked(..) | Plus::Shifted(..)) {
                    all.push(three("ADD", SUM, base, INDEX));
                }
                all.push(access(name, data, SUM, offset));
                all
            }
            Self::Move(base, by) => vec![immediate("ADDI", BASES[base], BASES[base], by)],
            Self::Copy(base, from) => vec![immediate("ADDI", BASES[base], BASES[from], 0)],
            Self::Reload(base, at) => {
                vec![access(if rv32 { "LW" } else { "LD" }, BASES[base], TABLE, 8 * at)]
            }
            Self::Change(base) => vec![immediate("XORI", BASES[base], BASES[base], 8)],
            Self::Compute(name, rd, a, b) => vec![three(name, rd, a, b)],
            Self::Skip(a, b) => vec![("BLTU", vec![("rs1", a), ("rs2", b), ("imm", 8)])],
        };
        words(program, all)
    }
}

/// A place where nothing ends, within what may be stored to.
fn quiet(layout: Layout) -> u64 {
    match layout {
        Layout::Flat { base, size, .. } => base + (size - if size > 0x1000 { 0xb00 } else { 0x60 }),
        Layout::Pages { writable, .. } => writable.0 + PAGE / 2,
    }
}

/// Blocks of at least 16 instructions, each begun several times with other addresses, paused or not; some are loops.
fn check(isa: &str, salt: u64) {
    let program = program(isa);
    let (faults, runs) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for layout in Layout::all(isa.starts_with("rv32")) {
        let edges = layout.edges();
        let address = prop_oneof![
            3 => (-64..64i64).prop_map(move |near| quiet(layout).wrapping_add_signed(near)),
            2 => (0..3usize, -72..72i64)
                .prop_map(move |(edge, near)| edges[edges.len() - 6 - edge].wrapping_add_signed(near)),
        ];
        let registers = (
            proptest::collection::vec(address, BASES.len() + ENTRIES as usize),
            proptest::collection::vec(any::<u64>(), DATA.count()),
        );
        let run = (registers, 1..12u64, proptest::collection::vec(1..60u64, 3));
        let case = (
            proptest::collection::vec(step(), 18..40),
            any::<bool>(),
            0..3u32,
            proptest::collection::vec(run, 6),
        );
        let outcome = runner(40 * effort(), salt).run(&case, |(steps, is_loop, after, all)| {
            let mut code: Vec<u32> = steps.iter().flat_map(|step| step.words(&program)).collect();
            if is_loop {
                let back = -4 * (code.len() as i64 + 1);
                let branch = ("BNE", vec![("rs1", COUNTER), ("rs2", 0), ("imm", back)]);
                code.extend(words(&program, [immediate("ADDI", COUNTER, COUNTER, -1), branch]));
            }
            code.extend(words(&program, [("JAL", vec![("imm", 0)])]));
            let context = || format!("{isa}, {layout:x?}, {steps:?}");
            let mut pair = pair(&program, layout, &code, after);
            for ((addresses, data), trips, parts) in all {
                let table = layout.code().wrapping_add(TABLE_AT);
                let set = BASES.into_iter().zip(addresses.clone()).chain(DATA.zip(data));
                begin(
                    &mut pair,
                    &program,
                    layout,
                    set.chain([
                        (TABLE, table),
                        (COUNTER, trips),
                        (DISTANCE, trips.wrapping_mul(5).wrapping_sub(20)),
                    ]),
                );
                let entries: Vec<u8> =
                    addresses[BASES.len()..].iter().flat_map(|entry| entry.to_le_bytes()).collect();
                pair.each(|machine| match machine.memory.pages_mut() {
                    Some(pages) => {
                        pages.raw_mut(table, entries.len()).expect("room").copy_from_slice(&entries)
                    }
                    None => machine
                        .memory
                        .slice_mut(hart::Address(table), entries.len())
                        .expect("room")
                        .copy_from_slice(&entries),
                });
                runs.set(runs.get() + 1);
                let mut faulted = 0;
                for part in parts.into_iter().chain([(trips + 1) * code.len() as u64]) {
                    match pair.run(part, context) {
                        Stop::InstructionLimit => continue,
                        // A handler goes on after the instruction.
                        Stop::Fault(_) if faulted < 3 => pair.skip(),
                        _ => break,
                    }
                    faulted += 1;
                }
                faults.set(faults.get() + u32::from(faulted > 0));
                assert_same_memory(&mut pair, layout, context);
            }
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
    let (faults, runs) = (faults.get(), runs.get());
    assert!(faults * 3 > runs && faults * 10 < runs * 9, "{faults} of {runs} runs end early");
}

#[test]
fn rv32_long_blocks() {
    check("rv32i_zicsr", 0xa4ead);
}

#[test]
fn rv64_long_blocks() {
    check("rv64ifd_zicsr", 0xa4ead);
}

/// Of ten stores, moves and copies of their addresses between them, each in turn is the first that may not be executed, or
/// that is an event: those before it have stored, and nothing after it has.
#[test]
fn every_store_of_a_block_as_the_first_to_fail() {
    let program = program("rv64i_zicsr");
    for moved in [false, true] {
        let store = |index: i64| {
            let (base, offset) = if moved { (6 + index % 2, 0) } else { (5, 8 * index) };
            let next = immediate("ADDI", 6 + (index + 1) % 2, 6 + index % 2, 8);
            let data = immediate("ADDI", 10 + index, 10 + index, 5);
            [access("SD", 10 + index, base, offset), if moved { next } else { data.clone() }, data]
        };
        let all = [immediate("ADDI", 6, 5, 0)].into_iter().chain((0..10).flat_map(store));
        let code = words(&program, all.chain([("JAL", vec![("imm", 0)])]));
        for layout in Layout::all(false) {
            let mut pair = pair(&program, layout, &code, 0);
            let edges = layout.edges();
            let aims =
                edges.iter().flat_map(|edge| (-11..=2).map(move |first| edge.wrapping_add_signed(8 * first)));
            for aim in aims.flat_map(|aim| [-1, 0, 1].map(|near| aim.wrapping_add_signed(near))) {
                let context = || format!("from {aim:#x}, {layout:x?}, moved {moved}");
                let data = (10..20).map(|register| (register, 0x0102_0304_0506_0700 + register as u64));
                begin(&mut pair, &program, layout, data.chain([(5, aim)]));
                pair.run(code.len() as u64 + 1, context);
            }
            assert_same_memory(&mut pair, layout, || format!("{layout:x?}, moved {moved}"));
        }
    }
}

/// What makes an address in x7 of x5, and the values of x5 and x12 that lead to `aim`.
fn ways(aim: u64, index: u64) -> Vec<(Vec<Instruction<'static>>, u64, u64)> {
    let add = |rd: i64, a: i64, b: i64| ("ADD", vec![("rd", rd), ("rs1", a), ("rs2", b)]);
    let shift = |name, rd: i64, rs1: i64, by: i64| (name, vec![("rd", rd), ("rs1", rs1), ("shamt", by)]);
    let unit = |name, rd: i64, rs1: i64| (name, vec![("rd", rd), ("rs1", rs1)]);
    let (quiet, copy) = (0x8000_2400, immediate("ADDI", 7, 5, 0));
    let shifted = |by| [shift("SLLI", 11, 12, 56), shift("SRLI", 11, 11, by), add(7, 5, 11)];
    let change = immediate("XORI", 5, 5, 8);
    vec![
        (vec![immediate("ANDI", 11, 12, 255), add(7, 11, 5)], aim.wrapping_sub(index), 0xf00 | index),
        (shifted(58).to_vec(), aim.wrapping_sub(index >> 2), 0xf00 | index),
        (vec![immediate("ANDI", 7, 5, -64), immediate("ADDI", 7, 7, 32)], aim.wrapping_add(index & 63), 0),
        (vec![add(7, 5, 12)], quiet, aim.wrapping_sub(quiet)),
        // By way of a unit, which says of no register what it is the sum of.
        (vec![unit("FMV__D__X", 1, 12), unit("FMV__X__D", 5, 1), copy.clone()], quiet, aim),
        // Not a sum of what is known where the block begins.
        ([change].into_iter().chain(shifted(56)).collect(), aim.wrapping_sub(index) ^ 8, 0xf00 | index),
        (vec![access("LD", 11, 5, 0), copy.clone()], aim, 0),
        (vec![access("SD", 11, 5, 0), copy], aim, 0),
    ]
}

/// One access of a long block through each kind of address, around every edge.
#[test]
fn every_kind_of_address() {
    let program = program("rv64ifd_zicsr");
    for layout in Layout::all(false) {
        for (name, way) in
            ["LBU", "SD", "FLD", "FSD"].iter().flat_map(|name| (0..8).map(move |way| (name, way)))
        {
            let fill = (0..16).map(|index| immediate("ADDI", 10, 10, index));
            // Through the register itself, where a check of the other kind stands before.
            let base = if way < 6 { 7 } else { 5 };
            let block = ways(0, 0)[way].0.clone().into_iter().chain([access(name, 10, base, 0)]).chain(fill);
            let code = words(&program, block.chain([("JAL", vec![("imm", 0)])]));
            let mut pair = pair(&program, layout, &code, 0);
            for (edge, near) in layout
                .edges()
                .into_iter()
                .flat_map(|edge| [-64, -9, -8, -7, -1, 0, 1, 8].map(|near| (edge, near)))
            {
                for index in [0, 0x5d, 0xff] {
                    let (_, x5, x12) = ways(edge.wrapping_add_signed(near), index)[way];
                    begin(&mut pair, &program, layout, [(5, x5), (10, 1 << 40), (11, 0x1100), (12, x12)]);
                    let context = || format!("{name}, {way}, {edge:#x} {near:+}, {index}, {layout:x?}");
                    pair.run(code.len() as u64 + 1, context);
                }
            }
            assert_same_memory(&mut pair, layout, || format!("{name}, {way}, {layout:x?}"));
        }
    }
}
