//! `simulate`: one bare-metal ELF from reset to its end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::time::{Duration, Instant};

use hart::elf::Executable;
use hart::{Address, Fault as HartFault, Host, Htif, Limits, Machine, Observer, Program, Stop};
use isa::{Descriptions, Xlen};
use observe::{CommitLog, Counting};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure;

/// Guest memory unless told otherwise, in bytes.
const MEMORY: u64 = 128 << 20;

/// Most bytes of a guest's console that a result holds; a guest that prints without end gets no more.
const MOST_CONSOLE: usize = 64 << 20;

/// What a guest stopped with.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct Fault {
    pc: u64,
    word: Option<u32>,
    cause: String,
    address: Option<u64>,
    disassembly: Option<String>,
    provided_by: Vec<String>,
    message: String,
}

/// One passage through the region.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct Roi {
    instructions: u64,
    opcodes: BTreeMap<String, u64>,
}

/// A run's result.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
pub struct SimResult {
    stop: &'static str,
    exit_code: Option<u64>,
    instructions: u64,
    console: Py<PyBytes>,
    fault: Option<Fault>,
    rois: Vec<Roi>,
    opcodes: Option<BTreeMap<String, u64>>,
    extensions_used: Option<BTreeMap<String, u64>>,
    signature: Option<String>,
    engine_seconds: f64,
}

struct Session {
    console: Vec<u8>,
    callback: Option<Py<PyAny>>,
    deadline: Option<Instant>,
    timed_out: bool,
    raised: Option<PyErr>,
}

impl Host for Session {
    fn console(&mut self, bytes: &[u8]) {
        let Some(callback) = &self.callback else {
            let room = MOST_CONSOLE.saturating_sub(self.console.len());
            self.console.extend_from_slice(&bytes[..bytes.len().min(room)]);
            return;
        };
        if self.raised.is_none() {
            let called = Python::attach(|py| callback.call1(py, (PyBytes::new(py, bytes),)).map(drop));
            self.raised = called.err();
        }
    }

    fn keep_going(&mut self) -> bool {
        if self.raised.is_none() {
            self.raised = Python::attach(|py| py.check_signals()).err();
        }
        self.timed_out = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.raised.is_none() && !self.timed_out
    }
}

/// The parameters of a run that the interpreter lock is not needed for.
struct Options {
    isa: Option<String>,
    extensions: Vec<String>,
    memory_bytes: u64,
    max_instructions: Option<u64>,
    roi: Option<(String, String)>,
    histogram: bool,
    trace: Option<String>,
    signature_granularity: Option<usize>,
}

struct Finished {
    stop: Stop,
    instructions: u64,
    rois: Vec<Roi>,
    counts: Option<Vec<u64>>,
    signature: Option<String>,
    seconds: f64,
}

#[pyfunction]
#[pyo3(signature = (elf, *, isa=None, vlen=None, extensions=Vec::new(), memory_bytes=MEMORY,
    max_instructions=None, max_seconds=None, roi=None, histogram=false, trace=None,
    signature_granularity=None, console=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of the Python function")]
fn simulate(
    py: Python<'_>,
    elf: Vec<u8>,
    isa: Option<String>,
    vlen: Option<u32>,
    extensions: Vec<String>,
    memory_bytes: u64,
    max_instructions: Option<u64>,
    max_seconds: Option<f64>,
    roi: Option<(String, String)>,
    histogram: bool,
    trace: Option<String>,
    signature_granularity: Option<usize>,
    console: Option<Py<PyAny>>,
) -> PyResult<SimResult> {
    if let Some(vlen) = vlen {
        return Err(failure(format!("vlen {vlen} was given, but the vector unit is not built")));
    }
    let deadline = match max_seconds {
        Some(seconds) => {
            let limit = Duration::try_from_secs_f64(seconds).map_err(failure)?;
            Some(Instant::now() + limit)
        }
        None => None,
    };
    let mut session =
        Session { console: Vec::new(), callback: console, deadline, timed_out: false, raised: None };
    let options = Options {
        isa,
        extensions,
        memory_bytes,
        max_instructions,
        roi,
        histogram,
        trace,
        signature_granularity,
    };
    let (program, finished) =
        py.detach(|| run(&elf, &options, &mut session)).map_err(|error| failure(error.0))?;
    if let Some(raised) = session.raised {
        return Err(raised);
    }
    Ok(report(py, &program, finished, &session))
}

/// A host-side failure, worded for the user.
struct Failure(String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

fn run(elf: &[u8], options: &Options, session: &mut Session) -> Result<(Program, Finished), Failure> {
    let executable = Executable::parse(elf)?;
    let program = program_for(&executable, options.isa.as_deref(), &options.extensions)?;
    let mut memory = executable.load(options.memory_bytes)?;
    let word = |name| executable.symbol(name).map(Address);
    let tohost = word("tohost");
    if let Some(tohost) = tohost {
        memory.set_tohost(tohost);
    }
    let htif = Htif::new(tohost, word("fromhost"));
    let region = match &options.roi {
        Some((begin, end)) => Some((symbol(&executable, begin)?, symbol(&executable, end)?)),
        None => None,
    };
    let mut machine = Machine::new(&program, memory, Address(executable.entry), htif);
    let limits = Limits { instructions: options.max_instructions };
    let started = Instant::now();
    let mut rois = Vec::new();
    let mut counts = None;
    let stop = if let Some(path) = &options.trace {
        let file = File::create(path).map_err(|error| Failure(format!("{path}: {error}")))?;
        let mut log = CommitLog::new(BufWriter::new(file), program.isa().xlen());
        let stop = machine.run(limits, &mut log, session);
        log.finish().map_err(|error| Failure(format!("{path}: {error}")))?;
        counts = options.histogram.then(|| machine.histogram());
        stop
    } else if options.histogram || region.is_some() {
        let mut counting = Counting::new(program.module().instructions.len(), region);
        let stop = machine.run(limits, &mut counting, session);
        counts = Some(machine.histogram());
        let regions = counting.regions.into_iter();
        rois = regions
            .map(|region| Roi {
                instructions: region.instructions,
                opcodes: by_mnemonic(&program, &region.opcodes),
            })
            .collect();
        stop
    } else {
        observe_nothing(&mut machine, limits, session)
    };
    let seconds = started.elapsed().as_secs_f64();
    let signature = match options.signature_granularity {
        Some(granularity) => Some(signature(&executable, &machine, granularity)?),
        None => None,
    };
    let instructions = machine.core.retired();
    drop(machine);
    Ok((program, Finished { stop, instructions, rois, counts, signature, seconds }))
}

fn observe_nothing(machine: &mut Machine<'_>, limits: Limits, session: &mut Session) -> Stop {
    fn with<O: Observer>(
        machine: &mut Machine<'_>,
        limits: Limits,
        mut observer: O,
        session: &mut Session,
    ) -> Stop {
        machine.run(limits, &mut observer, session)
    }
    with(machine, limits, hart::Blind, session)
}

/// The program's instructions: the ISA asked for, else the one the ELF file names, else GC.
fn program_for(
    executable: &Executable<'_>,
    isa: Option<&str>,
    extensions: &[String],
) -> Result<Program, Failure> {
    let fallback = match executable.xlen {
        Xlen::Rv32 => "rv32gc",
        Xlen::Rv64 => "rv64gc",
    };
    let isa = isa.or(executable.arch.as_deref()).unwrap_or(fallback);
    let descriptions = Descriptions::read(extensions).map_err(|faults| Failure(faults.render(false)))?;
    let program = Program::new(isa, &descriptions)?;
    if program.isa().xlen() != executable.xlen {
        return Err(Failure(format!(
            "the ELF file is for RV{}, but the ISA string is {isa}; name an rv{} ISA with --isa",
            executable.xlen.bits(),
            executable.xlen.bits(),
        )));
    }
    Ok(program)
}

fn symbol(executable: &Executable<'_>, name: &str) -> Result<Address, Failure> {
    let address = executable.symbol(name);
    address.map(Address).ok_or_else(|| Failure(format!("the ELF file has no symbol '{name}'")))
}

/// The words between `begin_signature` and `end_signature`, as riscv-arch-test compares them.
fn signature(
    executable: &Executable<'_>,
    machine: &Machine<'_>,
    granularity: usize,
) -> Result<String, Failure> {
    if !matches!(granularity, 4 | 8 | 16) {
        return Err(Failure(format!("signature granularity {granularity} is not 4, 8 or 16 bytes")));
    }
    let (begin, end) = (symbol(executable, "begin_signature")?, symbol(executable, "end_signature")?);
    let size = usize::try_from(end.0.saturating_sub(begin.0))?;
    let bytes = machine.core.memory.slice(begin, size);
    let bytes = bytes.ok_or_else(|| Failure("the signature lies outside the guest's memory".to_owned()))?;
    let mut text = String::new();
    for chunk in bytes.chunks(granularity) {
        text.extend(chunk.iter().rev().map(|byte| format!("{byte:02x}")));
        text.push('\n');
    }
    Ok(text)
}

fn by_mnemonic(program: &Program, counts: &[u64]) -> BTreeMap<String, u64> {
    let mut named = BTreeMap::new();
    for (instruction, &count) in program.module().instructions.iter().zip(counts) {
        if count > 0 {
            *named.entry(instruction.mnemonic.clone()).or_default() += count;
        }
    }
    named
}

/// Executed instructions by extension: the simplest enabled one that provides each.
fn by_extension(program: &Program, counts: &[u64]) -> BTreeMap<String, u64> {
    let mut named = BTreeMap::new();
    for (instruction, &count) in program.module().instructions.iter().zip(counts) {
        if count > 0 {
            let enabled = |name: &String| program.isa().has(name);
            let provider = isa::extensions_of(&instruction.set).into_iter().find(enabled);
            *named.entry(provider.unwrap_or_else(|| instruction.set.clone())).or_default() += count;
        }
    }
    named
}

fn report(py: Python<'_>, program: &Program, finished: Finished, session: &Session) -> SimResult {
    let (stop, exit_code, fault) = match finished.stop {
        Stop::Exit(status) => ("exit", Some(status), None),
        Stop::Fault(fault) => ("fault", None, Some(describe(program, fault))),
        Stop::InstructionLimit => ("instruction-limit", None, None),
        Stop::Interrupted if session.timed_out => ("time-limit", None, None),
        Stop::Interrupted => ("interrupted", None, None),
    };
    SimResult {
        stop,
        exit_code,
        instructions: finished.instructions,
        console: PyBytes::new(py, &session.console).unbind(),
        fault,
        rois: finished.rois,
        opcodes: finished.counts.as_deref().map(|counts| by_mnemonic(program, counts)),
        extensions_used: finished.counts.as_deref().map(|counts| by_extension(program, counts)),
        signature: finished.signature,
        engine_seconds: finished.seconds,
    }
}

/// The fault with everything that helps: text, extension, what to do.
fn describe(program: &Program, fault: HartFault) -> Fault {
    let exception = fault.exception;
    let (pc, word) = (fault.pc.0, fault.word);
    let mut disassembly = word.and_then(|word| program.instructions().disassemble(word, pc));
    let mut provided_by = Vec::new();
    let mut cause = exception.name().to_owned();
    let mut advice = String::new();
    if exception.cause == hart::Exception::ILLEGAL
        && let Some(word) = word
        && disassembly.is_none()
    {
        if word & 0xffff == 0 {
            // Defined to be illegal for this very purpose (RVC, "Illegal instruction").
            advice = "; the word is zero: execution has run into memory that holds no code".to_owned();
        } else if let Some((extensions, text)) = isa::providers(program.isa().xlen(), word, pc) {
            disassembly = Some(text);
            let choice = extensions.join(" or ");
            advice = format!("; {} lacks {choice}: add it with --isa", program.isa());
            provided_by = extensions;
        } else if let Some(name) = isa::unbuilt_extension(word) {
            cause = format!("not implemented: {}", name.to_uppercase());
            advice = format!("; build the program without {}", name.to_uppercase());
            provided_by = vec![name.to_owned()];
        } else {
            advice = "; no known extension provides it".to_owned();
        }
    }
    let address = exception.has_address().then_some(exception.value);
    let mut message = format!("{cause} at pc {pc:#x}");
    if let Some(address) = address.filter(|address| *address != pc) {
        message.push_str(&format!(", address {address:#x}"));
    }
    if let Some(word) = word {
        let digits = if isa::is_wide(word) { 10 } else { 6 };
        message.push_str(&format!(": {word:#0digits$x}"));
    }
    if let Some(text) = &disassembly {
        message.push_str(&format!(" ({text})"));
    }
    message.push_str(&advice);
    Fault { pc, word, cause, address, disassembly, provided_by, message }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Fault>()?;
    module.add_class::<Roi>()?;
    module.add_class::<SimResult>()?;
    module.add_function(wrap_pyfunction!(simulate, module)?)
}
