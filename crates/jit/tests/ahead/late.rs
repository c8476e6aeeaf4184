//! Loads among instructions that access the same bytes and overwrite their registers and addresses, up to one that fails:
//! where in a block they are compiled shows in no register, in no byte and in no count.

use engine::{Program, Stop};
use hart::csr::{Clock, number};
use hart::pages::PAGE;
use hart::{Address, Memory};
use isa::Vlen;
use proptest::prelude::*;
use proptest::sample::select;

use crate::effort::{effort, runner};
use crate::guest::program;
use crate::layouts::Layout;
use crate::pair::Pair;
use crate::{Instruction, access, assert_same_memory, begin, immediate, words};

const ISA: &str = "rv64imafdv_zicsr_zifencei";
/// Without and with ranges that are looked up before the first trip of a loop.
const LAYOUTS: [Layout; 2] = [
    Layout::Flat { base: 0x8000_0000, size: 0x4000, tohost: None, other: None },
    Layout::Pages { size: 8 * PAGE, readable: (PAGE, 6 * PAGE), writable: (3 * PAGE, 7 * PAGE) },
];
/// Registers of addresses, of data, of an address that stays, and of trips.
const BASES: [i64; 3] = [5, 6, 7];
const DATA: std::ops::Range<i64> = 10..14;
const TABLE: i64 = 18;
const COUNTER: i64 = 19;
/// Doublewords that are accessed, each of which holds the address of another.
const AREA: u64 = 32;

/// Where they are.
fn area(layout: Layout) -> u64 {
    layout.code() + 3 * PAGE - PAGE / 2
}

/// Where memory ends for loads, and begins for stores if there is less of it for them.
fn ends(layout: Layout) -> [u64; 2] {
    match layout {
        Layout::Flat { base, size, .. } => [base + size; 2],
        Layout::Pages { readable, writable, .. } => [readable.1, writable.0],
    }
}

fn three(name: &'static str, rd: i64, rs1: i64, rs2: i64) -> Instruction<'static> {
    (name, vec![("rd", rd), ("rs1", rs1), ("rs2", rs2)])
}

fn vector(name: &'static str, base: i64) -> Instruction<'static> {
    let register = if name.starts_with("VS") { "vs3" } else { "vd" };
    (name, vec![(register, 8), ("rs1", base), ("vm", 1)])
}

/// Two doublewords in each vector register from now on; what follows is a block of its own, because no address is known
/// after a unit.
fn before() -> Vec<Instruction<'static>> {
    vec![("VSETVLI", vec![("rd", 30), ("rs1", 0), ("zimm", 0x18)]), ("JAL", vec![("imm", 4)])]
}

fn step() -> impl Strategy<Value = Instruction<'static>> {
    let (data, base, near) = (|| DATA, || select(&BASES[..]), -12..=12i64);
    let loads = select(&["LD", "LD", "LW", "LWU", "LH", "LBU", "LB"][..]);
    let stores = select(&["SD", "SD", "SW", "SH", "SB"][..]);
    let atomics = select(&["AMOADD__D", "AMOSWAP__W", "SC__D", "LR__D"][..]);
    prop_oneof![
        10 => (loads, data(), base(), near.clone()).prop_map(|(name, rd, base, near)| access(name, rd, base, near)),
        4 => (stores, data(), base(), near).prop_map(|(name, data, base, near)| access(name, data, base, near)),
        1 => (atomics, data(), base(), data()).prop_map(|(name, rd, base, data)| match name {
            "LR__D" => (name, vec![("rd", rd), ("rs1", base)]),
            _ => three(name, rd, base, data),
        }),
        1 => (select(&["FLD", "FSD"][..]), data(), base()).prop_map(|(name, data, base)| access(name, data, base, 4)),
        1 => (select(&["VLE64__V", "VSE64__V"][..]), base()).prop_map(|(name, base)| vector(name, base)),
        2 => (base(), select(&[-8, 8, 16][..])).prop_map(|(base, by)| immediate("ADDI", base, base, by)),
        2 => (base(), 0..8i64).prop_map(|(base, entry)| access("LD", base, TABLE, 8 * entry)),
        1 => base().prop_map(|base| access("LD", base, base, 0)),
        // What is accessed there then is not checked ahead.
        2 => base().prop_map(|base| immediate("XORI", base, base, 8)),
        4 => (select(&["ADD", "XOR", "SUB"][..]), data(), data(), data())
            .prop_map(|(name, rd, a, b)| three(name, rd, a, b)),
        2 => (data(), -9..9i64).prop_map(|(rd, value)| immediate("ADDI", rd, 0, value)),
    ]
}

/// Both tiers with the vector unit on.
fn pair<'p>(program: &'p Program, layout: Layout, code: &[u32], after: u32) -> Pair<'p> {
    let mut pair = crate::pair(program, layout, code, after);
    pair.each(|machine| {
        machine.hart.vector.set_vlen(Vlen::new(128).expect("a vector length"));
        machine.hart.csrs.write(number::MSTATUS.into(), 0x6600, Clock::default()).expect("it may be written");
    });
    pair
}

/// Fills the area, and as much before it, which nothing stores to on purpose.
fn fill(pair: &mut Pair<'_>, layout: Layout) {
    let at = area(layout);
    let entries = (0..2 * AREA).map(|index| at + 8 * ((5 * index + 3) % AREA));
    let bytes: Vec<u8> = entries.flat_map(u64::to_le_bytes).collect();
    let start = at - 8 * AREA;
    let put = |memory: &mut Memory| match memory.pages_mut() {
        Some(pages) => pages.raw_mut(start, bytes.len()).expect("room").copy_from_slice(&bytes),
        None => memory.slice_mut(Address(start), bytes.len()).expect("room").copy_from_slice(&bytes),
    };
    pair.each(|machine| put(&mut machine.memory));
}

#[test]
fn loads_among_all_that_they_must_not_pass() {
    let program = program(ISA);
    let (faults, runs) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for layout in LAYOUTS {
        // Two addresses less than an access apart, or the same one; in every other run, a third that soon ends.
        let run = (4..AREA - 4, -1..=1i64, 0..2usize, -3..=3i64, any::<bool>(), 1..6u64, 1..40u64);
        let case =
            (proptest::collection::vec(step(), 16..30), any::<bool>(), proptest::collection::vec(run, 4));
        let outcome = runner(50 * effort(), 0x1a7e).run(&case, |(steps, is_loop, all)| {
            let mut body = before();
            let back = -4 * (steps.len() as i64 + 1);
            body.extend(steps);
            if is_loop {
                body.push(immediate("ADDI", COUNTER, COUNTER, -1));
                body.push(("BNE", vec![("rs1", COUNTER), ("rs2", 0), ("imm", back)]));
            }
            let context = || format!("{layout:x?}, {body:?}");
            let code = words(&program, body.iter().cloned().chain([("JAL", vec![("imm", 0)])]));
            let mut pair = pair(&program, layout, &code, 0);
            for (index, apart, end, near, is_near, trips, part) in all {
                let at = area(layout) + 8 * index;
                let third = if is_near { ends(layout)[end].wrapping_add_signed(8 * near) } else { at + 8 };
                let table = area(layout) - 8 * AREA;
                let set = [
                    (5, at),
                    (6, at.wrapping_add_signed(8 * apart)),
                    (7, third),
                    (TABLE, table),
                    (COUNTER, trips),
                ];
                fill(&mut pair, layout);
                begin(
                    &mut pair,
                    &program,
                    layout,
                    DATA.map(|data| (data, 0x0123_4567_89ab_cdef << data)).chain(set),
                );
                let mut faulted = 0;
                for part in [part, trips * code.len() as u64] {
                    match pair.run(part, context) {
                        Stop::InstructionLimit => continue,
                        // A handler goes on after the instruction.
                        Stop::Fault(_) if faulted < 2 => pair.skip(),
                        _ => break,
                    }
                    faulted += 1;
                }
                runs.set(runs.get() + 1);
                faults.set(faults.get() + u32::from(faulted > 0));
                assert_same_memory(&mut pair, layout, context);
            }
            assert!(pair.seen.compiled.get() > 0, "{}", context());
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
    let (faults, runs) = (faults.get(), runs.get());
    assert!(faults * 4 > runs && faults * 5 < runs * 4, "{faults} of {runs} runs end early");
}

/// Loads, then one instruction that changes some of their bytes, fails or leads elsewhere, then what uses them.
#[test]
fn each_instruction_after_a_load_of_the_same_bytes() {
    let program = program(ISA);
    let all = [
        access("SD", 11, 6, 0),
        access("SB", 11, 6, 3),
        access("SW", 11, 5, 4),
        three("AMOADD__W", 14, 6, 11),
        three("AMOSWAP__D", 0, 6, 11),
        three("AMOMAXU__D", 14, 5, 11),
        three("SC__D", 14, 6, 11),
        access("FSD", 11, 6, 0),
        access("FSW", 11, 6, 4),
        vector("VSE64__V", 6),
        vector("VSE64__V", 5),
        access("LD", 14, 6, 0),
        // Not checked ahead.
        access("LBU", 14, 7, 0),
        access("LD", 14, 7, 0),
        access("SD", 11, 7, 0),
        access("FLD", 11, 6, 0),
        vector("VLE64__V", 6),
        ("LR__D", vec![("rd", 14), ("rs1", 6)]),
        ("ECALL", vec![]),
        ("EBREAK", vec![]),
        ("FENCE__I", vec![]),
        ("CSRRW", vec![("rd", 14), ("rs1", 11), ("csr", 0x340)]),
        ("BNE", vec![("rs1", 11), ("rs2", 0), ("imm", 12)]),
        ("BEQ", vec![("rs1", 11), ("rs2", 0), ("imm", 12)]),
        ("JALR", vec![("rd", 14), ("rs1", 6), ("imm", 0)]),
    ];
    for between in all {
        let mut body = [vec![("LR__D", vec![("rd", 15), ("rs1", 5)])], before()].concat();
        body.push(immediate("XORI", 7, 6, 8));
        // Long enough even if it ends there.
        body.extend((0..14).map(|index| immediate("ADDI", 20 + index % 4, 20, index)));
        body.extend([access("LD", 10, 5, 0), access("LW", 16, 5, 4), immediate("XORI", 20, 20, 1)]);
        body.extend([between.clone(), three("ADD", 12, 10, 16), access("LD", 13, 5, 0)]);
        let code = words(&program, body.into_iter().chain([("JAL", vec![("imm", 0)])]));
        for layout in LAYOUTS {
            let mut pair = pair(&program, layout, &code, 0);
            let at = area(layout) + 64;
            // The same one, another, and some that only loads may go to, or nothing.
            let seconds = [at, at - 8, ends(layout)[0] - 8, ends(layout)[0], ends(layout)[1] - 8];
            for second in seconds {
                let context = || format!("{between:?}, {second:#x}, {layout:x?}");
                fill(&mut pair, layout);
                let data = [(10, 1), (11, 0xfedc_ba98_7654_3210), (13, 2), (16, 3), (20, 4)];
                begin(&mut pair, &program, layout, data.into_iter().chain([(5, at), (6, second)]));
                pair.run(code.len() as u64, context);
                assert_same_memory(&mut pair, layout, context);
            }
            assert!(pair.seen.compiled.get() > 0, "{between:?}");
        }
    }
}
