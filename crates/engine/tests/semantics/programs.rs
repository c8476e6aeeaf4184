//! Programs of many instructions, with branches and loops, against the evaluator step by step.

use std::cell::Cell;

use coredsl::ir::Instruction;
use engine::observer::Flow;
use engine::{Blind, Limits, Machine, Observer, Program, Stop};
use isa::Xlen;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::guest::{BASE, Screen};
use crate::operands::{memory, registers, runner, set_field, word};
use crate::reference::Reference;
use crate::{WIDTHS, everything};

const CASES: u32 = 24;
/// Bytes of code, at the beginning of memory.
const CODE: usize = 0x400;
const STEPS: usize = 400;
/// Registers no instruction of a program may change: `sp`, a data pointer, a code pointer.
const PINNED: [(usize, u64); 3] = [(2, BASE + 0x1000), (8, BASE + 0x1040), (9, BASE + 0x100)];

/// A program and the states it goes through, the first one included.
struct Run<'p> {
    start: Reference<'p>,
    states: Vec<(u64, [u64; 32])>,
    end: Reference<'p>,
}

impl<'p> Run<'p> {
    /// Goes through a program as far as instructions are usable.
    fn of(start: Reference<'p>) -> Self {
        let (mut end, mut states) = (start.clone(), vec![(start.pc, start.x)]);
        while states.len() < STEPS {
            let mut after = end.clone();
            if !usable(&mut after) {
                break;
            }
            end = after;
            states.push((end.pc, end.x));
        }
        Self { start, states, end }
    }
}

/// Writes a program as it is executed, out of `suggestions` that are usable where it stands.
fn write_program<'p>(
    program: &'p Program,
    mut x: [u64; 32],
    seed: u64,
    suggestions: &[(Index, u32)],
) -> Reference<'p> {
    for (register, value) in PINNED {
        x[register] = value;
    }
    let mut bytes = memory(seed);
    bytes[..CODE].fill(0);
    let mut start = Reference::new(program, x, bytes);
    let mut hart = start.clone();
    let mut filled = [false; CODE];
    for (index, bits) in suggestions {
        let at = (hart.pc - BASE) as usize;
        let word = suggestion(index.get(&program.module().instructions), *bits);
        let length = if isa::is_wide(word) { 4 } else { 2 };
        if filled[at..at + length].iter().any(|&taken| taken) {
            continue;
        }
        let mut after = hart.clone();
        after.place(hart.pc, word);
        if !usable(&mut after) {
            continue;
        }
        filled[at..at + length].fill(true);
        start.place(hart.pc, word);
        hart = after;
        // Back in what is written already: through it, but not for ever.
        for _ in 0..STEPS {
            let mut after = hart.clone();
            if !filled[(hart.pc - BASE) as usize] || !usable(&mut after) {
                break;
            }
            hart = after;
        }
    }
    start
}

/// Executes one instruction; false if a program had better not go there.
fn usable(hart: &mut Reference<'_>) -> bool {
    let code = hart.bytes[..CODE].to_vec();
    !hart.is_native()
        && hart.step().is_ok()
        && (BASE..BASE + CODE as u64 - 4).contains(&hart.pc)
        && PINNED.iter().all(|&(register, value)| hart.x[register] == value)
        // Without `fence.i` a hart need not see what it writes into its code.
        && hart.bytes[..CODE] == code
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

    fn retired(&mut self, _: &engine::observer::Retired<'_>) -> Flow {
        self.0 += 1;
        Flow::Continue
    }
}

fn run_to<O: Observer>(machine: &mut Machine<'_>, limit: usize, observer: &mut O) -> Stop {
    machine.run(Limits { instructions: Some(limit as u64) }, observer, &mut Screen::default())
}

fn check(run: &Run<'_>, pause: usize) -> Result<(), TestCaseError> {
    let steps = run.states.len() - 1;
    let mut plain = run.start.machine();
    let stop = run_to(&mut plain, pause, &mut Blind);
    // Where the program ends there may be no instruction.
    prop_assert!(pause == steps || stop == Stop::InstructionLimit, "{:?}", stop);
    let (pc, x) = run.states[pause];
    prop_assert_eq!((plain.hart.pc().0, plain.hart.retired()), (pc, pause as u64));
    prop_assert!((0..32).all(|register| plain.hart.x(register) == x[usize::from(register)]));
    run_to(&mut plain, steps, &mut Blind);
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
    let executed = Cell::new(0);
    let suggestions = proptest::collection::vec((any::<Index>(), any::<u32>()), 600);
    let case = (registers(), any::<u64>(), suggestions, any::<Index>());
    let outcome = runner(CASES).run(&case, |(x, seed, suggestions, pause)| {
        let run = Run::of(write_program(&program, x, seed, &suggestions));
        executed.set(executed.get() + run.states.len());
        check(&run, pause.index(run.states.len()))
    });
    outcome.unwrap_or_else(|error| panic!("{xlen:?}: {error}"));
    let mean = executed.get() / CASES as usize;
    assert!(mean > 60, "programs end after {mean} instructions, which tests little");
}

#[test]
fn rv32_programs_go_the_evaluator_s_way() {
    programs(WIDTHS[0]);
}

#[test]
fn rv64_programs_go_the_evaluator_s_way() {
    programs(WIDTHS[1]);
}
