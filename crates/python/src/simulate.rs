//! `simulate`: one program from its start to its end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use engine::Program;
use hart::elf::Executable;
use hart::{Address, AgnosticFill, Host as _};
use linux::{Ending, Startup, ThreadId, TimeSource};
use observe::{Breach, Region, Symbols};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use session::{Environment, Failure, Guest, Seen, Watch, by_extension, by_mnemonic};
use timing::{Cause, Spent};

use crate::caller::Caller;
use crate::failure::{failure, unrun};
use crate::fault::{Fault, calls, describe, where_is};
use crate::hot::{Hot, hot};
use crate::machine::{MachineArguments, described};
use crate::processes::{ProcessResult, signal_name};
use crate::seen::{Dump, counts, worked};
use crate::steps::{Passage, Place, passage};

/// One passage through the region.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct Roi {
    instructions: u64,
    cycles: Option<u64>,
    spent: Option<BTreeMap<&'static str, u64>>,
    opcodes: BTreeMap<String, u64>,
}

/// A run's result.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
pub struct SimResult {
    stop: &'static str,
    exit_code: Option<u64>,
    signal: Option<String>,
    deadlock: Vec<String>,
    unopened: Vec<String>,
    instructions: u64,
    processes: Vec<ProcessResult>,
    cycles: Option<u64>,
    spent: Option<BTreeMap<&'static str, u64>>,
    console: Py<PyBytes>,
    fault: Option<Fault>,
    traps: BTreeMap<&'static str, u64>,
    last_trap: Option<Fault>,
    rois: Vec<Roi>,
    breach: Option<&'static str>,
    opcodes: Option<BTreeMap<String, u64>>,
    extensions_used: Option<BTreeMap<String, u64>>,
    profile: Option<Vec<Hot>>,
    steps: Option<Passage>,
    signature: Option<String>,
    harts: Vec<(u64, u64)>,
    memory: BTreeMap<String, BTreeMap<&'static str, u64>>,
    dumps: Vec<Dump>,
    engine_seconds: f64,
}

#[pyfunction]
#[pyo3(signature = (elf, *, isa=None, vlen=None, agnostic_ones=false, extensions=Vec::new(), memory_bytes=None,
    max_instructions=None, max_seconds=None, roi=None, supervise=None, histogram=false, profile=false, trace=None,
    trace_from=None, trace_to=None, gdb=None, signature_granularity=None, linux=None, arguments=Vec::new(),
    environment=Vec::new(), root=None, writable=false, host_time=false, seed=Some(1), max_processes=64, strace=false, stdin=false,
    terminal=None, console=None, error_console=None, message=None, jit=true, machine=None, memo=true,
    steps=None, mailbox=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of the Python function")]
fn simulate(
    py: Python<'_>,
    elf: Vec<u8>,
    isa: Option<String>,
    vlen: Option<u32>,
    agnostic_ones: bool,
    extensions: Vec<String>,
    memory_bytes: Option<u64>,
    max_instructions: Option<u64>,
    max_seconds: Option<f64>,
    roi: Option<(String, String)>,
    supervise: Option<[(String, String); 3]>,
    histogram: bool,
    profile: bool,
    trace: Option<String>,
    trace_from: Option<String>,
    trace_to: Option<String>,
    gdb: Option<u16>,
    signature_granularity: Option<usize>,
    linux: Option<bool>,
    arguments: Vec<Vec<u8>>,
    environment: Vec<Vec<u8>>,
    root: Option<PathBuf>,
    writable: bool,
    host_time: bool,
    seed: Option<u64>,
    max_processes: usize,
    strace: bool,
    stdin: bool,
    terminal: Option<(u16, u16)>,
    console: Option<Py<PyAny>>,
    error_console: Option<Py<PyAny>>,
    message: Option<Py<PyAny>>,
    jit: bool,
    machine: Option<MachineArguments>,
    memo: bool,
    steps: Option<usize>,
    mailbox: Option<u64>,
) -> PyResult<SimResult> {
    let deadline = match max_seconds {
        Some(seconds) => {
            let limit = Duration::try_from_secs_f64(seconds).map_err(failure)?;
            Some(Instant::now() + limit)
        }
        None => None,
    };
    let mut caller = Caller {
        callback: console,
        error_callback: error_console,
        message_callback: message,
        stdin,
        terminal,
        deadline,
        ..Caller::default()
    };
    let machine = machine.map(|machine| (described(machine), memo));
    let as_gem5 = machine.as_ref().is_some_and(|(machine, _)| machine.starts_as_gem5());
    let environment = Environment {
        startup: if as_gem5 { Startup::Gem5 } else { Startup::Linux },
        isa,
        vlen,
        fill: if agnostic_ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed },
        extensions,
        memory_bytes,
        mailbox,
        linux,
        arguments,
        variables: environment,
        root,
        writable,
        time: if host_time { TimeSource::Host } else { TimeSource::Instructions },
        seed,
        most_processes: max_processes,
        strace,
        jit,
    };
    let window = (trace_from, trace_to);
    let watch = Watch { max_instructions, roi, supervise, histogram, profile, trace, window, machine, steps };
    let (program, finished) = py
        .detach(|| run(&elf, &environment, &watch, gdb, signature_granularity, &mut caller))
        .map_err(unrun)?;
    if let Some(raised) = caller.raised {
        return Err(raised);
    }
    Ok(report(py, &program, finished, &caller))
}

/// All that Python is told of a run.
struct Finished {
    seen: Seen,
    /// Of a supervised run: whether code and constants are not what was loaded any more.
    rewritten: bool,
    instructions: u64,
    processes: Vec<ProcessResult>,
    fault: Option<Fault>,
    traps: BTreeMap<&'static str, u64>,
    last_trap: Option<Fault>,
    deadlock: Vec<String>,
    unopened: Vec<String>,
    profile: Option<Vec<Hot>>,
    steps: Option<Passage>,
    signature: Option<String>,
    seconds: f64,
}

fn run(
    elf: &[u8],
    environment: &Environment,
    watch: &Watch,
    gdb: Option<u16>,
    granularity: Option<usize>,
    caller: &mut Caller,
) -> Result<(Program, Finished), Failure> {
    let executable = Executable::parse(elf)?;
    let program = environment.program(&executable)?;
    environment.remarks(&program).iter().for_each(|remark| caller.message(remark));
    let mut guest = Guest::new(&executable, &program, environment)?;
    let started = Instant::now();
    let seen = match gdb {
        Some(_) if watch.is_curious() => {
            let refusal = "a run under gdb can be neither traced nor counted by opcode or address";
            return Err(Failure::Other(refusal.to_owned()));
        }
        Some(port) => gdb::Server::bind(port)?.debug(&mut guest, watch.limits(), caller)?.into(),
        None => session::run(&mut guest, &executable, watch, caller)?,
    };
    let seconds = started.elapsed().as_secs_f64();
    let signature = match granularity {
        Some(granularity) => Some(signature(&executable, &guest, granularity)?),
        None => None,
    };
    // Of another program that it executes, nothing is known.
    let (elf, names) =
        if guest.runs_another() { (&[][..], &[][..]) } else { (elf, executable.symbols.as_slice()) };
    let symbols = || Symbols::new(elf, names, guest.base());
    let fault = match seen.ending {
        Ending::Fault(fault) => {
            let backtrace = calls(&program, elf, &symbols(), &guest.machine.system, guest.base());
            Some(describe(&program, fault, backtrace))
        }
        _ => None,
    };
    let traps = guest.machine.traps();
    let trapped =
        |fault: hart::Fault| describe(&program, fault, vec![where_is(&symbols(), fault.pc.0, fault.pc.0)]);
    let (traps, last_trap) = (traps.counts().collect(), traps.last().map(trapped));
    let deadlock = match &seen.ending {
        Ending::Deadlock(threads) => blocked(threads, &symbols()),
        _ => Vec::new(),
    };
    let profile =
        seen.profile.as_ref().map(|profile| hot(profile, &seen, &symbols(), &program, &guest.machine));
    let steps = seen.steps.as_ref().map(|steps| passage(steps, &symbols(), &program, &guest.machine));
    let instructions = guest.machine.hart.retired();
    let rewritten = watch.supervise.is_some() && rewritten(&executable, &guest.machine);
    let unopened = guest.unopened();
    let processes = guest.accounts().into_iter().map(ProcessResult::from).collect();
    drop(guest);
    Ok((
        program,
        Finished {
            seen,
            rewritten,
            instructions,
            processes,
            fault,
            traps,
            last_trap,
            deadlock,
            unopened,
            profile,
            steps,
            signature,
            seconds,
        },
    ))
}

/// Whether what no segment may write to differs from the file.
fn rewritten(executable: &Executable<'_>, machine: &engine::Machine<'_>) -> bool {
    let constant = executable.segments.iter().filter(|segment| !segment.writable);
    constant.into_iter().any(|segment| {
        let address = Address(segment.physical_address);
        machine.memory.slice(address, segment.bytes.len()) != Some(segment.bytes)
    })
}

/// What each thread of a deadlock waits for.
fn blocked(threads: &[(ThreadId, u64, Option<u64>)], symbols: &Symbols<'_>) -> Vec<String> {
    let line = |&(ThreadId(thread), pc, futex): &(ThreadId, u64, Option<u64>)| {
        let place = where_is(symbols, pc, pc);
        let waits =
            futex.map_or_else(|| "for ever".to_owned(), |address| format!("for the futex at {address:#x}"));
        format!("thread {thread} waits {waits}, at {place}")
    };
    threads.iter().map(line).collect()
}

/// Cycles by cause.
pub fn causes(spent: &Spent) -> BTreeMap<&'static str, u64> {
    let every = Cause::ALL.iter().map(|&cause| (cause.name(), spent.on(cause)));
    every.filter(|&(_, cycles)| cycles > 0).collect()
}

/// The words between `begin_signature` and `end_signature`, as riscv-arch-test compares them.
fn signature(executable: &Executable<'_>, guest: &Guest<'_>, granularity: usize) -> Result<String, Failure> {
    if !matches!(granularity, 4 | 8 | 16) {
        return Err(Failure::Other(format!("signature granularity {granularity} is not 4, 8 or 16 bytes")));
    }
    let begin = guest.symbol(executable, "begin_signature")?;
    let end = guest.symbol(executable, "end_signature")?;
    let size = end.0.saturating_sub(begin.0);
    let size = usize::try_from(size).map_err(|error| Failure::Other(error.to_string()))?;
    let bytes = guest.machine.memory.slice(begin, size);
    let bytes =
        bytes.ok_or_else(|| Failure::Other("the signature lies outside the guest's memory".to_owned()))?;
    let mut text = String::new();
    for chunk in bytes.chunks(granularity) {
        text.extend(chunk.iter().rev().map(|byte| format!("{byte:02x}")));
        text.push('\n');
    }
    Ok(text)
}

fn report(py: Python<'_>, program: &Program, finished: Finished, caller: &Caller) -> SimResult {
    let seen = finished.seen;
    let mut signal = None;
    let (stop, exit_code) = match seen.ending {
        Ending::Exit(status) => ("exit", Some(status)),
        Ending::Fault(_) => ("fault", None),
        Ending::Killed(by) => {
            signal = Some(signal_name(by));
            ("signal", Some(128 + u64::from(by.0)))
        }
        Ending::Deadlock(_) => ("deadlock", None),
        Ending::InstructionLimit => ("instruction-limit", None),
        Ending::Interrupted if caller.timed_out => ("time-limit", None),
        Ending::Interrupted | Ending::Observed => ("interrupted", None),
    };
    let breach = seen.breach.map(|breach| match breach {
        Breach::Reentry => "reentry",
        Breach::StrayEnd => "stray-end",
        Breach::Console => "console",
        Breach::Stack => "stack",
        Breach::Exit => "exit",
    });
    let timed = seen.cycles.is_some();
    let mut spent = seen.passages.iter().filter(|_| timed).map(causes);
    let roi = |region: Region| Roi {
        instructions: region.instructions,
        cycles: timed.then_some(region.cycles),
        spent: spent.next(),
        opcodes: by_mnemonic(program, &region.opcodes),
    };
    SimResult {
        stop,
        exit_code,
        signal,
        deadlock: finished.deadlock,
        unopened: finished.unopened,
        instructions: finished.instructions,
        processes: finished.processes,
        cycles: seen.cycles,
        spent: seen.cycles.map(|_| {
            let mut whole = Spent::default();
            seen.account.values().for_each(|(_, spent)| whole.add(spent, 1));
            causes(&whole)
        }),
        console: PyBytes::new(py, &caller.console).unbind(),
        fault: finished.fault,
        traps: finished.traps,
        last_trap: finished.last_trap,
        breach: breach.or(finished.rewritten.then_some("rewritten")),
        rois: seen.regions.into_iter().map(roi).collect(),
        opcodes: seen.opcodes.as_deref().map(|counts| by_mnemonic(program, counts)),
        extensions_used: seen.opcodes.as_deref().map(|counts| by_extension(program, counts)),
        profile: finished.profile,
        steps: finished.steps,
        signature: finished.signature,
        harts: worked(&seen.harts),
        memory: counts(seen.memory),
        dumps: seen.dumps.into_iter().map(Dump::from).collect(),
        engine_seconds: finished.seconds,
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Fault>()?;
    module.add_class::<Hot>()?;
    module.add_class::<Roi>()?;
    module.add_class::<Passage>()?;
    module.add_class::<Place>()?;
    module.add_class::<ProcessResult>()?;
    module.add_class::<SimResult>()?;
    module.add_function(wrap_pyfunction!(simulate, module)?)
}
