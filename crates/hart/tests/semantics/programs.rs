//! Programs of many instructions, with branches and loops, against the evaluator step by step.

use coredsl::ir::{Behavior, Instruction};
use hart::{Blind, Limits, Machine, Observer, Program, Stop};
use isa::Xlen;
use proptest::prelude::*;

use crate::guest::{BASE, Screen};
use crate::operands::{memory, registers, runner, set_field, word};
use crate::reference::Reference;
use crate::{WIDTHS, everything};

const CASES: u32 = 40;
/// Bytes of code, at the beginning of memory.
const CODE: u64 = 0x400;
const STEPS: usize = 400;
/// Registers no instruction of a program may change: `sp`, a data pointer, a code pointer.
const PINNED: [(usize, u64); 3] = [(2, BASE + 0x1000), (8, BASE + 0x1040), (9, BASE + 0x100)];

/// A program and the states it goes through, the first one included.
struct Run<'p> {
    start: Reference<'p>,
    states: Vec<(u64, [u64; 32])>,
    end: Reference<'p>,
}

/// Writes a program as it is executed, out of `suggestions` that are usable where it stands.
fn write_program<'p>(
    program: &'p Program,
    mut x: [u64; 32],
    seed: u64,
    suggestions: &[(prop::sample::Index, u32)],
) -> Run<'p> {
    for (register, value) in PINNED {
        x[register] = value;
    }
    let mut bytes = memory(seed);
    bytes[..CODE as usize].fill(0);
    let mut hart = Reference::new(program, x, bytes.clone());
    let mut filled = [false; CODE as usize];
    let mut states = vec![(hart.pc, hart.x)];
    let mut suggestions = suggestions.iter();
    while states.len() < STEPS {
        let at = (hart.pc - BASE) as usize;
        let mut after = hart.clone();
        if !filled[at] {
            let Some((index, bits)) = suggestions.next() else { break };
            let word = suggestion(index.get(&program.module().instructions), *bits);
            let length = if isa::is_wide(word) { 4 } else { 2 };
            if filled[at..at + length].iter().any(|&taken| taken) {
                continue;
            }
            after.place(hart.pc, word);
            if !usable(&mut after, program) {
                continue;
            }
            filled[at..at + length].fill(true);
            bytes[at..at + length].copy_from_slice(&word.to_le_bytes()[..length]);
        } else if !usable(&mut after, program) {
            break;
        }
        hart = after;
        states.push((hart.pc, hart.x));
    }
    Run { start: Reference::new(program, x, bytes), states, end: hart }
}

/// Executes one instruction; false if the program could not go on from there.
fn usable(hart: &mut Reference<'_>, program: &Program) -> bool {
    let native = |word| {
        let id = program.decode(word)?;
        Some(program.instructions().get(id).behavior == Behavior::Extern)
    };
    let pinned = |hart: &Reference<'_>| PINNED.iter().all(|&(register, value)| hart.x[register] == value);
    hart.word().and_then(native) == Some(false)
        && hart.step().is_ok()
        && (BASE..BASE + CODE - 4).contains(&hart.pc)
        && pinned(hart)
}

/// A word that has a good chance to be usable.
fn suggestion(instruction: &Instruction, bits: u32) -> u32 {
    let word = word(instruction, bits);
    let has = |name: &str| instruction.encoding.fields.iter().find(|field| field.name == name);
    if has("csr").is_some() {
        // Only read: what a write does is not undone when a suggestion is refused.
        let csrs = [0xc00, 0xc01, 0xc02, 0xb02, 0x340];
        let csr = csrs[bits as usize % csrs.len()];
        let name = if has("rs1").is_some() { "rs1" } else { "uimm" };
        let word = set_field(instruction, set_field(instruction, word, "csr", csr), name, 0);
        return if instruction.name.starts_with("CSRRW") { 0x13 } else { word };
    }
    let near = (u64::from(bits >> 9 & 0x3f) << 1).wrapping_sub(0x20);
    let jumps = ["JAL", "BEQ", "BNE", "BLT", "BGE", "BLTU", "BGEU", "C__J", "C__JAL", "C__BEQZ", "C__BNEZ"];
    if jumps.contains(&instruction.name.as_str()) {
        return set_field(instruction, word, "imm", near);
    }
    if ["JALR", "C__JR", "C__JALR"].contains(&instruction.name.as_str()) {
        return set_field(instruction, set_field(instruction, word, "rs1", 9), "imm", near);
    }
    match has("rs1") {
        Some(field) if bits & 1 << 30 != 0 => {
            set_field(instruction, word, "rs1", if field.width == 3 { 0 } else { 8 })
        }
        _ => word,
    }
}

/// Counts by kind.
struct Counting;

impl Observer for Counting {
    const HISTOGRAM: bool = true;
}

/// Counts line by line.
#[derive(Default)]
struct Tracing(u64);

impl Observer for Tracing {
    const TRACE: bool = true;

    fn retired(&mut self, _: &hart::observer::Retired<'_>) {
        self.0 += 1;
    }
}

fn run_to<O: Observer>(machine: &mut Machine<'_>, limit: usize, observer: &mut O) -> Stop {
    machine.run(Limits { instructions: Some(limit as u64) }, observer, &mut Screen::default())
}

fn check(run: &Run<'_>, pause: usize) -> Result<(), TestCaseError> {
    let steps = run.states.len() - 1;
    let mut plain = run.start.machine();
    prop_assert_eq!(run_to(&mut plain, pause, &mut Blind), Stop::InstructionLimit);
    let (pc, x) = run.states[pause];
    prop_assert_eq!((plain.core.pc().0, plain.core.retired()), (pc, pause as u64));
    prop_assert!((0..32).all(|register| plain.core.x(register) == x[usize::from(register)]));
    prop_assert_eq!(run_to(&mut plain, steps, &mut Blind), Stop::InstructionLimit);
    prop_assert_eq!(run.end.difference(&plain), None);

    let mut counted = run.start.machine();
    run_to(&mut counted, pause, &mut Counting);
    prop_assert_eq!(counted.histogram().iter().sum::<u64>(), pause as u64);
    run_to(&mut counted, steps, &mut Counting);
    prop_assert_eq!(run.end.difference(&counted), None);
    prop_assert_eq!(counted.histogram().iter().sum::<u64>(), steps as u64);

    let (mut traced, mut lines) = (run.start.machine(), Tracing::default());
    run_to(&mut traced, steps, &mut lines);
    prop_assert_eq!(run.end.difference(&traced), None);
    prop_assert_eq!(lines.0, steps as u64);
    Ok(())
}

fn programs(xlen: Xlen) {
    let program = everything(xlen);
    let mut executed = 0;
    let suggestions = proptest::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 600);
    let case = (registers(), any::<u64>(), suggestions, any::<prop::sample::Index>());
    let outcome = runner(CASES).run(&case, |(x, seed, suggestions, pause)| {
        let run = write_program(&program, x, seed, &suggestions);
        check(&run, pause.index(run.states.len()))
    });
    outcome.unwrap_or_else(|error| panic!("{xlen:?}: {error}"));
    let mut sampler = runner(1);
    sampler
        .run(&case_of_length(), |(x, seed, suggestions)| {
            executed = write_program(&program, x, seed, &suggestions).states.len();
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(executed > 50, "programs end after {executed} instructions, which tests little");
}

fn case_of_length() -> impl Strategy<Value = ([u64; 32], u64, Vec<(prop::sample::Index, u32)>)> {
    (registers(), any::<u64>(), proptest::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 600))
}

#[test]
fn rv32_programs_go_the_evaluator_s_way() {
    programs(WIDTHS[0]);
}

#[test]
fn rv64_programs_go_the_evaluator_s_way() {
    programs(WIDTHS[1]);
}
