//! What watches runs here: counts, visits, traces.

use engine::observer::{Flow, Retired};
use engine::timed::Record;
use engine::{Observer, block::Cache};
use hart::{Address, System};

/// Counts by kind and by address.
pub struct Counting;

impl Observer for Counting {
    const HISTOGRAM: bool = true;
    const PROFILE: bool = true;
}

/// Visits of addresses, with the counts at each, as the region of interest has them.
pub struct Stopping {
    probes: Vec<Address>,
    every: usize,
    pub visits: Vec<(usize, u64, Vec<u64>)>,
}

impl Stopping {
    /// Ends the run at every so many visits.
    pub fn new(probes: &[u64], every: usize) -> Self {
        Self { probes: probes.iter().copied().map(Address).collect(), every, visits: Vec::new() }
    }
}

impl Observer for Stopping {
    const HISTOGRAM: bool = true;

    fn probes(&self) -> impl Iterator<Item = Address> {
        self.probes.iter().copied()
    }

    fn reached(&mut self, index: usize, system: &System, cache: &Cache) -> Flow {
        self.visits.push((index, system.hart.retired(), cache.histogram(INSTRUCTIONS)));
        if self.visits.len().is_multiple_of(self.every) { Flow::Stop } else { Flow::Continue }
    }
}

/// More than any ISA has.
const INSTRUCTIONS: usize = 2048;

/// Lines of a trace.
#[derive(Default)]
pub struct Tracing {
    pub lines: Vec<String>,
}

impl Observer for Tracing {
    const TRACE: bool = true;

    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        self.lines.push(format!("{instruction:?}"));
        Flow::Continue
    }
}

/// Instructions as they are told to whoever counts cycles: address, what each noted, and where it led. A cycle for
/// each word noted, too, so that a guest which reads the counter sees more than instructions.
#[derive(Default)]
pub struct Timing {
    pub executed: Vec<(u64, Vec<u64>, u64)>,
    cycles: u64,
}

impl Observer for Timing {
    const TIMED: bool = true;

    fn executed(&mut self, record: &Record<'_>) {
        let mut words = record.words.iter().copied();
        let instructions = &record.block.decoded[..record.retired];
        for (index, decoded) in instructions.iter().enumerate() {
            let noted: Vec<u64> = words.by_ref().take(decoded.noted.into()).collect();
            let next = instructions.get(index + 1).map_or(record.next, |next| next.pc);
            self.cycles += 1 + noted.len() as u64;
            self.executed.push((decoded.pc, noted, next));
        }
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }
}
