//! The processes of a run, as Python sees them.

use linux::{Account, Ending, Signal};
use pyo3::prelude::*;

/// A process of a run that had several.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct ProcessResult {
    pid: u32,
    parent: u32,
    program: String,
    instructions: u64,
    exit_code: Option<u64>,
    signal: Option<String>,
}

impl From<Account> for ProcessResult {
    fn from(account: Account) -> Self {
        let (exit_code, signal) = match account.ending {
            Some(Ending::Exit(status)) => (Some(status), None),
            Some(Ending::Killed(by)) => (None, Some(signal_name(by))),
            Some(Ending::Fault(fault)) => (None, Some(signal_name(Signal::of(fault.exception).0))),
            _ => (None, None),
        };
        Self {
            pid: account.id.0,
            parent: account.parent.0,
            program: String::from_utf8_lossy(&account.program).into_owned(),
            instructions: account.instructions,
            exit_code,
            signal,
        }
    }
}

/// A signal as people know it.
pub fn signal_name(signal: Signal) -> String {
    signal.name().map_or_else(|| format!("signal {}", signal.0), str::to_owned)
}
