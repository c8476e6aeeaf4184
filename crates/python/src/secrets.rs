//! `check_secrets` and `compare_traces`: what a guest's secrets reach.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use engine::{Limits, Program};
use hart::AgnosticFill;
use hart::elf::Executable;
use linux::{Ending, Startup, TimeSource};
use observe::Symbols;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use secrets::{Argument, Check, Finding, Trace};
use session::{Environment, Failure, Guest, Harness, Judgement};

use crate::caller::Caller;
use crate::failure::{failure, unrun};
use crate::fault::{Fault, calls, describe};
use crate::machine::{MachineArguments, described};
use crate::steps::{Place, place};

/// An argument: its number, its bytes, the number of the argument that says how many times as many, and the number of
/// its source.
type ArgumentOf = (u16, u64, Option<u16>, u32);
/// A function: its symbol, whether what it does counts, and its secret arguments.
type FunctionOf = (String, bool, Vec<ArgumentOf>);
/// A harness: symbols of where its calls begin and end, the register with the function's address, and the functions.
type HarnessOf = (Vec<(String, String)>, u16, Vec<FunctionOf>);

/// An instruction that a secret reached.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct SecretFinding {
    kind: &'static str,
    place: Place,
    times: u64,
    /// Number of the source, and which of its bytes.
    source: u32,
    byte: u32,
    /// The instructions that moved it, the last one first.
    way: Vec<Place>,
    /// The function of the call in which it was found first.
    call: Option<String>,
}

/// What a check found.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
pub struct SecretsResult {
    stop: &'static str,
    exit_code: Option<u64>,
    console: Py<PyBytes>,
    fault: Option<Fault>,
    instructions: u64,
    /// Instructions of the calls that counted, and how often each function was called.
    followed: u64,
    calls: BTreeMap<String, u64>,
    findings: Vec<SecretFinding>,
    engine_seconds: f64,
}

/// In what traces differ.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
pub struct TraceDifferences {
    /// Instructions of the first trace.
    instructions: usize,
    is_cut: bool,
    /// `control` or `address`, the instruction, and how many times.
    differences: Vec<(&'static str, Place, u64)>,
}

fn harness((bounds, register, functions): HarnessOf) -> Harness {
    let argument = |(number, bytes, times, source): ArgumentOf| Argument { number, bytes, times, source };
    let function = |(symbol, counts, arguments): FunctionOf| {
        (symbol, counts, arguments.into_iter().map(argument).collect())
    };
    Harness { bounds, register, functions: functions.into_iter().map(function).collect() }
}

fn environment(
    isa: Option<String>,
    vlen: Option<u32>,
    agnostic_ones: bool,
    extensions: Vec<String>,
    memory_bytes: Option<u64>,
    linux: Option<bool>,
    arguments: Vec<Vec<u8>>,
) -> Environment {
    Environment {
        isa,
        vlen,
        fill: if agnostic_ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed },
        extensions,
        memory_bytes,
        mailbox: None,
        linux,
        arguments,
        variables: Vec::new(),
        root: None,
        writable: false,
        time: TimeSource::Instructions,
        seed: Some(1),
        most_processes: 1,
        strace: false,
        jit: false,
        startup: Startup::Linux,
    }
}

fn caller(max_seconds: Option<f64>) -> PyResult<Caller> {
    let limit = max_seconds.map(Duration::try_from_secs_f64).transpose().map_err(failure)?;
    Ok(Caller { deadline: limit.map(|limit| Instant::now() + limit), ..Caller::default() })
}

/// What is found, with names.
struct Found {
    ending: Ending,
    fault: Option<Fault>,
    instructions: u64,
    followed: u64,
    calls: BTreeMap<String, u64>,
    findings: Vec<SecretFinding>,
    seconds: f64,
}

#[pyfunction]
#[pyo3(signature = (elf, *, harness=None, line=1, machine=None, unlisted=Vec::new(), isa=None, vlen=None,
    agnostic_ones=false, extensions=Vec::new(), memory_bytes=None, linux=None, arguments=Vec::new(),
    root=None, writable=false, max_instructions=None, max_seconds=None, message=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of the Python function")]
fn check_secrets(
    py: Python<'_>,
    elf: Vec<u8>,
    harness: Option<HarnessOf>,
    line: u64,
    machine: Option<MachineArguments>,
    unlisted: Vec<String>,
    isa: Option<String>,
    vlen: Option<u32>,
    agnostic_ones: bool,
    extensions: Vec<String>,
    memory_bytes: Option<u64>,
    linux: Option<bool>,
    arguments: Vec<Vec<u8>>,
    root: Option<PathBuf>,
    writable: bool,
    max_instructions: Option<u64>,
    max_seconds: Option<f64>,
    message: Option<Py<PyAny>>,
) -> PyResult<SecretsResult> {
    let harness = harness.map(self::harness);
    let environment = Environment {
        root,
        writable,
        ..environment(isa, vlen, agnostic_ones, extensions, memory_bytes, linux, arguments)
    };
    let judgement = Judgement { line, machine: machine.map(described), unlisted };
    let limits = Limits { instructions: max_instructions };
    let mut caller = Caller { message_callback: message, ..caller(max_seconds)? };
    let found = py
        .detach(|| check(&elf, &environment, harness.as_ref(), &judgement, limits, &mut caller))
        .map_err(unrun)?;
    if let Some(raised) = caller.raised {
        return Err(raised);
    }
    let (stop, exit_code) = match &found.ending {
        Ending::Exit(status) => ("exit", Some(*status)),
        Ending::Fault(_) => ("fault", None),
        Ending::Killed(by) => ("signal", Some(128 + u64::from(by.0))),
        Ending::Deadlock(_) => ("deadlock", None),
        Ending::InstructionLimit => ("instruction-limit", None),
        Ending::Interrupted if caller.timed_out => ("time-limit", None),
        Ending::Interrupted | Ending::Observed => ("interrupted", None),
    };
    Ok(SecretsResult {
        stop,
        exit_code,
        console: PyBytes::new(py, &caller.console).unbind(),
        fault: found.fault,
        instructions: found.instructions,
        followed: found.followed,
        calls: found.calls,
        findings: found.findings,
        engine_seconds: found.seconds,
    })
}

fn check(
    elf: &[u8],
    environment: &Environment,
    harness: Option<&Harness>,
    judgement: &Judgement,
    limits: Limits,
    caller: &mut Caller,
) -> Result<Found, Failure> {
    let executable = Executable::parse(elf)?;
    let program = environment.program(&executable)?;
    let mut guest = Guest::new(&executable, &program, environment)?;
    let started = Instant::now();
    let (ending, check) = session::check(&mut guest, &executable, harness, judgement, limits, caller)?;
    let seconds = started.elapsed().as_secs_f64();
    let symbols = Symbols::new(elf, &executable.symbols, guest.base());
    let fault = match ending {
        Ending::Fault(fault) => {
            let backtrace = calls(&program, elf, &symbols, &guest.machine.system, guest.base());
            Some(describe(&program, fault, backtrace))
        }
        _ => None,
    };
    let names: Vec<&str> =
        harness.iter().flat_map(|each| &each.functions).map(|(name, ..)| &**name).collect();
    let findings = named(&check, &names, &symbols, &program, &guest.machine);
    let calls = names.iter().zip(&check.followed).map(|(name, &times)| ((*name).to_owned(), times)).collect();
    Ok(Found {
        ending,
        fault,
        instructions: guest.machine.hart.retired(),
        followed: check.instructions,
        calls,
        findings,
        seconds,
    })
}

fn named(
    check: &Check,
    functions: &[&str],
    symbols: &Symbols<'_>,
    program: &Program,
    machine: &engine::Machine<'_>,
) -> Vec<SecretFinding> {
    let at = |pc: u64| place(pc, symbols, program, machine);
    let one = |found: &Finding| SecretFinding {
        kind: found.kind.name(),
        place: at(found.pc),
        times: found.times,
        source: found.way.origin.source,
        byte: found.way.origin.byte,
        way: found.way.steps.iter().map(|&pc| at(pc)).collect(),
        call: found.call.and_then(|call| functions.get(call)).map(|&name| name.to_owned()),
    };
    check.shadow.findings().map(one).collect()
}

#[pyfunction]
#[pyo3(signature = (elfs, *, harness, line=1, isa=None, vlen=None, agnostic_ones=false, extensions=Vec::new(),
    memory_bytes=None, max_seconds=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of the Python function")]
fn compare_traces(
    py: Python<'_>,
    elfs: Vec<Vec<u8>>,
    harness: HarnessOf,
    line: u64,
    isa: Option<String>,
    vlen: Option<u32>,
    agnostic_ones: bool,
    extensions: Vec<String>,
    memory_bytes: Option<u64>,
    max_seconds: Option<f64>,
) -> PyResult<TraceDifferences> {
    let harness = self::harness(harness);
    let environment =
        environment(isa, vlen, agnostic_ones, extensions, memory_bytes, Some(false), Vec::new());
    let mut caller = caller(max_seconds)?;
    py.detach(|| compare(&elfs, &environment, &harness, line, &mut caller)).map_err(unrun)
}

fn compare(
    elfs: &[Vec<u8>],
    environment: &Environment,
    harness: &Harness,
    line: u64,
    caller: &mut Caller,
) -> Result<TraceDifferences, Failure> {
    let mut trace = Trace::new(line);
    let mut differences = Vec::new();
    for (number, elf) in elfs.iter().enumerate() {
        let executable = Executable::parse(elf)?;
        let program = environment.program(&executable)?;
        let mut guest = Guest::new(&executable, &program, environment)?;
        let ending;
        (ending, trace) = session::trace(&mut guest, &executable, harness, trace, Limits::default(), caller)?;
        if ending != Ending::Exit(0) {
            return Err(Failure::Other(format!(
                "run {number} of those whose traces are compared did not end well"
            )));
        }
        if number + 1 == elfs.len() {
            let symbols = Symbols::new(elf, &executable.symbols, guest.base());
            let at = |pc: u64| place(pc, &symbols, &program, &guest.machine);
            let found = trace.differences.iter();
            differences = found.map(|(&(pc, kind), &times)| (kind.name(), at(pc), times)).collect();
        }
    }
    Ok(TraceDifferences { instructions: trace.instructions(), is_cut: trace.is_cut, differences })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<SecretFinding>()?;
    module.add_class::<SecretsResult>()?;
    module.add_class::<TraceDifferences>()?;
    module.add_function(wrap_pyfunction!(check_secrets, module)?)?;
    module.add_function(wrap_pyfunction!(compare_traces, module)?)
}
