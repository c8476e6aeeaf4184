//! Where blocks are cut, so that an observer is asked at its probes and sees single instructions.
use std::collections::HashSet;

use hart::memory::Address;

/// So many probes are looked through faster than they are hashed.
const FEW: usize = 8;

/// What the blocks in the cache were cut for.
#[derive(Default)]
pub(super) struct Cuts {
    probes: Vec<Address>,
    /// Addresses that begin a block.
    pub(super) boundaries: HashSet<u64>,
    single: bool,
}

impl Cuts {
    /// Cuts at `probes`, which keep their order, and after each instruction if `single`.
    pub(super) fn new(probes: impl Iterator<Item = Address>, single: bool) -> Self {
        let probes: Vec<Address> = probes.collect();
        let boundaries = probes.iter().map(|probe| probe.0).collect();
        Self { probes, boundaries, single }
    }

    /// True if a run that asks for these needs no others.
    pub(super) fn serve(&self, probes: impl Iterator<Item = Address>, single: bool) -> bool {
        self.single == single && self.probes.iter().copied().eq(probes)
    }

    /// Most instructions of a block.
    pub(super) const fn longest(&self) -> usize {
        if self.single { 1 } else { usize::MAX }
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
