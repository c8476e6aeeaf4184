//! Where blocks are cut, so that an observer is asked at its probes and sees single instructions.
use std::collections::HashSet;

use hart::memory::Address;

use crate::block::{Cut, MOST_INSTRUCTIONS};
use crate::observer::Observer;

/// Up to this many probes are faster to look through than to hash.
const FEW: usize = 8;

/// What the blocks in the cache were cut for.
#[derive(Default)]
pub(super) struct Cuts {
    probes: Vec<Address>,
    /// Addresses that begin a block.
    pub(super) boundaries: HashSet<u64>,
    single: bool,
    timed: bool,
    turns: bool,
}

impl Cuts {
    /// Cuts at `probes`, which keep their order, and as the observer needs it.
    pub(super) fn new<O: Observer>(observer: &O) -> Self {
        let probes: Vec<Address> = observer.probes().collect();
        let boundaries = probes.iter().map(|probe| probe.0).collect();
        Self { probes, boundaries, single: O::TRACE, timed: O::TIMED, turns: observer.harts() > 1 }
    }

    /// True if a run with this observer needs no others.
    pub(super) fn serve<O: Observer>(&self, observer: &O) -> bool {
        (self.single, self.timed, self.turns) == (O::TRACE, O::TIMED, observer.harts() > 1)
            && self.probes.iter().copied().eq(observer.probes())
    }

    /// Where blocks end; after one instruction if it has to be.
    pub(super) const fn cut(&self, single: bool) -> Cut<'_> {
        let longest = if self.single || single { 1 } else { MOST_INSTRUCTIONS };
        Cut { longest, boundaries: &self.boundaries, timed: self.timed, turns: self.turns }
    }

    /// True if harts take turns.
    pub(super) const fn turns(&self) -> bool {
        self.turns
    }

    /// True if blocks note what time depends on.
    pub(super) const fn timed(&self) -> bool {
        self.timed
    }

    /// True if a probe is at this address.
    #[inline]
    pub(super) fn watch(&self, pc: u64) -> bool {
        if self.probes.len() > FEW {
            return self.boundaries.contains(&pc);
        }
        self.probes.iter().any(|probe| probe.0 == pc)
    }

    /// Numbers of the probes at this address.
    pub(super) fn probes_at(&self, pc: u64) -> impl Iterator<Item = usize> {
        (0..self.probes.len()).filter(move |&index| self.probes[index].0 == pc)
    }
}
