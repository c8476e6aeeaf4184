//! ISA strings, known extensions, and a user's own descriptions.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use isa::extension::{EXTENSIONS, Support};
use isa::operands::Described;
use isa::{Descriptions, InstructionId, Instructions, Xlen};
use pyo3::prelude::*;
use render::render;

use crate::failure::{failure, refused, worded};

/// A parsed ISA string.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
pub struct Isa {
    xlen: u16,
    canonical: String,
    extensions: Vec<String>,
}

#[pyfunction]
fn parse_isa(text: &str) -> PyResult<Isa> {
    let isa = isa::Isa::parse(text, &[]).map_err(failure)?;
    Ok(Isa {
        xlen: isa.xlen().bits(),
        canonical: isa.canonical(),
        extensions: isa.extensions().map(str::to_owned).collect(),
    })
}

/// Names of the built-in instructions with the extensions that provide each, over both XLENs.
fn mnemonics() -> BTreeMap<String, Vec<String>> {
    let mut provided: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for all in [Xlen::Rv32, Xlen::Rv64].into_iter().flat_map(Instructions::everything) {
        for instruction in &all.module().instructions {
            let extensions = isa::extensions_of(&instruction.set);
            provided.insert(instruction.mnemonic.clone(), extensions);
        }
    }
    provided
}

#[pyfunction]
fn instruction_extensions() -> BTreeMap<String, Vec<String>> {
    mnemonics()
}

/// Names of the built-in instructions with the instruction set of `isa/*.core_desc` that declares each.
#[pyfunction]
fn instruction_sets() -> BTreeMap<String, String> {
    let mut declared = BTreeMap::new();
    for all in [Xlen::Rv32, Xlen::Rv64].into_iter().flat_map(Instructions::everything) {
        for instruction in &all.module().instructions {
            declared.insert(instruction.mnemonic.clone(), instruction.set.clone());
        }
    }
    declared
}

#[pyfunction]
fn builtin_extensions() -> Vec<(&'static str, &'static str, usize)> {
    let provided = mnemonics();
    EXTENSIONS
        .iter()
        .filter(|extension| matches!(extension.support, Support::Built(_)))
        .map(|extension| {
            let parts = closure(extension.name);
            let provides = |names: &&Vec<String>| names.iter().any(|name| parts.contains(name.as_str()));
            (extension.name, extension.summary, provided.values().filter(provides).count())
        })
        .collect()
}

/// Extensions that are known and not built: name, what it is, and why it is refused (none if it is without effect).
#[pyfunction]
fn other_extensions() -> Vec<(&'static str, &'static str, Option<&'static str>)> {
    let other = |extension: &'static isa::extension::Extension| match extension.support {
        Support::Built(_) => None,
        Support::WithoutEffect => Some((extension.name, extension.summary, None)),
        Support::Refused(reason) => Some((extension.name, extension.summary, Some(reason))),
    };
    EXTENSIONS.iter().filter_map(other).collect()
}

/// Names of profiles, and the ISA string that each stands for.
#[pyfunction]
fn profiles() -> Vec<(&'static str, String)> {
    let spelt = |name: &str| isa::Isa::parse(name, &[]).map(|isa| isa.canonical()).unwrap_or_default();
    isa::PROFILES.iter().map(|profile| (profile.name, spelt(profile.name))).collect()
}

fn closure(name: &'static str) -> HashSet<&'static str> {
    let mut parts = HashSet::from([name]);
    if let Some(extension) = isa::extension::find(name) {
        for implied in extension.implies {
            parts.extend(closure(implied));
        }
    }
    parts
}

/// Width, and what a description adds to that width's base.
fn read(path: &str) -> PyResult<Descriptions> {
    Descriptions::read(&[path.to_owned()]).map_err(refused)
}

fn own_instructions(path: &str) -> PyResult<Vec<Instructions>> {
    let descriptions = read(path)?;
    BASES.iter().map(|base| Instructions::new(base, &descriptions).map_err(refused)).collect()
}

/// ISAs that a description is checked on top of.
const BASES: [&str; 2] = ["rv32imac_zicsr_zifencei", "rv64imac_zicsr_zifencei"];

/// The instructions that are not the base's.
fn added(instructions: &Instructions) -> Vec<InstructionId> {
    let all = instructions.module().instructions.iter().enumerate();
    let own = all.filter(|(_, instruction)| isa::extensions_of(&instruction.set).is_empty());
    own.map(|(index, _)| InstructionId(index as u16)).collect()
}

#[pyfunction]
fn description_header(path: &str) -> PyResult<String> {
    let per_width = own_instructions(path)?;
    let shares: Vec<_> = per_width.iter().map(|one| (one, added(one))).collect();
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    Ok(isa::header(&name, &shares))
}

/// Syntax, encoding, behaviour as written, set, the XLENs that have the instruction; its class, reads and writes.
type TableLine = (String, String, String, String, Vec<u16>, &'static str, Vec<String>, Vec<String>);

#[pyfunction]
fn description_table(path: &str) -> PyResult<Vec<TableLine>> {
    let mut table: Vec<TableLine> = Vec::new();
    for one in own_instructions(path)? {
        let xlen = one.module().xlen;
        for line in isa::table::lines(&one, &added(&one)) {
            let Described { class, reads, writes } = line.effects;
            let (syntax, encoding) = (line.syntax, line.encoding);
            let same = |known: &&mut TableLine| {
                (&known.0, &known.1, &known.6, &known.7) == (&syntax, &encoding, &reads, &writes)
            };
            match table.iter_mut().find(same) {
                Some(known) => known.4.push(xlen),
                None => {
                    let (behavior, set) = (line.behavior, line.set);
                    table.push((syntax, encoding, behavior, set, vec![xlen], class, reads, writes));
                }
            }
        }
    }
    Ok(table)
}

#[pyfunction]
fn description_sets(path: &str) -> PyResult<Vec<String>> {
    Ok(read(path)?.extensions().to_vec())
}

/// Path and text of a description and of every file it imports.
#[pyfunction]
fn description_files(path: &str) -> PyResult<Vec<(String, String)>> {
    Ok(read(path)?.files().map(|file| (file.name.clone(), file.text.clone())).collect())
}

/// The text of a word that a description adds an instruction for, at this register width.
#[pyfunction]
fn described_word(path: &str, xlen: u16, word: u32, pc: u64) -> PyResult<Option<String>> {
    let described = |one: &Instructions| {
        one.decode(word).filter(|id| one.module().xlen == xlen && added(one).contains(id))?;
        one.disassemble(word, pc)
    };
    Ok(own_instructions(path)?.iter().find_map(described))
}

/// What differs from the built-in instructions: XLEN, name, how many trials of how many, and an example.
type Differing = (u16, String, u32, u32, String);

#[pyfunction]
#[pyo3(signature = (path, *, trials=1000, seed=1))]
fn compare_description(
    py: Python<'_>,
    path: String,
    trials: u32,
    seed: u64,
) -> PyResult<(usize, Vec<String>, Vec<Differing>)> {
    let comparison = py.detach(|| isa::compare::compare(&path, trials, seed)).map_err(refused)?;
    let alone =
        comparison.alone.into_iter().map(|(xlen, name)| format!("RV{} {name}", xlen.bits())).collect();
    let differences = comparison.differences.into_iter();
    let differing =
        differences.map(|one| (one.xlen.bits(), one.name, one.differing, one.trials, one.example)).collect();
    Ok((comparison.compared.len(), alone, differing))
}

#[pyfunction]
fn check_description(path: &str) -> Vec<String> {
    let descriptions = match Descriptions::read(&[path.to_owned()]) {
        Ok(descriptions) => descriptions,
        Err(faults) => return vec![render(&faults)],
    };
    // A fault that both widths share is reported once.
    let mut found = Vec::new();
    for base in BASES {
        if let Err(fault) = Instructions::new(base, &descriptions) {
            let text = worded(&fault);
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Isa>()?;
    module.add_function(wrap_pyfunction!(parse_isa, module)?)?;
    module.add_function(wrap_pyfunction!(instruction_extensions, module)?)?;
    module.add_function(wrap_pyfunction!(instruction_sets, module)?)?;
    module.add_function(wrap_pyfunction!(builtin_extensions, module)?)?;
    module.add_function(wrap_pyfunction!(other_extensions, module)?)?;
    module.add_function(wrap_pyfunction!(profiles, module)?)?;
    module.add_function(wrap_pyfunction!(compare_description, module)?)?;
    module.add_function(wrap_pyfunction!(description_header, module)?)?;
    module.add_function(wrap_pyfunction!(description_table, module)?)?;
    module.add_function(wrap_pyfunction!(described_word, module)?)?;
    module.add_function(wrap_pyfunction!(description_files, module)?)?;
    module.add_function(wrap_pyfunction!(description_sets, module)?)?;
    module.add_function(wrap_pyfunction!(check_description, module)?)
}
