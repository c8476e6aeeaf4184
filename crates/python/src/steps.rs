//! The steps of a passage as Python has them.

use std::collections::{BTreeMap, BTreeSet};

use engine::Program;
use isa::InstructionId;
use isa::operands::{Control, File};
use observe::Symbols;
use pyo3::prelude::*;
use timing::Steps;

use crate::simulate::causes;

/// Registers that calls leave their return address in (Unprivileged ISA, "Unconditional Jumps").
const LINKS: [u16; 2] = [1, 5];

/// An address, and what is there.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct Place {
    address: u64,
    length: u64,
    /// `next`, `branch`, `jump`, `call`, `return` or `trap`.
    flow: &'static str,
    function: Option<String>,
    offset: u64,
    line: Option<(String, u32)>,
    disassembly: String,
}

/// Every instruction between two addresses, in order.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct Passage {
    /// In ascending order of their addresses.
    places: Vec<Place>,
    /// What instructions spent, by cause.
    spent: Vec<BTreeMap<&'static str, u64>>,
    /// Of each instruction the numbers of its place, and of what it spent.
    steps: Vec<(u32, u32)>,
    is_cut: bool,
}

/// Those of a run that has ended.
pub fn passage(
    steps: &Steps,
    symbols: &Symbols<'_>,
    program: &Program,
    machine: &engine::Machine<'_>,
) -> Passage {
    let addresses: BTreeSet<u64> = steps.each.iter().map(|&(pc, _)| pc).collect();
    let numbers: BTreeMap<u64, u32> = addresses.iter().zip(0..).map(|(&pc, number)| (pc, number)).collect();
    Passage {
        places: addresses.into_iter().map(|address| place(address, symbols, program, machine)).collect(),
        spent: steps.spent.iter().map(causes).collect(),
        steps: steps.each.iter().map(|&(pc, spent)| (numbers[&pc], spent)).collect(),
        is_cut: steps.is_cut,
    }
}

/// What is at an address.
pub fn place(address: u64, symbols: &Symbols<'_>, program: &Program, machine: &engine::Machine<'_>) -> Place {
    let found = symbols.place(address);
    let word = engine::block::fetch(program, &machine.memory, address).ok();
    let text = word.and_then(|(word, _)| program.instructions().disassemble(word, address));
    let (flow, length) = match word {
        // The lowest two bits tell a compressed instruction (Unprivileged ISA, "Expanded Instruction-Length Encoding").
        Some((word, id)) => (flow(program, word, id), if word & 3 == 3 { 4 } else { 2 }),
        None => ("next", 4),
    };
    Place {
        address,
        length,
        flow,
        function: found.function,
        offset: found.offset,
        line: found.line,
        disassembly: text.unwrap_or_default(),
    }
}

fn flow(program: &Program, word: u32, id: InstructionId) -> &'static str {
    let site = program.site(id, word);
    let links = |file: &mut dyn Iterator<Item = Option<u16>>| file.flatten().any(|one| LINKS.contains(&one));
    match site.effects.control {
        Control::Branch { .. } => "branch",
        Control::Jump { .. } if links(&mut site.writes(File::X)) => "call",
        Control::Jump { indirect: true, .. } if links(&mut site.reads(File::X)) => "return",
        Control::Jump { .. } => "jump",
        Control::Trap | Control::Return => "trap",
        Control::Next | Control::Fence => "next",
    }
}
