//! Random regions of several blocks, whose registers lead to where something ends.

use engine::{Program, Stop};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::Guest;
use crate::effort::{effort, runner};
use crate::guest::{encode, program};
use crate::space::{Space, TOHOST};

const CASES: u32 = 50;
/// Registers of addresses, the stack's first; of data; a table of addresses; what decides on ways.
const BASES: [i64; 3] = [2, 5, 6];
const DATA: std::ops::Range<i64> = 10..14;
const TABLE: i64 = 18;
const CHANCE: i64 = 20;
const FACTOR: i64 = 21;
const SCRATCH: i64 = 22;

#[derive(Clone, Copy, Debug)]
enum Step {
    Access(&'static str, usize, i64, i64),
    Move(usize, i64),
    Copy(usize, usize),
    Reload(usize, i64),
    /// By a unit, which writes what another base holds.
    Unit(usize, usize),
    /// An element of a table, by an index in a register of data.
    Element(&'static str, usize, i64, i64),
    Rounded(&'static str, usize, i64),
    Sum(usize, i64),
    Change(i64),
}

#[derive(Clone, Copy, Debug)]
enum End {
    On,
    /// One time in two, four or eight.
    Branch(i64, Index),
    Jump(Index),
    Call(Index),
    Return,
}

type Blocks = Vec<(Vec<Step>, End)>;

fn blocks() -> impl Strategy<Value = Blocks> {
    let name = || select(&["LB", "LHU", "LW", "LD", "LD", "SB", "SH", "SW", "SD", "SD"][..]);
    let (base, data) = (|| 0..BASES.len(), || DATA);
    let offset = prop_oneof![
        5 => (0..5i64).prop_map(|offset| 8 * offset),
        3 => -16..=24i64,
        1 => select(&[-2048, -1024, -600, 600, 1016, 1024, 2040, 2047][..]),
    ];
    let step = prop_oneof![
        12 => (name(), base(), data(), offset).prop_map(|(name, base, data, offset)| Step::Access(name, base, data, offset)),
        3 => (base(), select(&[-64, -32, -16, -8, -1, 1, 8, 16, 32, 64, 600][..])).prop_map(|(base, by)| Step::Move(base, by)),
        1 => (base(), base()).prop_map(|(base, from)| Step::Copy(base, from)),
        1 => (base(), 0..4i64).prop_map(|(base, entry)| Step::Reload(base, entry)),
        1 => (base(), base()).prop_map(|(base, from)| Step::Unit(base, from)),
        2 => (name(), base(), data(), select(&[7, 60, 255, 1020][..])).prop_map(|(name, base, data, mask)| Step::Element(name, base, data, mask)),
        1 => (name(), base(), select(&[8, 64][..])).prop_map(|(name, base, by)| Step::Rounded(name, base, by)),
        1 => (base(), data()).prop_map(|(base, data)| Step::Sum(base, data)),
        2 => data().prop_map(Step::Change),
    ];
    let to = any::<Index>;
    let end = prop_oneof![
        3 => Just(End::On),
        6 => (select(&[1, 3, 7][..]), to()).prop_map(|(mask, to)| End::Branch(mask, to)),
        2 => to().prop_map(End::Jump),
        1 => to().prop_map(End::Call),
        1 => Just(End::Return),
    ];
    proptest::collection::vec((proptest::collection::vec(step, 1..5), end), 2..9)
}

impl Step {
    fn words(self, program: &Program) -> Vec<u32> {
        let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
        let immediate =
            |name: &str, rd: i64, rs1: i64, imm: i64| op(name, &[("rd", rd), ("rs1", rs1), ("imm", imm)]);
        let three = |name: &str, rd: i64, a: i64, b: i64| op(name, &[("rd", rd), ("rs1", a), ("rs2", b)]);
        let access = |name: &str, data: i64, base: i64, offset: i64| {
            let moved = if name.starts_with('S') { "rs2" } else { "rd" };
            op(name, &[(moved, data), ("rs1", base), ("imm", offset)])
        };
        match self {
            Self::Access(name, base, data, offset) => vec![access(name, data, BASES[base], offset)],
            Self::Move(base, by) => vec![immediate("ADDI", BASES[base], BASES[base], by)],
            Self::Copy(base, from) => vec![immediate("ADDI", BASES[base], BASES[from], 0)],
            Self::Reload(base, entry) => vec![access("LD", BASES[base], TABLE, 8 * entry)],
            Self::Unit(base, from) => vec![
                op("FMV__D__X", &[("rd", 1), ("rs1", BASES[from])]),
                op("FMV__X__D", &[("rd", BASES[base]), ("rs1", 1)]),
            ],
            Self::Element(name, base, data, mask) => vec![
                immediate("ANDI", SCRATCH, data, mask),
                three("ADD", SCRATCH, SCRATCH, BASES[base]),
                access(name, 13, SCRATCH, 0),
            ],
            Self::Rounded(name, base, by) => {
                vec![immediate("ANDI", SCRATCH, BASES[base], -by), access(name, 13, SCRATCH, 0)]
            }
            Self::Sum(base, data) => {
                vec![immediate("ANDI", SCRATCH, data, 31), three("ADD", BASES[base], BASES[base], SCRATCH)]
            }
            Self::Change(data) => vec![three("XOR", data, data, FACTOR)],
        }
    }
}

/// All words; where each block begins, as an index.
fn words(program: &Program, blocks: &Blocks) -> (Vec<u32>, Vec<usize>) {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let chance = |mask: i64| {
        vec![
            op("MUL", &[("rd", CHANCE), ("rs1", CHANCE), ("rs2", FACTOR)]),
            op("ADDI", &[("rd", CHANCE), ("rs1", CHANCE), ("imm", 1111)]),
            op("SRLI", &[("rd", SCRATCH), ("rs1", CHANCE), ("shamt", 40)]),
            op("ANDI", &[("rd", SCRATCH), ("rs1", SCRATCH), ("imm", mask)]),
        ]
    };
    let length = |end: &End| match end {
        End::On => 0,
        End::Branch(..) => 5,
        _ => 1,
    };
    let mut begins = vec![0];
    for (steps, end) in blocks {
        let size: usize = steps.iter().map(|step| step.words(program).len()).sum();
        begins.push(begins[begins.len() - 1] + size + length(end));
    }
    begins.pop();
    let mut words: Vec<u32> = Vec::new();
    for (steps, end) in blocks {
        words.extend(steps.iter().flat_map(|step| step.words(program)));
        let to = |to: &Index, from: usize| ("imm", 4 * (*to.get(&begins) as i64 - from as i64));
        match end {
            End::On => {}
            End::Branch(mask, target) => {
                words.extend(chance(*mask));
                words.push(op("BEQ", &[("rs1", SCRATCH), to(target, words.len())]));
            }
            End::Jump(target) => words.push(op("JAL", &[to(target, words.len())])),
            End::Call(target) => words.push(op("JAL", &[("rd", 1), to(target, words.len())])),
            End::Return => words.push(op("JALR", &[("rs1", 1)])),
        }
    }
    words.push(op("JAL", &[("imm", -4 * words.len() as i64)]));
    (words, begins)
}

fn check(space: Space, salt: u64) {
    let program = program("rv64imfd_zicsr");
    let edges = space.edges();
    let near = prop_oneof![3 => -40..=16i64, 1 => -2100..=2100i64];
    let address = prop_oneof![
        3 => Just(space.quiet()),
        4 => (select(edges), near).prop_map(|(edge, near)| edge.wrapping_add_signed(near)),
        1 => any::<u64>(),
    ];
    let round = (
        proptest::collection::vec(address, BASES.len() + 4),
        any::<Index>(),
        any::<u64>(),
        proptest::collection::vec(1..70u64, 3),
    );
    let case = (blocks(), 0..12u32, proptest::collection::vec(round, 30));
    let counts = std::cell::Cell::new((0, 0));
    let outcome = runner(CASES * effort(), salt).run(&case, |(blocks, after, rounds)| {
        let (words, begins) = words(&program, &blocks);
        let mut guest = Guest::new(&program, space, &words, after, format!("{space:?}, {blocks:?}"));
        let address = |block: &Index| space.code() + 4 * *block.get(&begins) as u64;
        let table = space.quiet() + 0x200;
        let mut good: Vec<(u16, u64)> = BASES.map(|base| (base as u16, space.quiet())).to_vec();
        good.extend([(TABLE as u16, table), (FACTOR as u16, 0x5851_f42d_4c95_7f2d), (CHANCE as u16, salt)]);
        for (number, (addresses, block, value, parts)) in rounds.iter().enumerate() {
            // Good registers at first, until everything is warm.
            let mut set = good.clone();
            let is_cold = number < 8;
            for (&base, &address) in BASES.iter().zip(addresses).filter(|_| !is_cold) {
                set.push((base as u16, address));
            }
            set.extend([(1, address(block)), (10, *value), (CHANCE as u16, *value)]);
            for (at, &entry) in addresses[BASES.len()..].iter().enumerate() {
                guest.poke(table + 8 * at as u64, if is_cold { space.quiet() } else { entry });
            }
            if space.tohost().is_some() {
                guest.poke(TOHOST, 0);
            }
            guest.begin(&set);
            if number % 3 == 2 {
                guest.pair.each(|machine| machine.hart.set_pc(address(block)));
            }
            for &part in parts {
                let instructions = if is_cold { 200 } else { part };
                let stop = guest.run(instructions, || format!("round {number}"));
                let (runs, faults) = counts.get();
                counts.set((runs + 1, faults + u32::from(matches!(stop, Stop::Fault(_)))));
                match stop {
                    Stop::InstructionLimit => {}
                    // A handler goes on after the instruction.
                    Stop::Fault(_) => guest.pair.skip(),
                    _ => break,
                }
                // Not where no code is.
                let end = space.code() + 4 * words.len() as u64;
                let pc = guest.pair.interpreted.hart.pc().0;
                if !(space.code()..end).contains(&pc) {
                    break;
                }
            }
        }
        guest.compare(String::new);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let (runs, faults) = counts.get();
    assert!(faults * 10 > runs && faults * 10 < runs * 9, "{faults} of {runs} runs fail");
}

#[test]
fn flat_regions() {
    check(Space::Flat { tohost: false }, 0xf1a7);
}

#[test]
fn flat_regions_with_events() {
    check(Space::Flat { tohost: true }, 0xf1a8);
}

#[test]
fn paged_regions() {
    check(Space::Paged, 0xa9e5);
}
