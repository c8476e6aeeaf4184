//! Executed opcodes, of the whole run and of each passage through a region.

use engine::block::Cache;
use engine::native::Marker;
use engine::observer::{Flow, Observer};
use hart::csr::Clock;
use hart::{Address, System};
use isa::InstructionId;

use crate::supervision::{Breach, Calls, Supervision};

/// Executed instructions by their place in the module's list.
pub type OpcodeCounts = Vec<u64>;

/// One passage from the region's begin to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// Instructions retired from the one at the begin address up to the one before the end address.
    pub instructions: u64,
    /// Cycles, by the clock of the hart.
    pub cycles: u64,
    /// The same by kind.
    pub opcodes: OpcodeCounts,
}

/// Counts opcodes, also within a region delimited by two addresses.
pub struct Counting {
    probes: Vec<Address>,
    kinds: usize,
    open: Option<(Clock, OpcodeCounts)>,
    supervision: Option<Supervision>,
    /// Passages so far.
    pub regions: Vec<Region>,
}

/// Most passages recorded; a program that loops over its region keeps the first ones.
const MOST_REGIONS: usize = 100_000;

impl Counting {
    /// Counts over a module of `kinds` instructions, and in the region `begin..end` if given.
    pub fn new(kinds: usize, region: Option<(Address, Address)>) -> Self {
        let probes = region.map_or_else(Vec::new, |(begin, end)| vec![begin, end]);
        Self { probes, kinds, open: None, supervision: None, regions: Vec::new() }
    }

    /// Counts in the timed calls of a harness, and watches over all its calls.
    pub fn supervised(kinds: usize, calls: Calls) -> Self {
        let probes = vec![calls.timed.0, calls.timed.1, calls.untimed.0, calls.untimed.1];
        let supervision = Some(Supervision::new(calls));
        Self { probes, kinds, open: None, supervision, regions: Vec::new() }
    }

    /// What a call did that it may not do, in a run that has ended.
    pub fn breach(&self) -> Option<Breach> {
        self.supervision.as_ref().and_then(Supervision::breach)
    }
}

impl Counting {
    fn close(&mut self, now: Clock, counts: &[u64]) {
        if let Some((begin, before)) = self.open.take()
            && self.regions.len() < MOST_REGIONS
        {
            let opcodes = counts.iter().zip(&before).map(|(after, before)| after - before).collect();
            let instructions = now.instret - begin.instret;
            self.regions.push(Region { instructions, cycles: now.cycle.wrapping_sub(begin.cycle), opcodes });
        }
    }
}

impl Observer for Counting {
    const HISTOGRAM: bool = true;

    fn probes(&self) -> impl Iterator<Item = Address> {
        self.probes.iter().copied()
    }

    fn reached(&mut self, index: usize, system: &System, cache: &Cache) -> Flow {
        // Probes are in pairs: where a call begins, where it ends; the timed ones first.
        let (timed, begins) = (index < 2, index.is_multiple_of(2));
        match &mut self.supervision {
            Some(supervision) if begins => supervision.begins(timed, system),
            Some(supervision) => supervision.ends(timed, system),
            None => {}
        }
        if !timed {
            return Flow::Continue;
        }
        let counts = cache.histogram(self.kinds);
        if begins {
            self.open = Some((system.hart.clock(0), counts));
        } else {
            self.close(system.hart.clock(0), &counts);
        }
        Flow::Continue
    }

    fn marked(&mut self, marker: Marker, id: InstructionId, system: &System, cache: &Cache) {
        let counts = cache.histogram(self.kinds);
        if marker != Marker::Begin {
            // The marker itself is no part of the region.
            let mut before = counts.clone();
            before[id.index()] -= 1;
            self.close(system.hart.clock(0).before(), &before);
        }
        if marker != Marker::End {
            self.open = Some((system.hart.clock(0), counts));
        }
    }
}
