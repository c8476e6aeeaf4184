//! What harts and parts of a memory did.

use std::collections::BTreeMap;

use pyo3::prelude::*;

/// Statistics as gem5 dumps them.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct Dump {
    instructions: u64,
    cycles: u64,
    ends_at: u64,
    harts: Vec<(u64, u64)>,
    memory: BTreeMap<String, BTreeMap<&'static str, u64>>,
}

impl From<timing::Dump> for Dump {
    fn from(timing::Dump { at, since }: timing::Dump) -> Self {
        Self {
            instructions: since.instructions,
            cycles: since.cycles,
            ends_at: at,
            harts: worked(&since.harts),
            memory: counts(since.memory),
        }
    }
}

/// What parts saw, by their names.
pub fn counts(seen: Vec<timing::Seen>) -> BTreeMap<String, BTreeMap<&'static str, u64>> {
    seen.into_iter().map(|each| (each.part, each.counts.into_iter().collect())).collect()
}

/// Instructions and cycles of each hart.
pub fn worked(harts: &[timing::Work]) -> Vec<(u64, u64)> {
    harts.iter().map(|hart| (hart.instructions, hart.cycles)).collect()
}
