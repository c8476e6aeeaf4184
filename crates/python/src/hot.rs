//! Instructions of a profile.

use std::collections::BTreeMap;

use engine::Program;
use observe::Symbols;
use pyo3::prelude::*;
use session::Seen;

use crate::simulate::causes;

/// Executed instructions at an address.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct Hot {
    address: u64,
    instructions: u64,
    cycles: Option<BTreeMap<&'static str, u64>>,
    function: Option<String>,
    offset: u64,
    line: Option<(String, u32)>,
    disassembly: String,
}

/// What a profile says, address by address.
pub fn hot(
    profile: &[(u64, u64)],
    seen: &Seen,
    symbols: &Symbols<'_>,
    program: &Program,
    machine: &engine::Machine<'_>,
) -> Vec<Hot> {
    let entry = |&(address, instructions): &(u64, u64)| {
        let place = symbols.place(address);
        let word = engine::block::fetch(program, &machine.memory, address).ok();
        let text = word.and_then(|(word, _)| program.instructions().disassemble(word, address));
        let cycles = seen.account.get(&address).map(|(_, spent)| causes(spent));
        Hot {
            address,
            instructions,
            cycles,
            function: place.function,
            offset: place.offset,
            line: place.line,
            disassembly: text.unwrap_or_default(),
        }
    };
    profile.iter().map(entry).collect()
}
