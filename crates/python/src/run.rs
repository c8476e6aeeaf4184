//! A run under the observers that were asked for.

use std::fs::File;
use std::io::BufWriter;

use hart::block::Cache;
use hart::elf::Executable;
use hart::observer::{Flow, Observer};
use hart::{Address, Blind, Hart, Limits, Program};
use observe::{Breach, Calls, CommitLog, Counting, Region};

use crate::failure::Failure;
use crate::guest::{Ended, Guest};
use crate::session::Session;

/// What is to be seen of a run.
#[derive(Clone, Default)]
pub struct Watch {
    /// Most instructions.
    pub max_instructions: Option<u64>,
    /// Symbols that delimit the counted region.
    pub roi: Option<(String, String)>,
    /// Symbols of a harness's calls, timed and untimed, and of its stack: regions are the timed calls.
    pub supervise: Option<[(String, String); 3]>,
    /// Count opcodes.
    pub histogram: bool,
    /// Count by address.
    pub profile: bool,
    /// File of a commit log.
    pub trace: Option<String>,
    /// Where the log begins and ends: a symbol, an address, or a number of instructions.
    pub window: (Option<String>, Option<String>),
    /// Port at which gdb may have the run.
    pub gdb: Option<u16>,
}

impl Watch {
    const fn counts(&self) -> bool {
        self.histogram || self.roi.is_some() || self.supervise.is_some()
    }
}

/// What was seen.
pub struct Seen {
    pub ended: Ended,
    pub regions: Vec<Region>,
    /// What a supervised call did that it may not do.
    pub breach: Option<Breach>,
    /// Executed instructions by kind.
    pub opcodes: Option<Vec<u64>>,
    /// Executed instructions by address.
    pub profile: Option<Vec<(u64, u64)>>,
}

/// A moment of a run.
#[derive(Clone, Copy)]
enum Moment {
    At(Address),
    After(u64),
}

/// Runs a guest to its end.
pub fn run(
    guest: &mut Guest<'_>,
    program: &Program,
    executable: &Executable<'_>,
    watch: &Watch,
    session: &mut Session,
) -> Result<Seen, Failure> {
    let limits = Limits { instructions: watch.max_instructions };
    let base = guest.base();
    let mut seen =
        Seen { ended: Ended::Interrupted, regions: Vec::new(), breach: None, opcodes: None, profile: None };
    if let Some(port) = watch.gdb {
        if watch.trace.is_some() || watch.profile || watch.counts() {
            return Err(Failure(
                "a run under gdb can be neither traced nor counted by opcode or address".to_owned(),
            ));
        }
        seen.ended = guest.debug(gdb::Server::bind(port)?, program.isa(), limits, session)?;
    } else if let Some(path) = &watch.trace {
        seen.ended = traced(guest, program, executable, path, watch, session)?;
    } else if watch.profile {
        seen.ended = guest.run(limits, &mut Profiling, session);
        seen.profile = Some(guest.machine.profile().into_iter().collect());
    } else if watch.counts() {
        let bounds = |(begin, end): &(String, String)| {
            Ok::<_, Failure>((symbol(executable, begin, base)?, symbol(executable, end, base)?))
        };
        let kinds = program.module().instructions.len();
        let mut counting = match &watch.supervise {
            Some([timed, untimed, stack]) => Counting::supervised(
                kinds,
                Calls { timed: bounds(timed)?, untimed: bounds(untimed)?, stack: bounds(stack)? },
            ),
            None => Counting::new(kinds, watch.roi.as_ref().map(bounds).transpose()?),
        };
        seen.ended = guest.run(limits, &mut counting, session);
        seen.breach = counting.breach();
        seen.regions = counting.regions;
        seen.opcodes = Some(guest.machine.histogram());
    } else {
        seen.ended = guest.run(limits, &mut Blind, session);
    }
    if watch.histogram && seen.opcodes.is_none() {
        seen.opcodes = Some(guest.machine.histogram());
    }
    Ok(seen)
}

/// The address of a symbol in memory.
pub fn symbol(executable: &Executable<'_>, name: &str, base: u64) -> Result<Address, Failure> {
    let address = executable.symbol(name).map(|address| Address(address.wrapping_add(base)));
    address.ok_or_else(|| Failure(format!("the ELF file has no symbol '{name}'")))
}

/// Counts by opcode and by address.
struct Profiling;

impl Observer for Profiling {
    const HISTOGRAM: bool = true;
    const PROFILE: bool = true;
}

/// Ends at an address.
struct Until(Address);

impl Observer for Until {
    const HISTOGRAM: bool = true;

    fn probes(&self) -> impl Iterator<Item = Address> {
        std::iter::once(self.0)
    }

    fn reached(&mut self, _: usize, _: &Hart, _: &Cache) -> Flow {
        Flow::Stop
    }
}

fn moment(text: &str, executable: &Executable<'_>, base: u64) -> Result<Moment, Failure> {
    if let Some(digits) = text.strip_prefix("0x") {
        let address = u64::from_str_radix(digits, 16);
        return address.map(|address| Moment::At(Address(address))).map_err(|_| not_a_moment(text));
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(Moment::After).map_err(|_| not_a_moment(text));
    }
    symbol(executable, text, base).map(Moment::At)
}

fn not_a_moment(text: &str) -> Failure {
    Failure(format!(
        "'{text}' is neither a symbol, nor an address such as 0x10400, nor a number of instructions"
    ))
}

fn traced(
    guest: &mut Guest<'_>,
    program: &Program,
    executable: &Executable<'_>,
    path: &str,
    watch: &Watch,
    session: &mut Session,
) -> Result<Ended, Failure> {
    let base = guest.base();
    let limit = watch.max_instructions.unwrap_or(u64::MAX);
    let limits = Limits { instructions: watch.max_instructions };
    let until = |count: u64| Limits { instructions: Some(count.min(limit)) };
    let parse =
        |text: &Option<String>| text.as_deref().map(|text| moment(text, executable, base)).transpose();
    let (from, to) = (parse(&watch.window.0)?, parse(&watch.window.1)?);
    let failed = |error: std::io::Error| Failure(format!("{path}: {error}"));
    let file = File::create(path).map_err(failed)?;
    let mut log = CommitLog::new(BufWriter::new(file), program.isa().xlen());
    let skipped = match from {
        None => Ended::Observed,
        Some(Moment::At(address)) => guest.run(limits, &mut Until(address), session),
        Some(Moment::After(count)) => guest.run(until(count), &mut Blind, session),
    };
    let reached = skipped == Ended::Observed
        || skipped == Ended::InstructionLimit && guest.machine.hart.retired() < limit;
    if !reached {
        log.finish().map_err(failed)?;
        return Ok(skipped);
    }
    let logged = match to {
        None => guest.run(limits, &mut log, session),
        Some(Moment::At(address)) => guest.run(limits, &mut (&mut log, Until(address)), session),
        Some(Moment::After(count)) => guest.run(until(count), &mut log, session),
    };
    log.finish().map_err(failed)?;
    match logged {
        Ended::Observed => Ok(guest.run(limits, &mut Blind, session)),
        Ended::InstructionLimit if guest.machine.hart.retired() < limit => {
            Ok(guest.run(limits, &mut Blind, session))
        }
        ended => Ok(ended),
    }
}
