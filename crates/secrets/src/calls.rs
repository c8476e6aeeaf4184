//! The calls of a harness: what of their arguments is secret, and that only what happens during one is found.

use engine::block::Cache;
use engine::follow::Follower;
use engine::observer::{Flow, Moved, Observer};
use hart::{Address, System};

use crate::markers::Marker;
use crate::shadow::Shadow;
use crate::threads::Threads;

/// First of the registers that arguments are passed in (psABI, "Integer Calling Convention").
const ARGUMENTS: u16 = 10;

/// An argument that points to secret bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Its place among the arguments.
    pub number: u16,
    /// How many bytes; or bytes of each of as many as another argument says.
    pub bytes: u64,
    /// The number of that argument.
    pub times: Option<u16>,
    /// Number of the source that they are.
    pub source: u32,
}

/// A function that is called with secrets.
#[derive(Clone, Debug)]
pub struct Call {
    /// Where it begins.
    pub function: Address,
    /// What is secret.
    pub secrets: Vec<Argument>,
    /// Whether what it does with them counts.
    pub counts: bool,
}

/// Where a harness makes its calls.
#[derive(Clone, Debug)]
pub struct Calls {
    /// Begins and ends: before the first instruction of the callee, and after its return.
    pub bounds: Vec<(Address, Address)>,
    /// The integer register that then holds the function's address.
    pub register: u16,
    /// The functions.
    pub functions: Vec<Call>,
}

/// Follows a run with a shadow.
pub struct Check {
    /// The shadow.
    pub shadow: Shadow,
    calls: Option<Calls>,
    /// Marks in the program.
    markers: Vec<(Address, Marker)>,
    /// Calls that were followed, by function.
    pub followed: Vec<u64>,
    /// Instructions retired when the present call began, and those of all calls that ended.
    began: u64,
    /// Instructions of the calls that were followed.
    pub instructions: u64,
    threads: Threads,
}

impl Check {
    /// A check of what a harness calls; without calls, of everything that a program marks.
    pub fn new(mut shadow: Shadow, calls: Option<Calls>, markers: Vec<(Address, Marker)>) -> Self {
        shadow.records = calls.is_none();
        let followed = vec![0; calls.as_ref().map_or(0, |calls| calls.functions.len())];
        Self { shadow, calls, markers, followed, began: 0, instructions: 0, threads: Threads::default() }
    }

    fn begin(&mut self, system: &System) {
        let Some(calls) = &self.calls else { return };
        let hart = &system.hart;
        self.shadow.clear_registers();
        let target = Address(hart.x(calls.register));
        let Some(number) = calls.functions.iter().position(|each| each.function == target) else { return };
        let call = &calls.functions[number];
        for argument in &call.secrets {
            let times = argument.times.map_or(1, |number| hart.x(ARGUMENTS + number));
            let bytes = argument.bytes.saturating_mul(times);
            self.shadow.mark(hart.x(ARGUMENTS + argument.number), bytes, argument.source);
        }
        if call.counts {
            self.shadow.records = true;
            self.shadow.call = Some(number);
            self.followed[number] += 1;
            self.began = hart.retired();
        }
    }

    fn end(&mut self, system: &System) {
        if self.shadow.records {
            self.instructions += system.hart.retired() - self.began;
        }
        self.shadow.records = false;
        self.shadow.call = None;
    }
}

impl Observer for Check {
    const FOLLOWED: bool = true;

    fn follower(&mut self) -> Option<&mut dyn Follower> {
        Some(&mut self.shadow)
    }

    fn probes(&self) -> impl Iterator<Item = Address> {
        let bounds = self.calls.iter().flat_map(|calls| &calls.bounds).flat_map(|&(begin, end)| [begin, end]);
        bounds.chain(self.markers.iter().map(|&(at, _)| at))
    }

    fn registers_moved(&mut self, moved: Moved) {
        self.threads.follow(&mut self.shadow, moved);
    }

    fn reached(&mut self, index: usize, system: &System, _: &Cache) -> Flow {
        let bounds = self.calls.as_ref().map_or(0, |calls| 2 * calls.bounds.len());
        if let Some(number) = index.checked_sub(bounds) {
            self.markers[number].1.apply(&mut self.shadow, system);
        } else if index.is_multiple_of(2) {
            self.begin(system);
        } else {
            self.end(system);
        }
        Flow::Continue
    }
}
