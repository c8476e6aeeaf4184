//! Traces that are compared: a witness beside the shadow, that knows nothing of what it follows.

use std::collections::BTreeMap;

use engine::block::Cache;
use engine::observer::{Flow, Observer, Retired};
use hart::{Address, System};

use crate::calls::Calls;

/// Most instructions of a trace that are kept.
const MOST: usize = 1 << 24;

/// In what two traces differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Difference {
    /// What is executed after an instruction.
    Control,
    /// Where an instruction accesses memory.
    Address,
}

impl Difference {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Address => "address",
        }
    }
}

/// What is executed and accessed during calls, of one run, and in what others differ from it.
pub struct Trace {
    line: u64,
    calls: Option<Calls>,
    /// Instructions of the first run, each with where its accesses begin in `addresses`.
    steps: Vec<(u64, usize)>,
    addresses: Vec<u64>,
    /// Where each call begins in `steps`.
    begins: Vec<usize>,
    runs: usize,
    /// Of the present run: the present call, and where it is.
    call: usize,
    inside: bool,
    at: usize,
    /// There was too much to be kept.
    pub is_cut: bool,
    /// Instructions after or in which runs differ from the first, and how many times.
    pub differences: BTreeMap<(u64, Difference), u64>,
}

impl Trace {
    /// None yet; of addresses, the number of the line of so many bytes counts.
    pub fn new(line: u64) -> Self {
        Self {
            line: line.max(1),
            calls: None,
            steps: Vec::new(),
            addresses: Vec::new(),
            begins: Vec::new(),
            runs: 0,
            call: 0,
            inside: false,
            at: 0,
            is_cut: false,
            differences: BTreeMap::new(),
        }
    }

    /// Instructions that are compared.
    pub const fn instructions(&self) -> usize {
        self.steps.len()
    }

    /// Another run begins; the first is what others are compared with.
    pub fn begin(&mut self, calls: Calls) {
        self.calls = Some(calls);
        self.runs += 1;
        (self.call, self.inside, self.at) = (0, false, 0);
    }

    fn differ(&mut self, pc: u64, difference: Difference) {
        *self.differences.entry((pc, difference)).or_default() += 1;
    }

    fn enter(&mut self, system: &System) {
        let Some(calls) = &self.calls else { return };
        let target = Address(system.hart.x(calls.register));
        if !calls.functions.iter().any(|each| each.counts && each.function == target) {
            return;
        }
        if self.runs == 1 {
            self.begins.push(self.steps.len());
            self.inside = true;
        } else if let Some(&begin) = self.begins.get(self.call) {
            self.at = begin;
            self.inside = true;
        }
        self.call += 1;
    }

    /// Where the present call ends in the first run.
    fn end_of_call(&self) -> usize {
        self.begins.get(self.call).copied().unwrap_or(self.steps.len())
    }

    fn leave(&mut self) {
        let is_early = self.runs > 1 && self.inside && self.at < self.end_of_call();
        if is_early && self.at > 0 && !self.is_cut {
            let last = self.steps[self.at - 1].0;
            self.differ(last, Difference::Control);
        }
        self.inside = false;
    }

    fn compare(&mut self, instruction: &Retired<'_>) {
        let Some(&(pc, begin)) = self.steps.get(self.at).filter(|_| self.at < self.end_of_call()) else {
            self.diverge();
            return;
        };
        if pc != instruction.pc.0 {
            self.diverge();
            return;
        }
        self.at += 1;
        let end = self.steps.get(self.at).map_or(self.addresses.len(), |&(_, end)| end);
        let line = self.line;
        let accesses = instruction.accesses.iter().map(|access| access.address.0 / line);
        if !self.addresses[begin..end].iter().copied().eq(accesses) {
            self.differ(pc, Difference::Address);
        }
    }

    /// The instruction before this one led elsewhere. What follows cannot be compared.
    fn diverge(&mut self) {
        if !self.is_cut && self.at > 0 {
            let last = self.steps[self.at - 1].0;
            self.differ(last, Difference::Control);
        }
        self.inside = false;
    }
}

impl Observer for Trace {
    const TRACE: bool = true;

    fn probes(&self) -> impl Iterator<Item = Address> {
        self.calls.iter().flat_map(|calls| &calls.bounds).flat_map(|&(begin, end)| [begin, end])
    }

    fn reached(&mut self, index: usize, system: &System, _: &Cache) -> Flow {
        if index.is_multiple_of(2) {
            self.enter(system);
        } else {
            self.leave();
        }
        Flow::Continue
    }

    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        if self.inside && self.runs > 1 {
            self.compare(instruction);
        } else if self.inside {
            if self.steps.len() >= MOST {
                self.is_cut = true;
                self.inside = false;
                return Flow::Continue;
            }
            self.steps.push((instruction.pc.0, self.addresses.len()));
            let line = self.line;
            self.addresses.extend(instruction.accesses.iter().map(|access| access.address.0 / line));
        }
        Flow::Continue
    }
}
