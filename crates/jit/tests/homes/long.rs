//! Long blocks, which check accesses where they begin, in regions that keep few registers: of values that are overwritten,
//! the last before an access that fails is seen. Runs are paused after every instruction.

use std::cell::Cell;
use std::rc::Rc;

use engine::{Machine, Stop};
use hart::{Address, Htif};
use proptest::prelude::*;
use proptest::sample::select;

use crate::effort::{effort, runner};
use crate::guest::program;
use crate::layouts::Layout;
use crate::times::{Seen, Times, Told};
use crate::{paged, registers, text};

/// Registers of data, all of which are overwritten again and again.
const DATA: std::ops::Range<i64> = 5..11;
/// Addresses: two that no block changes, one that a block makes of a distance, and one that it makes of the first in a way
/// that nothing is known of.
const FIXED: [i64; 2] = [26, 27];
const DISTANCE: i64 = 25;
const SUM: i64 = 28;
const UNKNOWN: i64 = 29;
const COMPUTE: [&str; 8] = ["ADD", "XOR", "SUB", "SLL", "ADDW", "SUBW", "SRAW", "SLTU"];
const IMMEDIATE: [&str; 5] = ["ADDI", "XORI", "ANDI", "ADDIW", "ORI"];
const ACCESSES: [&str; 13] =
    ["LB", "LBU", "LH", "LHU", "LW", "SB", "SB", "SH", "SH", "SW", "LWU", "LD", "SD"];
/// Of these, so many of each are there on RV32, too.
const ON_RV32: [usize; 3] = [4, 3, 10];

/// What a run begins with.
#[derive(Clone, Copy, Debug)]
enum Aim {
    Quiet,
    /// At some end of memory, and so far from there.
    Near(usize, i64),
}

fn step(rv32: bool) -> impl Strategy<Value = String> {
    let all = [COMPUTE.len(), IMMEDIATE.len(), ACCESSES.len()];
    let [compute, immediate, access] = if rv32 { ON_RV32 } else { all };
    let (data, base) = (|| DATA, prop_oneof![6 => select(&FIXED[..]), 1 => Just(SUM), 1 => Just(UNKNOWN)]);
    prop_oneof![
        5 => (select(&COMPUTE[..compute]), data(), data(), data())
            .prop_map(|(name, rd, rs1, rs2)| format!("{name} rd={rd} rs1={rs1} rs2={rs2}")),
        4 => (select(&IMMEDIATE[..immediate]), data(), data(), -40..40i64)
            .prop_map(|(name, rd, rs1, imm)| format!("{name} rd={rd} rs1={rs1} imm={imm}")),
        7 => (select(&ACCESSES[..access]), data(), base, -12..40i64).prop_map(|(name, data, base, imm)| {
            let moved = if name.starts_with('S') { "rs2" } else { "rd" };
            format!("{name} {moved}={data} rs1={base} imm={imm}")
        }),
        1 => Just(format!("ADD rd={SUM} rs1={} rs2={DISTANCE}", FIXED[0])),
        1 => Just(format!("XORI rd={UNKNOWN} rs1={} imm=8", FIXED[1])),
    ]
}

fn program_text(blocks: &[Vec<String>]) -> String {
    let [first, second, third] = [0, 1, 2].map(|block| blocks[block].join("\n"));
    format!(
        "head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        {first}
        BEQ rs1=5 rs2=6 >last
        {second}
        BLT rs1=7 rs2=8 >last
        ADDI rd=5 rs1=5 imm=1
        last:
        {third}
        JALR rd=0 rs1=30 imm=0
        end:
        JAL rd=0 >end"
    )
}

/// A place where nothing ends.
fn quiet(layout: Layout) -> u64 {
    match layout {
        Layout::Flat { base, size, .. } => base + size - 0x800,
        Layout::Pages { writable, .. } => writable.0 + 0x800,
    }
}

fn check(isa: &str, layouts: &[usize]) {
    let program = program(isa);
    let rv32 = isa.starts_with("rv32");
    let [faults, together, cases] = [const { Cell::new(0) }; 3];
    for &layout in layouts {
        let layout = Layout::all(rv32)[layout];
        let edges: Vec<u64> =
            layout.edges().into_iter().skip(1).filter(|&edge| edge > layout.code() + 0x400).collect();
        let aim = prop_oneof![
            1 => Just(Aim::Quiet),
            2 => (0..edges.len().min(3), -44..44i64).prop_map(|(edge, near)| Aim::Near(edge, near)),
        ];
        let aims = (aim.clone(), aim.clone(), aim);
        let blocks = proptest::collection::vec(proptest::collection::vec(step(rv32), 15..24), 3);
        let case = (blocks, proptest::collection::vec(aims, 5), 1..Times::ALL.len(), 1..4u32);
        let outcome = runner(8 * effort(), 0x10ac).run(&case, |(blocks, aims, times, after)| {
            let text = program_text(&blocks);
            let code: Vec<u8> = text::words(&program, &text).into_iter().flat_map(u32::to_le_bytes).collect();
            let machine = || {
                let htif = Htif::new(layout.tohost(), None);
                Machine::new(&program, layout.memory(&code), Address(layout.code()), htif)
            };
            let mut pair = paged::Pair::new(machine, 0..0, after);
            let seen = Rc::new(Seen::default());
            pair.compiled.set_compiler(Box::new(Told::new(after, Times::ALL[times], &seen)));
            let address = |aim: Aim| match aim {
                Aim::Quiet => quiet(layout),
                Aim::Near(edge, near) => edges[edge].wrapping_add_signed(near),
            };
            let begin = |pair: &mut paged::Pair<'_>, (one, other, sum): (Aim, Aim, Aim), rounds| {
                let distance = address(sum).wrapping_sub(address(one));
                let set = [(26, address(one)), (27, address(other)), (25, distance), (30, layout.code())];
                pair.each(|machine| {
                    for (register, value) in registers(&set).into_iter().enumerate() {
                        machine.hart.set_x(register as u16, value & program.isa().xlen().mask());
                    }
                    machine.hart.set_x(31, rounds);
                    for register in [28, 29] {
                        machine.hart.set_x(register, quiet(layout));
                    }
                    machine.hart.set_pc(layout.code());
                });
            };
            let quietly = (Aim::Quiet, Aim::Quiet, Aim::Quiet);
            let length = code.len() as u64 / 4;
            begin(&mut pair, quietly, 12);
            pair.run(14 * length, || text.clone());
            for aims in [quietly].into_iter().chain(aims) {
                for limit in 0..=length + 4 {
                    let context =
                        || format!("{aims:x?}, {limit}, {layout:x?}, {:?}\n{text}", Times::ALL[times]);
                    begin(&mut pair, aims, 3);
                    for part in [limit, length, length, length] {
                        if pair.run(part, context) != Stop::InstructionLimit {
                            faults.set(faults.get() + 1);
                            // A handler goes on after the instruction.
                            pair.skip();
                        }
                    }
                }
            }
            let (a, b) = (&mut pair.interpreted.memory, &mut pair.compiled.memory);
            assert!(layout.contents(a) == layout.contents(b), "memory differs, {layout:x?}\n{text}");
            cases.set(cases.get() + 1);
            together.set(together.get() + usize::from(seen.has_region_of(3)));
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
    let [faults, together, cases] = [faults, together, cases].map(Cell::into_inner);
    assert!(faults > 300 * cases && 2 * together > cases, "{faults} faults, {together} of {cases}");
}

/// Memory from an address on, the same with a word of the host-target interface, and a process's.
#[test]
fn rv64_left_anywhere() {
    check("rv64im_zicsr", &[0, 5, 7]);
}

#[test]
fn rv32_left_anywhere() {
    check("rv32im_zicsr", &[0, 7]);
}
