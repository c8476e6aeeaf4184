//! Observes a run to time it: passes what was executed to a core's model, and keeps what the caller requested.

use engine::Program;
use engine::block::Cache;
use engine::native::Marker;
use engine::observer::{Flow as Run, Observer};
use engine::timed::Record;
use hart::pages::Change;
use hart::{Address, System};
use isa::InstructionId;

use crate::core::Spent;
use crate::dump::{Dump, Moment, Work};
use crate::memory::Seen;
use crate::steps::Steps;
use crate::timer::{Account, Timing};

/// Observes a run to time it.
pub struct Timer<'p> {
    program: &'p Program,
    timing: Box<dyn Timing>,
    /// Where a region begins and ends.
    region: Option<[Address; 2]>,
    /// The most instructions of its last passage to keep.
    most: Option<usize>,
    /// The cycles before the current passage.
    before: Option<Spent>,
    passages: Vec<Spent>,
    /// All counts at the last reset.
    reset: Moment,
    dumps: Vec<Dump>,
}

/// The most dumps kept; after these, the last one is that of the end.
const MOST_DUMPS: usize = 1 << 14;

impl<'p> Timer<'p> {
    /// Times a program.
    pub fn new(program: &'p Program, timing: Box<dyn Timing>) -> Self {
        Self {
            program,
            timing,
            region: None,
            most: None,
            before: None,
            passages: Vec::new(),
            reset: Moment::default(),
            dumps: Vec::new(),
        }
    }

    /// The guest's memory has initial contents there.
    pub fn load(&mut self, range: std::ops::Range<u64>) {
        self.timing.pages_changed(&Change::Written(range));
    }

    /// Accounts for every passage from one address to another, and keeps the last one, at most this many instructions of
    /// it, if any.
    #[must_use]
    pub fn within(self, begin: Address, end: Address, most: Option<usize>) -> Self {
        Self { region: Some([begin, end]), most, ..self }
    }

    /// Keeps everything that is executed, at most this many instructions.
    #[must_use]
    pub fn throughout(mut self, most: usize) -> Self {
        self.timing.kept().begin(most);
        self
    }

    /// The guest has ended.
    pub fn finish(&mut self) {
        self.timing.finish();
    }

    /// The guest's cycles from start to end.
    pub fn elapsed(&self) -> u64 {
        self.timing.elapsed()
    }

    /// The cycles of each passage by cause, in order.
    pub fn passages(&mut self) -> Vec<Spent> {
        std::mem::take(&mut self.passages)
    }

    /// The last passage.
    pub fn steps(&mut self) -> Option<Steps> {
        self.timing.kept().take()
    }

    /// The work of each hart, on machines with several.
    pub fn work_of_each(&self) -> Vec<Work> {
        self.timing.work_of_each()
    }

    /// The counters of the memory's parts, if it is built from parts.
    pub fn seen(&self) -> Vec<Seen> {
        self.timing.seen()
    }

    /// The statistics that the guest dumped, and those at its end, after this many instructions.
    pub fn dumps(&mut self, instructions: u64) -> Vec<Dump> {
        self.dump(instructions);
        std::mem::take(&mut self.dumps)
    }

    fn moment(&self, instructions: u64) -> Moment {
        Moment {
            instructions,
            cycles: self.timing.elapsed(),
            harts: self.timing.work_of_each(),
            memory: self.timing.seen(),
        }
    }

    fn dump(&mut self, instructions: u64) {
        let now = self.moment(instructions);
        let dump = Dump { at: now.cycles, since: now.since(&self.reset) };
        if self.dumps.len() == MOST_DUMPS {
            self.dumps.pop();
        }
        self.dumps.push(dump);
    }

    /// Each instruction's executions, and its cycles by cause.
    pub fn account(&self) -> Account {
        self.timing.account()
    }
}

impl Observer for Timer<'_> {
    const TIMED: bool = true;

    fn probes(&self) -> impl Iterator<Item = Address> {
        self.region.iter().flatten().copied()
    }

    fn reached(&mut self, index: usize, _: &System, _: &Cache) -> Run {
        let now = self.timing.spent();
        if index == 0 {
            self.before = Some(now);
            if let Some(most) = self.most {
                self.timing.kept().begin(most);
            }
        } else {
            self.passages.extend(self.before.take().map(|before| now.since(&before)));
            self.timing.kept().end();
        }
        Run::Continue
    }

    fn marked(&mut self, marker: Marker, _: InstructionId, system: &System, _: &Cache) {
        self.timing.finish();
        let instructions = system.hart.retired();
        if marker != Marker::Begin {
            self.dump(instructions);
        }
        if marker != Marker::End {
            self.reset = self.moment(instructions);
        }
    }

    fn executed(&mut self, record: &Record<'_>) {
        self.timing.pass(self.program, record);
    }

    fn renumbered(&mut self) {
        self.timing.renumbered();
    }

    fn cycles(&self) -> u64 {
        self.timing.cycles()
    }

    fn until_seen(&self, block: &engine::block::Block) -> u64 {
        self.timing.until_seen(self.program, block)
    }

    fn harts(&self) -> usize {
        self.timing.harts()
    }

    fn next_turn(&mut self, ready: u64) -> usize {
        self.timing.next_turn(ready)
    }

    fn wake(&mut self, hart: usize, by: usize) {
        self.timing.wake(hart, by);
    }

    fn pages_changed(&mut self, change: &Change) {
        self.timing.pages_changed(change);
    }
}
