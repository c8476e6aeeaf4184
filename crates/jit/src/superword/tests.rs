//! Which loops are computed in pairs, and how well their values go together.

use std::collections::HashSet;

use engine::Program;
use engine::block::{Block, BlockId, Cut, translate};
use engine::tier::Member;
use hart::{Address, Memory};
use isa::Descriptions;

use super::graph::{Graph, Made, Node};
use super::pairs::{Pairs, Shape, operand_of};
use super::{Loop, before};

const BASE: u64 = 0x8000_0000;
const SCRATCH: i64 = 22;
const COUNTER: i64 = 23;

/// An instruction: its name, and operands by name.
type Instruction = (&'static str, Vec<(&'static str, i64)>);

fn three(name: &'static str, rd: i64, rs1: i64, rs2: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("rs2", rs2)])
}

fn shift(name: &'static str, rd: i64, rs1: i64, amount: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("shamt", amount)])
}

fn program() -> Program {
    let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
    Program::new("rv64i", &descriptions).expect("a known ISA string")
}

/// The block at an instruction of a loop of these, a counter and a branch.
fn block(program: &Program, body: &[Instruction], top: usize) -> Block {
    let count = ("ADDI", vec![("rd", COUNTER), ("rs1", COUNTER), ("imm", -1)]);
    let back = -4 * (body.len() - top + 1) as i64;
    let branch = ("BNE", vec![("rs1", COUNTER), ("rs2", 0), ("imm", back)]);
    let encode = |(name, operands): &Instruction| {
        let found = program.module().instructions.iter().find(|instruction| instruction.name == *name);
        let encoding = &found.expect("a known instruction").encoding;
        operands.iter().fold(encoding.value, |word, (name, value)| {
            let field = encoding.fields.iter().find(|field| field.name == *name).expect("a known field");
            word | field.insert(*value as u64)
        })
    };
    let words: Vec<u8> = body
        .iter()
        .chain([&count, &branch])
        .flat_map(|instruction| encode(instruction).to_le_bytes())
        .collect();
    let mut memory = Memory::new(Address(BASE), 0x1000).expect("a small memory");
    memory.slice_mut(Address(BASE), words.len()).expect("the code fits").copy_from_slice(&words);
    let cut = Cut { longest: usize::MAX, boundaries: &HashSet::new(), timed: false, turns: false };
    translate(program, &memory, BASE, cut).expect("it is code")
}

fn found(body: &[Instruction]) -> Option<Loop> {
    let block = block(&program(), body, 0);
    Loop::of(&Member {
        id: BlockId::of(0),
        pc: BASE,
        block: &block,
        times: 1,
        is_entry: true,
        executions: None,
    })
}

/// Four quarter rounds side by side, as clang writes them: words in doublewords whose upper halves are of no interest.
fn quarter_rounds(diagonal: bool) -> Vec<Instruction> {
    let register = |row: i64, column: i64| 5 + 4 * row + (column + if diagonal { row } else { 0 }) % 4;
    let mut body = Vec::new();
    for (sum, addend, mixed, bits) in [(0, 1, 3, 16), (2, 3, 1, 12), (0, 1, 3, 8), (2, 3, 1, 7)] {
        for column in 0..4 {
            let [sum, addend, mixed] = [sum, addend, mixed].map(|row| register(row, column));
            body.extend([
                three("ADD", sum, sum, addend),
                three("XOR", mixed, mixed, sum),
                shift("SLLI", SCRATCH, mixed, bits),
                shift("SRLIW", mixed, mixed, 32 - bits),
                three("OR", mixed, mixed, SCRATCH),
            ]);
        }
    }
    body
}

fn double_round() -> Vec<Instruction> {
    [quarter_rounds(false), quarter_rounds(true)].concat()
}

/// Lanes that an operation on pairs needs, or the next trip.
fn needed(graph: &Graph, pairs: &Pairs) -> Vec<[Node; 2]> {
    let operands = |&pair: &[Node; 2]| {
        let shape = Shape::of(graph, pair[0]);
        assert_eq!(shape, Shape::of(graph, pair[1]));
        let operands = 0..shape.map_or(0, Shape::operands);
        operands.map(move |operand| pair.map(|node| operand_of(graph, node, operand))).collect::<Vec<_>>()
    };
    let ends = pairs.pairs.iter().map(|pair| pair.map(|node| graph.end(node)));
    pairs.pairs.iter().flat_map(operands).chain(ends).collect()
}

/// True if pairs can be computed one after the other.
fn in_order(graph: &Graph, pairs: &Pairs) -> bool {
    let mut done: Vec<bool> = graph.live.iter().map(|live| !live).collect();
    loop {
        let with_partner =
            |node: Node| pairs.of[node].map_or(vec![node], |(pair, _)| pairs.pairs[pair].into());
        let ready = |&node: &Node| {
            let all = with_partner(node);
            !done[node] && all.iter().all(|&node| graph.operands(node).all(|operand| done[operand]))
        };
        let Some(node) = (0..done.len()).find(ready) else { return !done.contains(&false) };
        with_partner(node).iter().for_each(|&node| done[node] = true);
    }
}

#[test]
fn the_double_round_of_chacha20_is_computed_in_pairs() {
    let Loop { graph, pairs, elsewhere } = found(&double_round()).expect("it gains");
    assert_eq!(elsewhere, BASE + 4 * 162);
    let starts = pairs.pairs.iter().filter(|pair| matches!(graph.made[pair[0]], Made::Start(_))).count();
    assert_eq!(starts, 8);
    assert!(pairs.pairs.len() - starts >= 64, "{} pairs", pairs.pairs.len());
    let mut joins = HashSet::new();
    for lanes in needed(&graph, &pairs) {
        match lanes.map(|node| pairs.of[node]) {
            [Some((pair, 0)), Some((same, 1))] if pair == same => {}
            [Some(_), Some(_)] => drop(joins.insert(lanes)),
            _ => assert!(lanes.iter().all(|&node| matches!(graph.made[node], Made::Constant(_)))),
        }
    }
    assert!(joins.len() <= 8, "{joins:?}");
    assert!(in_order(&graph, &pairs));
}

#[test]
fn what_gains_nothing_is_left_as_it_is() {
    // Each operation needs the one before it.
    let step = |index: i64| three(["ADD", "XOR", "SUB"][index as usize % 3], 5, 5, 6 + index % 4);
    assert!(found(&(0..80).map(step).collect::<Vec<_>>()).is_none());
    // Too few, for all that they are alike.
    let few = (5..9).flat_map(|of| [three("ADD", of, of, of + 4), three("XOR", of + 4, of + 4, of)]);
    assert!(found(&few.collect::<Vec<_>>()).is_none());
    let with = |name, operands| [double_round(), vec![(name, operands)]].concat();
    assert!(found(&with("LD", vec![("rd", SCRATCH), ("rs1", COUNTER)])).is_none());
    assert!(found(&with("SD", vec![("rs2", SCRATCH), ("rs1", COUNTER)])).is_none());
    assert!(found(&with("SLTU", vec![("rd", SCRATCH), ("rs1", COUNTER)])).is_some());
}

/// What one column computes first is what the other computes last.
#[test]
fn pairs_do_not_wait_for_each_other() {
    let step = |column: i64, even: bool| {
        let (a, b) = (5 + 2 * column, 6 + 2 * column);
        if even { three("ADD", a, a, b) } else { three("XOR", b, b, a) }
    };
    let one_way = |_: i64| [step(0, true), step(1, false), step(0, false), step(1, true)];
    let across =
        |_: i64| [three("ADD", 5, 5, 6), three("ADD", 6, 6, 5), three("ADD", 7, 7, 6), three("ADD", 8, 5, 7)];
    for body in [(0..12).flat_map(one_way).collect::<Vec<_>>(), (0..12).flat_map(across).collect()] {
        let block = block(&program(), &body, 0);
        let [uops @ .., exit_if, _] = &*block.uops else { panic!("it ends with two exits") };
        let mut graph =
            Graph::of(uops, (engine::uop::Comparison::Ne, exit_if.a, exit_if.b)).expect("it computes");
        let pairs = Pairs::of(&mut graph);
        assert!(!pairs.pairs.is_empty());
        assert!(in_order(&graph, &pairs));
    }
}

#[test]
fn a_rotation_by_whole_bytes_is_a_matter_of_bytes() {
    let made = |left: i64, right: i64, name| {
        let body = [shift("SLLI", SCRATCH, 5, left), shift(name, 5, 5, right), three("OR", 5, 5, SCRATCH)];
        let block = block(&program(), &body, 0);
        let [uops @ .., exit_if, _] = &*block.uops else { panic!("it ends with two exits") };
        let graph =
            Graph::of(uops, (engine::uop::Comparison::Ne, exit_if.a, exit_if.b)).expect("it computes");
        let &(register, end) = graph.ends.first().expect("it is written");
        assert_eq!(register, 5);
        match graph.made[end] {
            Made::Bytes(of, bytes) => {
                assert_eq!(graph.made[of], Made::Start(5));
                Some(bytes)
            }
            _ => None,
        }
    };
    assert_eq!(made(16, 16, "SRLIW"), Some([2, 3, 0, 1, 2, 3, 4, 5]));
    assert_eq!(made(8, 24, "SRLIW"), Some([3, 0, 1, 2, 3, 4, 5, 6]));
    assert_eq!(made(24, 40, "SRLI"), Some([5, 6, 7, 0, 1, 2, 3, 4]));
    // Not by whole bytes; bytes that overlap; bytes that are missing; a sign.
    assert_eq!(made(12, 20, "SRLIW"), None);
    assert_eq!(made(8, 16, "SRLIW"), None);
    assert_eq!(made(16, 24, "SRLIW"), None);
    assert_eq!(made(16, 16, "SRAIW"), None);
}

#[test]
fn a_block_that_falls_into_a_loop_ends_with_it() {
    let program = program();
    let start = [three("ADD", 5, 5, 6), three("XOR", 6, 6, 5)];
    let longer = [start.to_vec(), double_round()].concat();
    let (outer, all) = (block(&program, &longer, 2), block(&program, &longer, 0));
    let inner = {
        let mut memory = Memory::new(Address(BASE), 0x1000).expect("a small memory");
        let words: Vec<u8> = outer.decoded.iter().flat_map(|decoded| decoded.word.to_le_bytes()).collect();
        memory.slice_mut(Address(BASE), words.len()).expect("the code fits").copy_from_slice(&words);
        let cut = Cut { longest: usize::MAX, boundaries: &HashSet::new(), timed: false, turns: false };
        translate(&program, &memory, BASE + 8, cut).expect("it is code")
    };
    assert_eq!(before(&outer, &inner), Some(2));
    assert_eq!(before(&inner, &inner), None);
    assert_eq!(before(&inner, &outer), None);
    // The same instructions, but it goes back to the first.
    assert_eq!(before(&all, &inner), None);
}
