//! Executed instructions by what they are called and by what provides them.

use std::collections::BTreeMap;

use engine::Program;

/// By mnemonic. `counts` is by kind, in the order of the program's descriptions.
pub fn by_mnemonic(program: &Program, counts: &[u64]) -> BTreeMap<String, u64> {
    grouped(program, counts, |instruction| instruction.mnemonic.clone())
}

/// By extension: the simplest enabled one that provides each. `counts` is by kind, as for [`by_mnemonic`].
pub fn by_extension(program: &Program, counts: &[u64]) -> BTreeMap<String, u64> {
    grouped(program, counts, |instruction| {
        let provides = isa::extensions_of(&instruction.set);
        let enabled = provides.into_iter().find(|name| program.isa().has(name));
        enabled.unwrap_or_else(|| instruction.set.clone())
    })
}

fn grouped(
    program: &Program,
    counts: &[u64],
    name: impl Fn(&coredsl::ir::Instruction) -> String,
) -> BTreeMap<String, u64> {
    let mut named = BTreeMap::new();
    for (instruction, &count) in program.module().instructions.iter().zip(counts) {
        if count > 0 {
            *named.entry(name(instruction)).or_default() += count;
        }
    }
    named
}
