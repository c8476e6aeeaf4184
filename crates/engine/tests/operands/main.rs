//! The table of operands and effects ([`isa::operands`]) against the hart: every instruction of every description,
//! with random words, registers, CSRs, memory and vector settings.
//!
//! - What the table does not list as read is changed, all of it at once: the result stays.
//! - What it does not list as written stays. Of what is written, a byte is determined by what is read, or kept.
//! - What it lists is needed: a read matters in some trial, with all else as it was, and a write changes something.
//! - Accesses have the kind and width that it states; without a load, what memory holds does not matter.
//! - The PC goes where `control` says.

#[path = "../guest/mod.rs"]
mod guest;
mod needed;
mod outcome;
mod random;
mod state;
#[path = "../tier/interpreter.rs"]
mod tier;
mod trial;

use coredsl::ir::{AsmPiece, Module};
use engine::Program;
use isa::{Descriptions, Instructions, Xlen};
use trial::Checked;

/// Trials of each instruction in which it retires (or traps, if that is all it does).
const TRIALS: u32 = 8;
/// Attempts at most to see it retire, and to see that everything it lists is needed.
const ATTEMPTS: u32 = 5000;

fn check(program: &Program) {
    let module = program.module();
    let operands = program.instructions().operands();
    let mut faults = Vec::new();
    let (mut tried, mut reserved) = (0, 0);
    for (number, effects) in operands.iter().enumerate() {
        let mut checked = Checked::new(program, isa::InstructionId(number as u16), effects);
        let mut attempts = 0;
        let most = if checked.is_always_reserved() { TRIALS } else { ATTEMPTS };
        while attempts < most && (checked.executed < TRIALS || !checked.unseen.is_empty()) {
            checked.attempt(attempts);
            attempts += 1;
        }
        tried += u32::from(checked.executed > 0);
        if checked.is_always_reserved() {
            assert_eq!(checked.executed, 0, "{}", module.instructions[number].name);
            reserved += 1;
            continue;
        }
        faults.extend(checked.faults.iter().take(3).cloned());
        let needed = checked.unseen.iter().filter(|&&item| !is_half_without_sign(module, number, item));
        faults.extend(needed.map(|item| {
            let text = effects.described(module, &module.instructions[number]);
            format!("{}: {item:?} is never needed: {text:?}", module.instructions[number].name)
        }));
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert_eq!(tried + reserved, module.instructions.len() as u32, "every instruction is executed");
}

/// Sign injection takes one bit of its second operand, which is in the second register of a pair.
fn is_half_without_sign(module: &Module, number: usize, item: needed::Item) -> bool {
    let instruction = &module.instructions[number];
    let in_pairs = instruction.assembly.iter().any(|piece| matches!(piece, AsmPiece::RegisterPair(_)));
    in_pairs && instruction.name.starts_with("FSGNJ") && item == needed::Item::Read(0)
}

fn built_in(all: Option<&Instructions>) {
    let all = all.expect("the built-in descriptions are sound");
    check(&guest::program(&all.isa().to_string()));
}

#[test]
fn every_built_in_instruction_of_rv32_does_what_the_table_says() {
    built_in(Instructions::all(Xlen::Rv32));
}

#[test]
fn every_built_in_instruction_of_rv64_does_what_the_table_says() {
    built_in(Instructions::all(Xlen::Rv64));
}

#[test]
fn every_built_in_instruction_of_an_embedded_rv32_does_what_the_table_says() {
    built_in(Instructions::embedded(Xlen::Rv32));
}

#[test]
fn every_built_in_instruction_of_an_embedded_rv64_does_what_the_table_says() {
    built_in(Instructions::embedded(Xlen::Rv64));
}

/// The descriptions that the project ships beside the standard ones, and one of every awkward form.
#[test]
fn every_instruction_of_other_descriptions_does_what_the_table_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../extensions");
    let shipped = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<String> = shipped.map(|path| path.to_string_lossy().into_owned()).collect();
    files.push(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/operands/awkward.core_desc").to_owned());
    files.sort();
    assert!(files.len() > 5);
    for file in files {
        let descriptions =
            Descriptions::read(std::slice::from_ref(&file)).unwrap_or_else(|error| panic!("{error:?}"));
        let own: Vec<String> = descriptions.extensions().iter().map(|name| name.to_lowercase()).collect();
        assert!(!own.is_empty(), "{file}");
        for base in ["rv32i", "rv64i"] {
            check(&Program::new(base, &descriptions).unwrap_or_else(|error| panic!("{error}")));
        }
    }
}
