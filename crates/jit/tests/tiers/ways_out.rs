//! Small regions of any blocks, with loops, calls and returns, left anywhere: each way out puts those registers back that
//! may have changed on any way to it.

use engine::{Program, Stop};
use hart::csr::number;
use hart::pages::PAGE;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::effort::{effort, runner};
use crate::guest::{encode, program};
use crate::strides::{CODE, begin, pair, passed_fault};

/// Registers of data, of which each block changes a few, and of addresses.
const DATA: std::ops::Range<i64> = 10..32;
const ADDRESSES: std::ops::Range<i64> = 5..8;
const SCRATCH: i64 = 8;

#[derive(Clone, Copy, Debug)]
enum Part {
    Add(i64, i64, i64),
    Xor(i64, i64, i64),
    /// A page by number, which may grant what is asked of it or not.
    Aim(i64, i64),
    Load(i64, i64, i64),
    Store(i64, i64, i64),
    /// Something that is no scalar access, or that is never compiled.
    Unit(i64),
    Csr(i64),
}

#[derive(Clone, Copy, Debug)]
enum End {
    On,
    Branch(&'static str, i64, i64, Index),
    Jump(Index),
    Call(Index),
    Return,
}

type Blocks = Vec<(Vec<Part>, End)>;

fn blocks() -> impl Strategy<Value = Blocks> {
    let data = || DATA;
    let offset = || (0..256i64).prop_map(|offset| 8 * offset);
    let part = prop_oneof![
        6 => (data(), data(), -9..9i64).prop_map(|(rd, rs1, imm)| Part::Add(rd, rs1, imm)),
        4 => (data(), data(), data()).prop_map(|(rd, rs1, rs2)| Part::Xor(rd, rs1, rs2)),
        1 => (ADDRESSES, data()).prop_map(|(rd, rs1)| Part::Aim(rd, rs1)),
        3 => (data(), ADDRESSES, offset()).prop_map(|(rd, rs1, imm)| Part::Load(rd, rs1, imm)),
        2 => (data(), ADDRESSES, offset()).prop_map(|(rs2, rs1, imm)| Part::Store(rs2, rs1, imm)),
        1 => data().prop_map(Part::Unit),
    ];
    let rare = prop_oneof![40 => part, 1 => data().prop_map(Part::Csr)];
    let to = any::<Index>;
    let end = prop_oneof![
        2 => Just(End::On),
        6 => (select(&["BEQ", "BNE", "BNE", "BLTU", "BGE"][..]), data(), 0..4i64, to())
            .prop_map(|(name, rs1, mask, to)| End::Branch(name, rs1, (1 << mask) - 1, to)),
        2 => to().prop_map(End::Jump),
        2 => to().prop_map(End::Call),
        2 => Just(End::Return),
    ];
    proptest::collection::vec((proptest::collection::vec(rare, 1..5), end), 3..22)
}

/// Words of the blocks, and where each begins.
fn words(program: &Program, blocks: &Blocks) -> (Vec<u32>, Vec<usize>) {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let immediate =
        |name: &str, rd: i64, rs1: i64, imm: i64| op(name, &[("rd", rd), ("rs1", rs1), ("imm", imm)]);
    let part = |part: &Part| match *part {
        Part::Add(rd, rs1, imm) => vec![immediate("ADDI", rd, rs1, imm)],
        Part::Xor(rd, rs1, rs2) => vec![op("XOR", &[("rd", rd), ("rs1", rs1), ("rs2", rs2)])],
        Part::Aim(rd, rs1) => vec![
            immediate("ANDI", SCRATCH, rs1, 15),
            op("SLLI", &[("rd", rd), ("rs1", SCRATCH), ("shamt", 12)]),
        ],
        Part::Load(rd, rs1, imm) => vec![immediate("LD", rd, rs1, imm)],
        Part::Store(rs2, rs1, imm) => vec![op("SD", &[("rs2", rs2), ("rs1", rs1), ("imm", imm)])],
        Part::Unit(rd) => {
            vec![op("FMV__D__X", &[("rd", 1), ("rs1", rd)]), op("FCLASS__D", &[("rd", rd), ("rs1", 1)])]
        }
        Part::Csr(rd) => vec![op("CSRRS", &[("rd", rd), ("csr", number::MSCRATCH.into())])],
    };
    let size = |(parts, end): &(Vec<Part>, End)| {
        let end = match end {
            End::On => 0,
            End::Branch(..) => 2,
            End::Jump(_) | End::Call(_) | End::Return => 1,
        };
        parts.iter().map(|one| part(one).len()).sum::<usize>() + end
    };
    let mut begins = vec![0];
    for block in blocks {
        begins.push(begins[begins.len() - 1] + size(block));
    }
    begins.pop();
    let mut words: Vec<u32> = Vec::new();
    for (parts, end) in blocks {
        words.extend(parts.iter().flat_map(part));
        let to = |to: &Index, from: usize| ("imm", 4 * (*to.get(&begins) as i64 - from as i64));
        match end {
            End::On => {}
            End::Branch(name, rs1, mask, target) => {
                words.push(immediate("ANDI", SCRATCH, *rs1, *mask));
                words.push(op(name, &[("rs1", SCRATCH), ("rs2", 0), to(target, words.len())]));
            }
            End::Jump(target) => words.push(op("JAL", &[("rd", 0), to(target, words.len())])),
            End::Call(target) => words.push(op("JAL", &[("rd", 1), to(target, words.len())])),
            End::Return => words.push(op("JALR", &[("rd", 0), ("rs1", 1)])),
        }
    }
    words.push(op("JAL", &[("imm", -4 * words.len() as i64)]));
    (words, begins)
}

#[test]
fn regions_that_are_left_anywhere() {
    let program = program("rv64ifd_zicsr");
    let part = (select(&[1, 2, 3, 7, 20, 60, 200][..]), any::<Index>(), any::<u64>());
    let case = (blocks(), 1..8u32, proptest::collection::vec(part, 25));
    let faults = std::cell::Cell::new(0);
    let outcome = runner(150 * effort(), 0x0a7).run(&case, |(blocks, after, parts)| {
        let (words, begins) = words(&program, &blocks);
        let mut pair = pair(&program, &words, after);
        let address = |block: &Index| CODE + 4 * *block.get(&begins) as u64;
        let registers: Vec<(i64, u64)> =
            DATA.map(|register| (register, register as u64 * 0x0123_4567)).collect();
        begin(&mut pair, CODE, &registers);
        for register in ADDRESSES {
            begin(&mut pair, CODE, &[(register, (register as u64 - 1) * PAGE), (1, address(&parts[0].1))]);
        }
        for (instructions, block, value) in &parts {
            let context = || format!("{blocks:?}");
            let stop = pair.run(*instructions, context);
            // A handler goes on after the instruction, or elsewhere, perhaps with another register.
            if passed_fault(&mut pair, stop) {
                faults.set(faults.get() + 1);
            } else if stop == Stop::InstructionLimit && value % 5 == 0 {
                begin(&mut pair, address(block), &[(10 + (*value >> 8) as i64 % 22, *value)]);
            }
        }
        pair.assert_same_memory(|| format!("{blocks:?}"));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(faults.get() > 250, "{} faults", faults.get());
}
