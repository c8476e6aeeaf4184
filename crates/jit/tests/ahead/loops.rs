//! Long blocks that are loops: through arrays, and through addresses that each trip loads for the next one.

use engine::Stop;
use hart::pages::PAGE;

use crate::guest::program;
use crate::layouts::Layout;
use crate::{Instruction, access, assert_same_memory, begin, immediate, pair, words};

/// The code, what may only be read, both, what may only be written, and nothing.
const PAGES: Layout =
    Layout::Pages { size: 8 * PAGE, readable: (PAGE, 4 * PAGE), writable: (3 * PAGE, 6 * PAGE) };
const FLAT: Layout = Layout::Flat {
    base: 0x8000_0000,
    size: 0x4000,
    tohost: Some(0x8000_3000),
    other: Some((0x8000_5000, 0x1000)),
};
/// Trips of a loop.
const TRIPS: u64 = 24;
/// Where its addresses are, from the first instruction on, and where one may store.
const LIST: u64 = 0x400;
const ROOM: u64 = 2 * PAGE + 0x400;

/// A loop that walks the list in x5 and an array in x6, and stores through x7, which is the trip's own.
fn chase(second: &'static str, list: i64, after_a_jump: bool) -> Vec<Instruction<'static>> {
    let add = |rd: i64, a: i64, b: i64| ("ADD", vec![("rd", rd), ("rs1", a), ("rs2", b)]);
    let mut all = vec![
        access("SW", 10, 6, 0),
        immediate("ADDI", 10, 10, 3),
        access("SB", 10, 7, -5),
        add(11, 11, 10),
        immediate("XORI", 12, 11, 0x55),
        access("LW", 13, 6, 16),
        add(14, 13, 12),
        immediate("ADDI", 7, 7, 8),
        access(second, 15, 7, 2),
        add(15, 15, 14),
        access("SH", 14, 7, 6),
        immediate("ADDI", 16, 7, 1),
        immediate("ADDI", 6, 6, 4),
        immediate("ADDI", 5, 5, list),
        access(if list == 8 { "LD" } else { "LW" }, 7, 5, 0),
        add(17, 17, 7),
        immediate("ADDI", 20, 20, -1),
    ];
    let mut back = -4 * all.len() as i64;
    if after_a_jump {
        // The region has a block before the loop, and the loop is entered from there.
        let before = [immediate("ADDI", 18, 18, 1), ("JAL", vec![("imm", 4)])];
        all.splice(0..0, before);
        back = -4 * (all.len() as i64 - 2);
    }
    all.extend([("BNE", vec![("rs1", 20), ("rs2", 0), ("imm", back)]), ("JAL", vec![("imm", 0)])]);
    all
}

/// A loop that leaves in its middle at each trip in turn: what earlier trips changed is kept, and that trip begins once.
#[test]
fn trips_that_fail_after_others() {
    for (isa, list) in [("rv32i_zicsr", 4), ("rv64i_zicsr", 8)] {
        let program = program(isa);
        for (layout, second, after) in [PAGES, FLAT].into_iter().flat_map(|layout| {
            ["SW", "LH"]
                .into_iter()
                .flat_map(move |second| [0, 1, 3].map(move |after| (layout, second, after)))
        }) {
            let code = words(&program, chase(second, list, after > 0));
            let mut pair = pair(&program, layout, &code, after);
            let start = layout.code();
            let edges = &layout.edges()[..layout.edges().len() - 5];
            let cases = (0..=TRIPS).flat_map(|trip| edges.iter().map(move |&edge| (trip, edge)));
            for (index, (trip, edge)) in cases.enumerate() {
                let bad = edge.wrapping_add_signed((index % 29) as i64 - 18);
                let context = || format!("{isa}, {layout:x?}, {second}, {bad:#x} at trip {trip}");
                let good = |trip: u64| start + ROOM + 0x20 * trip;
                let entries: Vec<u8> = (0..=TRIPS)
                    .flat_map(|at| {
                        let entry = if at == trip { bad } else { good(at) };
                        entry.to_le_bytes()[..list as usize].to_vec()
                    })
                    .collect();
                pair.each(|machine| match machine.memory.pages_mut() {
                    Some(pages) => {
                        pages.raw_mut(start + LIST, entries.len()).expect("room").copy_from_slice(&entries)
                    }
                    None => machine
                        .memory
                        .slice_mut(hart::Address(start + LIST), entries.len())
                        .expect("room")
                        .copy_from_slice(&entries),
                });
                let first = if trip == 0 { bad } else { good(0) };
                let registers = (8..19).map(|register| (register, 0x1234_5678 * register as u64));
                // The array ends with what is granted, or near that.
                let array = start + 3 * PAGE - 20 - 4 * (index as u64 * 7 % 40);
                let set = [(5, start + LIST), (6, array), (7, first), (20, TRIPS)];
                begin(&mut pair, &program, layout, registers.chain(set));
                for part in [18 * (index as u64 % 5) + 1, 18 * (TRIPS + 2)] {
                    if pair.run(part, context) != Stop::InstructionLimit {
                        break;
                    }
                }
                assert_same_memory(&mut pair, layout, context);
            }
            assert!(pair.seen.compiled.get() > 0 && pair.seen.refused.get() == 0);
        }
    }
}

/// Instructions of a loop that never ends: each trip exchanges two addresses, and passes by a block that could not be
/// executed.
fn passing() -> Vec<Instruction<'static>> {
    let copy = |rd, rs1| immediate("ADDI", rd, rs1, 0);
    let mut all = vec![copy(8, 5), copy(5, 6), copy(6, 8)];
    for offset in 0..5 {
        all.push(access("LD", 10, 5, 16 * offset));
        all.push(access("SD", 10, 6, 8 * offset - 40));
        all.push(immediate("ADDI", 11, 10, 1));
    }
    all.push(("BEQ", vec![("rs1", 0), ("rs2", 0), ("imm", 84)]));
    all.extend((0..20).map(|offset| access("SD", 10, 9, 8 * offset)));
    all.push(("JAL", vec![("imm", -4 * all.len() as i64)]));
    all
}

/// What is checked ahead is what the block accesses, and no more: exactly within what is granted, and beside what would
/// fail were it executed, it stays in compiled code.
#[test]
fn long_blocks_stay_in_compiled_code() {
    let program = program("rv64i_zicsr");
    let code = words(&program, passing());
    // Both pages may be used from the first byte to the last one; x6 is of the stores.
    for (layout, first, last) in [(PAGES, 3 * PAGE, 4 * PAGE), (FLAT, 0x8000_3008, 0x8000_4000)] {
        for (x5, x6) in [(first + 40, last - 72), (last - 72, first + 40), (first + 0x200, first + 0x300)] {
            let mut pair = pair(&program, layout, &code, 10);
            begin(&mut pair, &program, layout, [(5, x5), (6, x6), (9, 0)]);
            let context = || format!("{x5:#x}, {x6:#x}, {layout:x?}");
            assert_eq!(pair.run(20_000, context), Stop::InstructionLimit);
            let before = pair.seen.entered.get();
            assert_eq!(pair.run(20_000, context), Stop::InstructionLimit);
            let entered = pair.seen.entered.get() - before;
            assert!((1..10).contains(&entered), "entered {entered} times: {}", context());
            assert_same_memory(&mut pair, layout, context);
        }
    }
}

/// A table that could reach past what is granted, and stores on both sides of what is no place to store to: nothing that
/// the block does itself fails, until something does.
#[test]
fn more_is_checked_than_accessed() {
    let program = program("rv64i_zicsr");
    let mut all = vec![
        access("SD", 10, 5, 0),
        immediate("ANDI", 11, 12, 255),
        ("ADD", vec![("rd", 11), ("rs1", 11), ("rs2", 6)]),
        access("LBU", 13, 11, 0),
    ];
    all.extend((0..14).map(|index| immediate("ADDI", 14 + index, 14 + index, 7)));
    all.extend([access("SD", 13, 5, 64), ("JAL", vec![("imm", 0)])]);
    let code = words(&program, all);
    for layout in [PAGES, FLAT] {
        let mut pair = pair(&program, layout, &code, 0);
        let (end, gap) = match layout {
            Layout::Flat { .. } => (0x8000_4000, 0x8000_3000),
            Layout::Pages { .. } => (4 * PAGE, 3 * PAGE),
        };
        let mut stops = [0; 2];
        for (index, near) in
            (0..256).step_by(5).flat_map(|index| (-80..=16).step_by(8).map(move |near| (index, near)))
        {
            let aim = u64::wrapping_add_signed(gap, near);
            let set = [(5, aim), (6, end - 128), (10, 0x11), (12, 0xa00 + index)];
            begin(&mut pair, &program, layout, set.into_iter().chain((14..28).map(|register| (register, 0))));
            let stop = pair.run(code.len() as u64 + 1, || format!("{index}, {aim:#x}, {layout:x?}"));
            stops[usize::from(stop == Stop::InstructionLimit)] += 1;
        }
        assert!(stops.iter().all(|&times| times > 60), "{stops:?}, {layout:x?}");
        assert_same_memory(&mut pair, layout, || format!("{layout:x?}"));
    }
}
