//! Loops through arrays that compute words: registers hold all of their extensions wherever such a loop is left, be it at
//! its end, because an access fails or because the run is paused.

use std::cell::Cell;

use hart::pages::PAGE;
use proptest::prelude::*;
use proptest::sample::select;

use super::{CODE, QUIET, begin, pair, passed_fault};
use crate::effort::{effort, runner};
use crate::guest::program;
use crate::text;

/// Registers of data. Address of the array; what another address is made of in a way that nothing is known of.
const DATA: std::ops::Range<i64> = 10..15;
const ARRAY: i64 = 5;
const SEED: i64 = 23;
const UNKNOWN: i64 = 16;
/// A place to store to.
const RESULTS: i64 = 29;

const WORDS: [&str; 7] = ["ADDW", "SUBW", "SLLW", "SRAW", "SRLW", "MULW", "XOR"];
const IMMEDIATE: [&str; 3] = ["ADDIW", "ANDI", "XORI"];
const SHIFTS: [&str; 4] = ["SLLIW", "SRLIW", "SRAIW", "SRLI"];
const ACCESSES: [&str; 10] = ["LW", "LWU", "LB", "LBU", "LH", "SB", "SB", "SH", "SW", "SD"];

fn step() -> impl Strategy<Value = String> {
    let data = || DATA;
    let access = |name: &str, data: i64, base: i64, imm: i64| {
        let moved = if name.starts_with('S') { "rs2" } else { "rd" };
        format!("{name} {moved}={data} rs1={base} imm={imm}")
    };
    prop_oneof![
        8 => (select(&WORDS[..]), data(), data(), data())
            .prop_map(|(name, rd, a, b)| format!("{name} rd={rd} rs1={a} rs2={b}")),
        3 => (select(&IMMEDIATE[..]), data(), data(), -9..90i64)
            .prop_map(|(name, rd, a, imm)| format!("{name} rd={rd} rs1={a} imm={imm}")),
        3 => (select(&SHIFTS[..]), data(), data(), 0..32i64)
            .prop_map(|(name, rd, a, by)| format!("{name} rd={rd} rs1={a} shamt={by}")),
        // Extended with zeros.
        2 => (data(), data()).prop_map(|(rd, a)| {
            format!("SLLI rd={rd} rs1={a} shamt=32\nSRLI rd={rd} rs1={rd} shamt=32")
        }),
        5 => (select(&ACCESSES[..]), data(), -16..16i64)
            .prop_map(move |(name, data, imm)| access(name, data, ARRAY, imm)),
        1 => (select(&ACCESSES[..]), data()).prop_map(move |(name, data)| {
            format!("XORI rd={UNKNOWN} rs1={SEED} imm=8\n{}", access(name, data, UNKNOWN, 0))
        }),
    ]
}

/// Two loops, one after the other or one around blocks of its own, and a loop around them. What comes after them reads all
/// of the registers.
fn program_text(steps: &[String], others: &[String], stride: i64, trips: [i64; 2], between: &str) -> String {
    let [steps, others] = [steps, others].map(|steps| steps.join("\n"));
    let stores: String =
        DATA.map(|data| format!("SD rs1={RESULTS} rs2={data} imm={}\n", 8 * (data - DATA.start))).collect();
    let [first, second] = trips;
    format!(
        "head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        again:
        ADDI rd={ARRAY} rs1=28 imm=0
        ADDI rd=20 rs1=0 imm={first}
        first:
        {steps}
        ADDI rd={ARRAY} rs1={ARRAY} imm={stride}
        ADDI rd=20 rs1=20 imm=-1
        BNE rs1=20 rs2=0 >first
        {between}
        ADDI rd=20 rs1=0 imm={second}
        second:
        {others}
        ADDI rd={ARRAY} rs1={ARRAY} imm={stride}
        ADDI rd=20 rs1=20 imm=-1
        BLT rs1=0 rs2=20 >second
        {stores}
        ADD rd=18 rs1=18 rs2=10
        JAL rd=0 >head
        end:
        JAL rd=0 >end"
    )
}

#[test]
fn every_pause_finds_registers_extended() {
    let program = program("rv64im_zicsr");
    let steps = || proptest::collection::vec(step(), 2..9);
    let between = prop_oneof![
        2 => Just(""),
        1 => Just("SD rs1=29 rs2=11 imm=64"),
        // Its way out is a branch, too, or leads back.
        1 => Just("BEQ rs1=10 rs2=11 >second"),
        1 => Just("BLT rs1=12 rs2=11 >again\nADDI rd=12 rs1=12 imm=-1"),
    ];
    let aim = prop_oneof![
        2 => Just(QUIET),
        3 => (select(vec![2, 4, 6, 8]), -40..40i64).prop_map(|(page, near)| (page * PAGE).wrapping_add_signed(near)),
    ];
    let case = (
        (steps(), steps(), select(&[1, 2, 4, 8, -4, 0][..]), [1..5i64, 1..5i64], between),
        proptest::collection::vec((aim.clone(), aim), 4),
        proptest::collection::vec(any::<u64>(), DATA.count()),
        1..6u32,
    );
    let [faults, cases] = [const { Cell::new(0) }; 2];
    let outcome = runner(60 * effort(), 0x3054).run(
        &case,
        |((steps, others, stride, trips, between), aims, data, after)| {
            let text = program_text(&steps, &others, stride, trips, between);
            let words = text::words(&program, &text);
            let mut pair = pair(&program, &words, after);
            let set = |array: u64, seed: u64, rounds: u64| {
                let mut all: Vec<(i64, u64)> = DATA.zip(data.iter().copied()).collect();
                all.extend([(28, array), (SEED, seed ^ 8), (31, rounds), (RESULTS, QUIET + 0x400), (18, 0)]);
                all
            };
            begin(&mut pair, CODE, &set(QUIET, QUIET, 30));
            pair.run(1500, || text.clone());
            for (array, seed) in [(QUIET, QUIET)].into_iter().chain(aims) {
                for limit in 0..120 {
                    let context = || format!("{array:#x}, {seed:#x}, {limit}\n{text}");
                    begin(&mut pair, CODE, &set(array, seed, 3));
                    for part in [limit, 1, 60, 60] {
                        let stop = pair.run(part, context);
                        faults.set(faults.get() + u32::from(passed_fault(&mut pair, stop)));
                    }
                }
            }
            pair.assert_same_memory(|| text.clone());
            assert!(pair.seen.entered.get() > 0, "{text}");
            cases.set(cases.get() + 1);
            Ok(())
        },
    );
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(faults.get() > 100 * cases.get(), "{} faults", faults.get());
}
