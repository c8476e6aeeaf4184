//! Computational instructions, loads, branches and atomics against the independent oracle.

use coredsl::ir::{Behavior, Instruction};
use engine::{Blind, Limits, Machine, Program};
use hart::csr::Clock;
use isa::Xlen;
use proptest::prelude::*;

use crate::guest::{BASE, Screen};
use crate::operands::{memory, registers, runner, set_field, word};
use crate::oracle::{amo, branch_taken, compute, csr_written, loaded};
use crate::reference::Reference;
use crate::{WIDTHS, everything};

const CASES: u32 = 40;
/// Place of a branch, far from both ends of memory.
const PC: u64 = BASE + 0x1000;
/// Where loads and atomics find their operand.
const OPERAND: u64 = BASE + 0x800;

fn field(instruction: &Instruction, name: &str, word: u32) -> Option<(u64, u16)> {
    let field = instruction.encoding.fields.iter().find(|field| field.name == name)?;
    Some((field.extract(word), field.width))
}

/// The value the oracle takes as immediate: of `imm` sign-extended, of the others as they stand.
fn immediate(instruction: &Instruction, word: u32) -> u64 {
    match field(instruction, "imm", word) {
        Some((value, width)) => ((value << (64 - width)) as i64 >> (64 - width)) as u64,
        None => ["shamt", "bs", "rnum"]
            .iter()
            .find_map(|name| field(instruction, name, word))
            .map_or(0, |(value, _)| value),
    }
}

/// One instruction and the state it starts from.
struct Step<'p> {
    start: Reference<'p>,
    word: u32,
}

impl<'p> Step<'p> {
    fn new(program: &'p Program, instruction: &Instruction, x: [u64; 32], bits: u32, seed: u64) -> Self {
        let mut start = Reference::new(program, x, memory(seed));
        start.pc = PC;
        let word = word(instruction, bits);
        start.place(PC, word);
        Self { start, word }
    }

    fn x(&self, instruction: &Instruction, name: &str) -> u64 {
        field(instruction, name, self.word).map_or(0, |(register, _)| self.start.x[register as usize])
    }

    fn execute(&self) -> Machine<'p> {
        let mut machine = self.start.machine();
        machine.run(Limits { instructions: Some(1) }, &mut Blind, &mut Screen::default());
        machine
    }

    /// The start's registers with `rd` set.
    fn registers_with(&self, instruction: &Instruction, value: u64) -> [u64; 32] {
        let mut x = self.start.x;
        if let Some((rd @ 1.., _)) = field(instruction, "rd", self.word) {
            x[rd as usize] = value;
        }
        x
    }
}

fn registers_of(machine: &Machine<'_>) -> [u64; 32] {
    std::array::from_fn(|register| machine.hart.x(register as u16))
}

fn each(
    xlen: Xlen,
    accept: impl Fn(&Instruction) -> bool,
    check: impl Fn(&Instruction, Step<'_>) -> Result<(), TestCaseError>,
) -> usize {
    let program = everything(xlen);
    let mut checked = 0;
    for instruction in &program.module().instructions {
        if instruction.encoding.length != 32
            || instruction.behavior == Behavior::Extern
            || !accept(instruction)
        {
            continue;
        }
        checked += 1;
        let outcome = runner(CASES).run(&(registers(), any::<u32>(), any::<u64>()), |(x, bits, seed)| {
            let step = Step::new(&program, instruction, x, bits, seed);
            // Another instruction may be more specific for these bits.
            let id = program.decode(step.word);
            if id.is_some_and(|id| program.instructions().get(id).name == instruction.name) {
                check(instruction, step)?;
            }
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{} on {xlen:?}: {error}", instruction.name));
    }
    checked
}

#[test]
fn computational_instructions_agree_with_the_oracle() {
    for (xlen, expected) in WIDTHS.into_iter().zip([84, 114]) {
        let computes =
            |instruction: &Instruction| compute(xlen.bits(), &instruction.mnemonic, 1, 1, 1, PC).is_some();
        let checked = each(xlen, computes, |instruction, step| {
            let (a, b) = (step.x(instruction, "rs1"), step.x(instruction, "rs2"));
            let imm = immediate(instruction, step.word);
            let machine = step.execute();
            match compute(xlen.bits(), &instruction.mnemonic, a, b, imm, PC) {
                Some(value) => {
                    let expected = step.registers_with(instruction, value);
                    prop_assert_eq!(registers_of(&machine), expected, "a {:#x} b {:#x} imm {:#x}", a, b, imm);
                    prop_assert_eq!((machine.hart.pc().0, machine.hart.retired()), (PC + 4, 1));
                }
                // A round number that does not exist.
                None => prop_assert_eq!(machine.hart.retired(), 0),
            }
            Ok(())
        });
        assert!(checked >= expected, "the oracle knows {checked} instructions of {xlen:?} only");
    }
}

#[test]
fn branches_agree_with_the_oracle() {
    for xlen in WIDTHS {
        let branches =
            |instruction: &Instruction| branch_taken(xlen.bits(), &instruction.mnemonic, 0, 0).is_some();
        let checked = each(xlen, branches, |instruction, step| {
            let (a, b) = (step.x(instruction, "rs1"), step.x(instruction, "rs2"));
            let taken = branch_taken(xlen.bits(), &instruction.mnemonic, a, b);
            let offset = if taken == Some(true) { immediate(instruction, step.word) } else { 4 };
            let machine = step.execute();
            prop_assert_eq!(machine.hart.pc().0, PC.wrapping_add(offset) & xlen.mask());
            prop_assert_eq!(registers_of(&machine), step.start.x);
            Ok(())
        });
        assert_eq!(checked, 6);
    }
}

#[test]
fn loads_agree_with_the_oracle() {
    for (xlen, expected) in WIDTHS.into_iter().zip([5, 7]) {
        let loads = |instruction: &Instruction| loaded(xlen.bits(), &instruction.mnemonic, 0).is_some();
        let checked = each(xlen, loads, |instruction, mut step| {
            let (rs1, _) = field(instruction, "rs1", step.word).expect("a base register");
            if rs1 == 0 {
                return Ok(());
            }
            let imm = immediate(instruction, step.word);
            step.start.x[rs1 as usize] = OPERAND.wrapping_sub(imm) & xlen.mask();
            let at = (OPERAND - BASE) as usize;
            let raw = u64::from_le_bytes(step.start.bytes[at..at + 8].try_into().expect("eight bytes"));
            let value = loaded(xlen.bits(), &instruction.mnemonic, raw).expect("a load");
            let machine = step.execute();
            prop_assert_eq!(registers_of(&machine), step.registers_with(instruction, value), "{:#x}", raw);
            Ok(())
        });
        assert_eq!(checked, expected);
    }
}

#[test]
fn atomics_agree_with_the_oracle() {
    for (xlen, expected) in WIDTHS.into_iter().zip([27, 36]) {
        let atomics = |instruction: &Instruction| amo(xlen.bits(), &instruction.mnemonic, 0, 0).is_some();
        let checked = each(xlen, atomics, |instruction, mut step| {
            step.word = set_field(instruction, step.word, "rs1", 5);
            step.start.place(PC, step.word);
            step.start.x[5] = OPERAND;
            let at = (OPERAND - BASE) as usize;
            let old = u64::from_le_bytes(step.start.bytes[at..at + 8].try_into().expect("eight bytes"));
            let source = step.x(instruction, "rs2");
            let (rd, new) = amo(xlen.bits(), &instruction.mnemonic, old, source).expect("an atomic");
            let bytes = match instruction.mnemonic.rsplit('.').next() {
                Some("b") => 1,
                Some("h") => 2,
                Some("w") => 4,
                _ => 8,
            };
            let machine = step.execute();
            prop_assert_eq!(registers_of(&machine), step.registers_with(instruction, rd));
            let memory = machine.memory.slice(hart::Address(OPERAND), 8).expect("in memory");
            prop_assert_eq!(&memory[..bytes], &new.to_le_bytes()[..bytes]);
            prop_assert_eq!(&memory[bytes..], &old.to_le_bytes()[bytes..]);
            Ok(())
        });
        assert_eq!(checked, expected);
    }
}

/// A register that holds what is written to it.
const MSCRATCH: u64 = 0x340;

#[test]
fn csr_instructions_agree_with_the_oracle() {
    for xlen in WIDTHS {
        let accesses = |instruction: &Instruction| csr_written(&instruction.mnemonic, 0, 1, 0).is_some();
        let checked = each(xlen, accesses, |instruction, mut step| {
            step.word = set_field(instruction, step.word, "csr", MSCRATCH);
            step.start.place(PC, step.word);
            let (register, _) = field(instruction, "rs1", step.word)
                .or_else(|| field(instruction, "uimm", step.word))
                .expect("a source");
            let operand = match field(instruction, "uimm", step.word) {
                Some((immediate, _)) => immediate,
                None => step.start.x[register as usize],
            };
            let old = step.start.x[31];
            let mut machine = step.start.machine();
            machine.hart.csrs.write(MSCRATCH, old, Clock::default()).expect("a writable register");
            machine.run(Limits { instructions: Some(1) }, &mut Blind, &mut Screen::default());
            let written = csr_written(&instruction.mnemonic, old, register as u8, operand).expect("known");
            let now =
                machine.hart.csrs.read(MSCRATCH, Clock::of_instructions(1)).expect("a readable register");
            prop_assert_eq!(now, written.unwrap_or(old) & xlen.mask());
            prop_assert_eq!(registers_of(&machine), step.registers_with(instruction, old));
            Ok(())
        });
        assert_eq!(checked, 6);
    }
}
