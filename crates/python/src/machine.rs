//! Machines as Python describes them.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use timing::{Described, DescribedPart, Machine, Options};

/// A core's name, its memory's latency, its parameters, and its memory if that is one of parts.
pub type MachineArguments = (String, u32, BTreeMap<String, Parameter>, Option<MemoryArguments>);

/// Picoseconds of a cycle, harts, the parts that fetches and data go to, and each part with its keys.
pub type MemoryArguments = (u64, usize, String, String, Vec<(String, BTreeMap<String, Parameter>)>);

/// A parameter as Python has it.
#[derive(FromPyObject)]
pub enum Parameter {
    // First: Python's booleans are numbers, too.
    Flag(bool),
    Number(i64),
    Name(String),
}

/// The machine that Python describes.
pub fn described((core, memory_latency, parameters, memory): MachineArguments) -> Machine {
    let keys = |keys: BTreeMap<String, Parameter>| {
        let key = |value| match value {
            Parameter::Flag(value) => timing::Parameter::Flag(value),
            Parameter::Number(value) => timing::Parameter::Number(value),
            Parameter::Name(value) => timing::Parameter::Name(value),
        };
        keys.into_iter().map(|(name, value)| (name, key(value))).collect()
    };
    let memory = memory.map(|(period, harts, fetch, data, parts)| Described {
        period,
        harts,
        fetch,
        data,
        parts: parts.into_iter().map(|(name, given)| DescribedPart { name, keys: keys(given) }).collect(),
    });
    Machine { core, memory_latency, parameters: keys(parameters), memory }
}

/// Why the cycles of a machine cannot be told, if they cannot.
#[pyfunction]
fn unmodelled(machine: MachineArguments) -> Option<String> {
    described(machine)
        .timing(Options { remembers: true, by_address: false })
        .err()
        .map(|error| error.to_string())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(unmodelled, module)?)
}
