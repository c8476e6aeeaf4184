//! A run under the observers that were asked for.

use engine::observer::Observer;
use engine::{Blind, Limits};
use hart::elf::Executable;
use linux::{Ending, Streams};
use observe::{Breach, Calls, Counting, Region};
use timing::{Account, Machine, Options, Spent, Steps, Timer};

use crate::failure::Failure;
use crate::guest::Guest;
use crate::window;

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
    /// The machine whose cycles are counted, and whether it remembers schedules.
    pub machine: Option<(Machine, bool)>,
    /// Most instructions kept of the last passage through the timed region, or of the run if there is no region.
    pub steps: Option<usize>,
}

impl Watch {
    const fn counts(&self) -> bool {
        self.histogram || self.roi.is_some() || self.supervise.is_some()
    }

    /// True if something besides its end is to be seen.
    pub const fn is_curious(&self) -> bool {
        self.trace.is_some() || self.profile || self.counts() || self.is_timed()
    }

    const fn is_timed(&self) -> bool {
        self.machine.is_some() || self.steps.is_some()
    }

    /// What follows one process only, if anything is to.
    const fn follower(&self) -> Option<&'static str> {
        if self.machine.is_some() {
            Some("--machine")
        } else if self.trace.is_some() {
            Some("--trace")
        } else if self.steps.is_some() {
            Some("--exports")
        } else if self.profile {
            Some("--profile")
        } else if self.roi.is_some() {
            Some("--begin")
        } else if self.supervise.is_some() {
            Some("the harness")
        } else {
            None
        }
    }

    /// Bounds of the run.
    pub const fn limits(&self) -> Limits {
        Limits { instructions: self.max_instructions }
    }
}

/// What was seen.
pub struct Seen {
    /// How the run ended.
    pub ending: Ending,
    /// Passages through the counted region.
    pub regions: Vec<Region>,
    /// What a supervised call did that it may not do.
    pub breach: Option<Breach>,
    /// Cycles, of a run on a machine.
    pub cycles: Option<u64>,
    /// What they were spent on; by address of a profiled run.
    pub account: Account,
    /// What the cycles of each timed call of a supervised run were spent on, in order.
    pub passages: Vec<Spent>,
    /// Executed instructions by kind.
    pub opcodes: Option<Vec<u64>>,
    /// Executed instructions by address.
    pub profile: Option<Vec<(u64, u64)>>,
    /// The last passage through the timed region.
    pub steps: Option<Steps>,
    /// What each hart of a machine did, where several may be.
    pub harts: Vec<timing::Work>,
    /// What the parts of a machine's memory saw.
    pub memory: Vec<timing::Seen>,
    /// Statistics that the guest asked for by gem5's markers, and those at its end; on a machine.
    pub dumps: Vec<timing::Dump>,
}

impl From<Ending> for Seen {
    fn from(ending: Ending) -> Self {
        Self {
            ending,
            regions: Vec::new(),
            breach: None,
            cycles: None,
            account: Account::new(),
            passages: Vec::new(),
            opcodes: None,
            profile: None,
            steps: None,
            harts: Vec::new(),
            memory: Vec::new(),
            dumps: Vec::new(),
        }
    }
}

/// Runs a guest to its end.
///
/// # Errors
/// [`Failure`] if a symbol that is asked for does not exist, or the log cannot be written.
pub fn run(
    guest: &mut Guest<'_>,
    executable: &Executable<'_>,
    watch: &Watch,
    host: &mut dyn Streams,
) -> Result<Seen, Failure> {
    let mut seen;
    if let Some(follower) = watch.follower() {
        guest.stay_alone(follower);
    }
    if let Some(path) = &watch.trace {
        if watch.is_timed() {
            return Err(Failure::Other("a run on a machine cannot be traced".to_owned()));
        }
        seen = window::traced(guest, executable, path, watch, host)?.into();
    } else if watch.profile {
        seen = observed(guest, executable, watch, &mut Profiling, host)?;
        seen.profile = Some(guest.machine.profile().into_iter().collect());
    } else if watch.counts() {
        let bounds = |(begin, end): &(String, String)| {
            Ok::<_, Failure>((guest.symbol(executable, begin)?, guest.symbol(executable, end)?))
        };
        let kinds = guest.program().module().instructions.len();
        let mut counting = match &watch.supervise {
            Some([timed, untimed, stack]) => Counting::supervised(
                kinds,
                Calls { timed: bounds(timed)?, untimed: bounds(untimed)?, stack: bounds(stack)? },
            ),
            None => Counting::new(kinds, watch.roi.as_ref().map(bounds).transpose()?),
        };
        seen = observed(guest, executable, watch, &mut counting, host)?;
        seen.breach = counting.breach();
        seen.regions = counting.regions;
        seen.opcodes = Some(guest.machine.histogram());
    } else {
        seen = observed(guest, executable, watch, &mut Blind, host)?;
    }
    if watch.histogram && seen.opcodes.is_none() {
        seen.opcodes = Some(guest.machine.histogram());
    }
    Ok(seen)
}

/// Runs a guest under an observer, on a machine if there is one.
fn observed<O: Observer>(
    guest: &mut Guest<'_>,
    executable: &Executable<'_>,
    watch: &Watch,
    observer: &mut O,
    host: &mut dyn Streams,
) -> Result<Seen, Failure> {
    if !watch.is_timed() {
        return Ok(guest.run(watch.limits(), observer, host).into());
    }
    let by_address = watch.profile;
    let timing = match &watch.machine {
        Some((machine, remembers)) => machine.timing(Options { remembers: *remembers, by_address })?,
        None => timing::plain(Options { remembers: true, by_address }),
    };
    let mut timer = Timer::new(guest.program(), timing);
    guest.loaded(executable).for_each(|range| timer.load(range));
    let calls = watch.supervise.as_ref().map(|[timed, ..]| timed);
    if let (Some(most), None) = (watch.steps, calls.or(watch.roi.as_ref())) {
        timer = timer.throughout(most);
    }
    // A harness's calls are few. A user's region may be passed very often, and an account takes a walk over all
    // schedules.
    if let Some((begin, end)) = calls.or_else(|| watch.roi.as_ref().filter(|_| watch.steps.is_some())) {
        let (begin, end) = (guest.symbol(executable, begin)?, guest.symbol(executable, end)?);
        timer = timer.within(begin, end, watch.steps);
    }
    let mut seen = Seen::from(guest.run(watch.limits(), &mut (observer, &mut timer), host));
    timer.finish();
    seen.cycles = watch.machine.is_some().then(|| timer.elapsed());
    seen.account = timer.account();
    seen.steps = timer.steps();
    seen.harts = timer.work_of_each();
    seen.memory = timer.seen();
    if watch.machine.is_some() {
        seen.dumps = timer.dumps(guest.machine.hart.retired());
    }
    seen.passages = timer.passages();
    Ok(seen)
}

/// Counts by opcode and by address.
struct Profiling;

impl Observer for Profiling {
    const HISTOGRAM: bool = true;
    const PROFILE: bool = true;
}
