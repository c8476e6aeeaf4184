//! A program with much hot code: what is compiled already is not compiled again with all that leads to it.

use std::collections::HashSet;

use engine::{Machine, Program};
use hart::{Address, Htif, Memory};

use crate::guest::{BASE, encode, program};
use crate::pair::Pair;

const SIZE: usize = 1 << 16;
/// Where functions are.
const FUNCTIONS: u64 = BASE + 0x8000;
/// Rounds of the loops below that leave nothing to be compiled.
const ROUNDS: u64 = 200;

fn machine(
    program: &Program,
    code: impl Fn(&dyn Fn(&str, &[(&str, i64)]) -> u32) -> [Vec<u32>; 2],
) -> Machine<'_> {
    let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
    let [main, functions] = code(&|name, fields| encode(program.module(), name, fields));
    for (at, words) in [(BASE, main), (FUNCTIONS, functions)] {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.slice_mut(Address(at), bytes.len()).expect("room").copy_from_slice(&bytes);
    }
    Machine::new(program, memory, Address(BASE), Htif::default())
}

/// From a word of the main program to one of the functions.
fn distance(from: usize, to: usize) -> i64 {
    FUNCTIONS as i64 - BASE as i64 + 4 * (to as i64 - from as i64)
}

/// Calls in a row, of functions that are hot before.
#[test]
fn blocks_between_calls_are_compiled_once() {
    const CALLS: usize = 120;
    const CALLED: usize = 30;
    let program = program("rv64i");
    let machine = || {
        machine(&program, |op| {
            let mut main = Vec::new();
            for call in 0..CALLS {
                main.push(op("ADDI", &[("rd", 10), ("rs1", 10), ("imm", call as i64)]));
                let imm = distance(main.len(), 3 * (call * 7 % CALLED));
                main.push(op("JAL", &[("rd", 1), ("imm", imm)]));
            }
            let back = -4 * main.len() as i64;
            main.push(op("JAL", &[("imm", back)]));
            let function = |number: usize| {
                let add = op("ADDI", &[("rd", 11), ("rs1", 11), ("imm", number as i64)]);
                [add, op("XOR", &[("rd", 10), ("rs1", 10), ("rs2", 11)]), op("JALR", &[("rs1", 1)])]
            };
            [main, (0..CALLED).flat_map(function).collect()]
        })
    };
    let mut pair = Pair::new(machine, BASE..BASE + SIZE as u64, 10);
    for round in 0..ROUNDS {
        pair.run(5 * CALLS as u64 + 1, || format!("round {round}"));
    }
    let regions = pair.seen.regions.borrow();
    let distinct: HashSet<u64> = regions.iter().flatten().copied().collect();
    let all: usize = regions.iter().map(Vec::len).sum();
    assert!(distinct.len() >= CALLS, "{} blocks", distinct.len());
    assert!(all <= 2 * distinct.len(), "{all} blocks in regions, of {} there are", distinct.len());
}

/// Many ways into code that is compiled.
#[test]
fn what_leads_to_compiled_code_is_compiled_alone() {
    const WAYS: usize = 400;
    const BLOCKS: usize = 40;
    let program = program("rv64i");
    let machine = || {
        machine(&program, |op| {
            let mut main = Vec::new();
            for way in 0..WAYS {
                main.push(op("ADDI", &[("rd", 10), ("rs1", 10), ("imm", way as i64)]));
                main.push(op("AUIPC", &[("rd", 5)]));
                let imm = distance(main.len(), 0);
                main.push(op("JAL", &[("imm", imm)]));
            }
            let back = -4 * main.len() as i64;
            main.push(op("JAL", &[("imm", back)]));
            let block = |number: usize| {
                let add = op("ADDI", &[("rd", 11), ("rs1", 11), ("imm", number as i64)]);
                [add, op("BNE", &[("rs1", 0), ("rs2", 0), ("imm", 8)]), op("JAL", &[("imm", 4)])]
            };
            let mut shared: Vec<u32> = (0..BLOCKS).flat_map(block).collect();
            // Past the jump that went here.
            shared.push(op("JALR", &[("rs1", 5), ("imm", 8)]));
            [main, shared]
        })
    };
    let mut pair = Pair::new(machine, BASE..BASE + SIZE as u64, 10);
    let round = WAYS * (3 + 3 * BLOCKS + 1) + 1;
    for number in 0..ROUNDS / 4 {
        pair.run(round as u64, || format!("round {number}"));
    }
    let regions = pair.seen.regions.borrow();
    let later = &regions[regions.len() - WAYS / 2..];
    let most = later.iter().map(Vec::len).max();
    assert!(regions.len() >= WAYS / 2, "{} regions", regions.len());
    assert_eq!(most, Some(1), "blocks of a region");
}

/// A loop that takes several blocks because it is long, as unrolled rounds are: its blocks lead to each other all the time.
#[test]
fn long_blocks_of_a_loop_are_compiled_together() {
    const LENGTH: usize = 1500;
    let program = program("rv64i");
    let machine = || {
        machine(&program, |op| {
            let step = |number: usize| {
                let registers =
                    [("rd", 10 + number as i64 % 16), ("rs1", 10), ("rs2", 11 + number as i64 % 7)];
                op(if number.is_multiple_of(2) { "ADD" } else { "XOR" }, &registers)
            };
            let mut main: Vec<u32> = (1..LENGTH).map(step).collect();
            main.push(op("JAL", &[("imm", -4 * (LENGTH as i64 - 1))]));
            [main, vec![]]
        })
    };
    let mut pair = Pair::new(machine, BASE..BASE + SIZE as u64, 10);
    for round in 0..ROUNDS / 10 {
        pair.run(20 * LENGTH as u64 + 1, || format!("round {round}"));
    }
    let regions = pair.seen.regions.borrow();
    let all: HashSet<u64> =
        regions.iter().flatten().copied().filter(|pc| (pc - BASE).is_multiple_of(1024)).collect();
    assert_eq!(all.len(), LENGTH.div_ceil(256), "{regions:x?}");
    let together = regions.iter().any(|region| all.iter().all(|pc| region.contains(pc)));
    assert!(together, "{regions:x?}");
}
