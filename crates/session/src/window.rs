//! A commit log of a part of a run.

use std::fs::File;
use std::io::BufWriter;

use engine::block::Cache;
use engine::observer::{Flow, Observer};
use engine::{Blind, Limits};
use hart::elf::Executable;
use hart::{Address, System};
use linux::{Ending, Streams};
use observe::CommitLog;

use crate::failure::Failure;
use crate::guest::Guest;
use crate::watch::Watch;

/// A moment of a run.
#[derive(Clone, Copy)]
enum Moment {
    At(Address),
    After(u64),
}

impl Moment {
    fn parse(text: &str, guest: &Guest<'_>, executable: &Executable<'_>) -> Result<Self, Failure> {
        let nonsense = |_| {
            Failure::Other(format!(
                "'{text}' is neither a symbol, nor an address such as 0x10400, nor a number of instructions"
            ))
        };
        if let Some(digits) = text.strip_prefix("0x") {
            return u64::from_str_radix(digits, 16).map(|at| Self::At(Address(at))).map_err(nonsense);
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().map(Self::After).map_err(nonsense);
        }
        guest.symbol(executable, text).map(Self::At)
    }
}

/// Ends at an address.
struct Until(Address);

impl Observer for Until {
    const HISTOGRAM: bool = true;

    fn probes(&self) -> impl Iterator<Item = Address> {
        std::iter::once(self.0)
    }

    fn reached(&mut self, _: usize, _: &System, _: &Cache) -> Flow {
        Flow::Stop
    }
}

/// Runs a guest to its end and writes what retires within the window to the file `path`.
pub(crate) fn traced(
    guest: &mut Guest<'_>,
    executable: &Executable<'_>,
    path: &str,
    watch: &Watch,
    host: &mut dyn Streams,
) -> Result<Ending, Failure> {
    let limits = watch.limits();
    let limit = limits.instructions.unwrap_or(u64::MAX);
    let until = |count: u64| Limits { instructions: Some(count.min(limit)) };
    let parse = |text: &Option<String>| {
        text.as_deref().map(|text| Moment::parse(text, guest, executable)).transpose()
    };
    let (from, to) = (parse(&watch.window.0)?, parse(&watch.window.1)?);
    let failed = |error| Failure::Unwritable { path: path.to_owned(), error };
    let file = File::create(path).map_err(failed)?;
    let mut log = CommitLog::new(BufWriter::new(file), guest.program().isa().xlen());
    let skipped = match from {
        None => Ending::Observed,
        Some(Moment::At(address)) => guest.run(limits, &mut Until(address), host),
        Some(Moment::After(count)) => guest.run(until(count), &mut Blind, host),
    };
    let is_passing = |ending: &Ending, guest: &Guest<'_>| {
        *ending == Ending::Observed
            || *ending == Ending::InstructionLimit && guest.machine.hart.retired() < limit
    };
    let mut ending = skipped;
    if is_passing(&ending, guest) {
        ending = match to {
            None => guest.run(limits, &mut log, host),
            Some(Moment::At(address)) => guest.run(limits, &mut (&mut log, Until(address)), host),
            Some(Moment::After(count)) => guest.run(until(count), &mut log, host),
        };
        if is_passing(&ending, guest) {
            ending = guest.run(limits, &mut Blind, host);
        }
    }
    log.finish().map_err(failed)?;
    Ok(ending)
}
