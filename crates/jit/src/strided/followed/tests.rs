//! Which loops have trips of their own that others follow, what these overwrite, and how much less they compute.

use std::collections::HashMap;

use cranelift_codegen::ir::{Block as Place, Function, Inst, Opcode, UserFuncName, types};
use cranelift_codegen::settings::{Flags, builder};
use cranelift_codegen::verify_function;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use engine::Program;
use engine::block::{Block, BlockId};
use engine::tier::{Member, Region};
use engine::uop::Comparison;
use hart::Memory;
use hart::pages::{PAGE, Pages};
use hart::vector::VectorUnit;
use isa::Descriptions;

use super::{Followed, LONG, WORDS};
use crate::bounds::{AtBlocks, UNKNOWN};
use crate::frame::region_signature;
use crate::functions::{Functions, Known};
use crate::region::{self, Shared};
use crate::sites::Sites;
use crate::strided::Accesses;
use crate::strided::tests::{Instruction, immediate, load, store, three, translated};
use crate::sums::Sum;

const COUNTER: i64 = 23;
const BOUND: i64 = 24;

fn program() -> Program {
    let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
    Program::new("rv64imafd_zicsr_zbb", &descriptions).expect("a known ISA string")
}

fn add(rd: i64, rs1: i64, imm: i64) -> Instruction {
    immediate("ADDI", rd, rs1, imm)
}

/// A branch back over so many instructions.
fn back(name: &'static str, rs1: i64, rs2: i64, over: usize) -> Instruction {
    (name, vec![("rs1", rs1), ("rs2", rs2), ("imm", -4 * over as i64)])
}

/// So many instructions that compute words.
fn words(count: usize) -> Vec<Instruction> {
    vec![three("ADDW", 10, 10, 11); count]
}

/// What is known of a loop of these, filled up with words, and the end of a trip before a branch.
fn followed(
    all: &[Instruction],
    end: &[Instruction],
    (name, a, b): (&'static str, i64, i64),
) -> Option<Followed> {
    let body = [all, &words(LONG), end].concat();
    let branch = back(name, a, b, body.len());
    Followed::of(&translated(&program(), &[body, vec![branch]].concat()), &UNKNOWN)
}

const USUAL: (&str, i64, i64) = ("BNE", COUNTER, 0);

fn down() -> [Instruction; 1] {
    [add(COUNTER, COUNTER, -1)]
}

#[test]
fn long_loops_of_words() {
    let program = program();
    let of = |length: usize, words: usize| {
        let others = vec![three("XOR", 12, 12, 13); length - words - 2];
        let body = [self::words(words), others, down().to_vec()].concat();
        let branch = back("BNE", COUNTER, 0, body.len());
        Followed::of(&translated(&program, &[body, vec![branch]].concat()), &UNKNOWN).is_some()
    };
    assert!(of(LONG, LONG / WORDS) && of(LONG, LONG - 2));
    assert!(!of(LONG, LONG / WORDS - 1));
    assert!(!of(LONG - 1, LONG - 3));
    assert!(of(1000, 125) && !of(1000, 124));
}

#[test]
fn what_is_compared() {
    let of = |slots: [u16; 2], added: i64| Sum { registers: slots, added, most: 0 };
    let none = Sum::of(0);
    let counter = COUNTER as u16;
    let cases: [(&[Instruction], _, Comparison, [Sum; 2]); 6] = [
        (&down(), USUAL, Comparison::Ne, [of([0, counter], -1), none]),
        (&[add(5, 5, 8)], ("BLT", 5, BOUND), Comparison::Lts64, [of([0, 5], 8), Sum::of(BOUND as u16)]),
        (
            &[add(5, 5, 8), add(5, 5, -3)],
            ("BGEU", BOUND, 5),
            Comparison::Geu,
            [Sum::of(BOUND as u16), of([0, 5], 5)],
        ),
        (&[three("ADD", 5, 7, 6)], ("BEQ", 5, 0), Comparison::Eq, [of([6, 7], 0), none]),
        (&[add(5, 0, 9)], ("BLTU", 5, 6), Comparison::Ltu, [of([0, 0], 9), Sum::of(6)]),
        (&[add(5, 6, 1), immediate("ANDI", 7, 5, -1)], ("BGE", 7, 7), Comparison::Ges64, [of([0, 6], 1); 2]),
    ];
    for (end, branch, comparison, operands) in cases {
        let found = followed(&[], end, branch).unwrap_or_else(|| panic!("{end:?}, {branch:?}"));
        assert_eq!((found.comparison, found.operands), (comparison, operands), "{end:?}, {branch:?}");
    }
}

#[test]
fn what_is_not_known_where_a_trip_begins() {
    for end in [
        immediate("ADDIW", COUNTER, COUNTER, -1),
        immediate("XORI", COUNTER, COUNTER, 1),
        load("LD", COUNTER, 2, 0),
        // By what is not known, twice the same with another, and rounded down.
        three("SUB", COUNTER, COUNTER, 5),
        immediate("ANDI", COUNTER, COUNTER, -8),
        immediate("ANDI", COUNTER, COUNTER, 7),
    ] {
        assert!(followed(&[], std::slice::from_ref(&end), USUAL).is_none(), "{end:?}");
        assert!(followed(&[], &[end], ("BLT", 6, COUNTER)).is_none());
    }
    let three_registers = [three("ADD", 5, 6, 7), three("ADD", 5, 5, 8)];
    assert!(followed(&[], &three_registers, ("BNE", 5, 0)).is_none());
    // An index of which only the most is known.
    let index = [load("LBU", 5, 2, 0), three("ADD", 6, 7, 5)];
    assert!(followed(&[], &index, ("BNE", 6, 0)).is_none());
}

#[test]
fn what_more_than_computes_loads_and_stores() {
    for other in [
        ("CSRRS", vec![("rd", 5), ("csr", 0x340)]),
        ("FADD__D", vec![("rd", 5), ("rs1", 5), ("rs2", 6)]),
        ("LR__W", vec![("rd", 5), ("rs1", 6)]),
        ("AMOADD__W", vec![("rd", 5), ("rs1", 6), ("rs2", 7)]),
    ] {
        let end = &down();
        // What a block ends after is not followed by a branch.
        assert!(followed(std::slice::from_ref(&other), end, USUAL).is_none(), "{other:?}");
    }
    assert!(followed(&[load("LW", 5, 2, 0), store("SB", 5, 2, 4)], &down(), USUAL).is_some());
    // Back to another instruction, and ahead.
    let program = program();
    for over in [LONG, LONG - 8] {
        let all = [words(LONG - 1), down().to_vec(), vec![back("BNE", COUNTER, 0, over)]].concat();
        assert_eq!(Followed::of(&translated(&program, &all), &UNKNOWN).is_some(), over == LONG);
    }
    let jump = ("JAL", vec![("imm", -4 * LONG as i64)]);
    let all = [words(LONG), vec![jump]].concat();
    assert!(Followed::of(&translated(&program, &all), &UNKNOWN).is_none());
}

#[test]
fn what_the_next_trip_overwrites() {
    let all = [
        // Written first; and read by what writes it, by a store's data and address, and before.
        add(5, 11, 1),
        add(6, 6, 1),
        store("SD", 7, 2, 0),
        load("LD", 7, 2, 0),
        load("LW", 8, 9, 0),
        add(9, 0, 1),
        three("XOR", 14, 13, 5),
        add(13, 0, 1),
        // Zero never changes.
        add(0, 5, 1),
        // Only the branch reads it, after it was written.
        add(15, COUNTER, -1),
    ];
    let found = followed(&all, &down(), ("BNE", 15, 0)).expect("it is such a loop");
    assert_eq!(found.overwritten.iter().collect::<Vec<_>>(), [5, 8, 14, 15]);
    // Read by the branch alone.
    let found = followed(&[], &[], ("BNE", 16, 17)).expect("it is such a loop");
    assert_eq!(found.overwritten.iter().count(), 0);
}

fn member(block: &Block) -> Member<'_> {
    Member { id: BlockId::of(0), pc: block.pc, block, times: 1, is_entry: true, executions: None }
}

/// Another trip could be left in its middle, where registers have to be right.
#[test]
fn accesses_that_are_checked_in_each_trip() {
    let program = program();
    let of = |accesses: &[Instruction], are_checked: bool| {
        let body = [accesses, &words(LONG), &down()].concat();
        let block = translated(&program, &[&body[..], &[back("BNE", COUNTER, 0, body.len())]].concat());
        let found = Accesses::of(&member(&block), &UNKNOWN, |uop| {
            are_checked && block.uops[uop].op.access().is_some()
        });
        found.is_some_and(|found| found.followed.is_some())
    };
    let strided = [load("LW", 5, 2, 0), store("SD", 5, 6, 8), add(6, 6, 16)];
    assert!(of(&strided, false) && !of(&strided, true));
    assert!(of(&[], false));
    assert!(!of(&[load("LD", 5, 2, 0), load("LW", 7, 5, 0)], false));
    let many: Vec<Instruction> = (1..10).map(|base| load("LB", 20, base, 0)).collect();
    assert!(of(&many[..8], false) && !of(&many, false));
}

/// The function of a loop in a process.
fn function(program: &Program, all: &[Instruction]) -> Function {
    let block = translated(program, all);
    let mut memory =
        Memory::paged(Pages::new(8 * PAGE).expect("address space")).expect("no host memory is needed");
    let vector = VectorUnit::new(program.isa());
    let members = vec![member(&block)];
    let region = Region { program, layout: memory.layout(), timed: false, vector: &vector, members };
    let isa = cranelift_native::builder().expect("a known host");
    let isa = isa.finish(Flags::new(builder())).expect("all it needs");
    let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
    let config = module.isa().frontend_config();
    let (mut bytes, mut tables, mut sites) = (0, HashMap::new(), Sites::default());
    let mut known = Known::new();
    let mut function = Function::with_name_signature(UserFuncName::default(), region_signature());
    let shared = Shared {
        tables: &mut tables,
        sites: &mut sites,
        wide: Functions::new(&mut module, &mut bytes, &mut known, false),
        counters: 0,
        separates: true,
    };
    let bounds = AtBlocks::new(&region);
    region::build(&region, &bounds, &mut function, &mut FunctionBuilderContext::new(), shared, config);
    verify_function(&function, &Flags::new(builder())).unwrap_or_else(|errors| panic!("{errors}"));
    function
}

/// How many instructions each block with rotations has that `are` of a kind: a trip that another follows goes on in any
/// case, the last one does not.
fn trips(function: &Function, are: impl Fn(&Function, Inst) -> bool) -> [Option<usize>; 2] {
    let insts = |place: Place| function.layout.block_insts(place);
    let is = |inst: Inst, opcode: Opcode| function.dfg.insts[inst].opcode() == opcode;
    let mut found = [None; 2];
    for place in function.layout.blocks().filter(|&place| insts(place).any(|inst| is(inst, Opcode::Rotr))) {
        let goes_on = insts(place).next_back().is_some_and(|last| is(last, Opcode::Jump));
        let kind = &mut found[usize::from(!goes_on)];
        assert_eq!(*kind, None);
        *kind = Some(insts(place).filter(|&inst| are(function, inst)).count());
    }
    found
}

/// A chain of so many sums, of which the low word is needed, in a register that the next trip writes first, or does not.
fn chain(sums: usize, is_overwritten: bool) -> Vec<Instruction> {
    let mut body = vec![store("SW", 14, 2, 0), ("RORIW", vec![("rd", 10), ("rs1", 10), ("shamt", 7)])];
    body.extend(is_overwritten.then(|| add(14, 11, 1)));
    body.extend(vec![three("ADD", 14, 14, 10); sums]);
    body.push(three("ADDW", 11, 11, 14));
    body.extend(words(LONG));
    body.extend(down());
    if is_overwritten {
        // Read only after it was written.
        body.remove(0);
    }
    body.push(back("BNE", COUNTER, 0, body.len()));
    body
}

#[test]
fn trips_that_another_follows_compute_words() {
    let program = program();
    let is_sum = |function: &Function, inst: Inst| {
        let is_add = function.dfg.insts[inst].opcode() == Opcode::Iadd;
        is_add && function.dfg.value_type(function.dfg.first_result(inst)) == types::I64
    };
    let [followed, last] = trips(&function(&program, &chain(40, true)), is_sum);
    let (followed, last) = (followed.expect("one that is followed"), last.expect("the last one"));
    assert!(followed < 5 && last > 40, "{followed} and {last} sums of doublewords");
    let [followed, last] = trips(&function(&program, &chain(40, false)), is_sum);
    let (followed, last) = (followed.expect("one that is followed"), last.expect("the last one"));
    assert!(followed >= 40 && last >= 40, "{followed} and {last} sums of doublewords");
    // A loop in which that is not known has the last one only.
    let mut all = chain(40, true);
    let counter = all.len() - 2;
    all[counter] = immediate("ADDIW", COUNTER, COUNTER, -1);
    assert_eq!(trips(&function(&program, &all), is_sum)[0], None);
}
