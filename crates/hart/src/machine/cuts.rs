//! Where blocks are cut, so that an observer is asked at its probes and sees single instructions.

use std::collections::HashSet;

use crate::memory::Address;

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
    pub(super) fn new(probes: &[Address], single: bool) -> Self {
        let boundaries = probes.iter().map(|probe| probe.0).collect();
        Self { probes: probes.to_vec(), boundaries, single }
    }

    /// True if a run that asks for these needs no others.
    pub(super) fn serve(&self, probes: &[Address], single: bool) -> bool {
        self.single == single && self.probes == probes
    }

    /// Most instructions of a block.
    pub(super) const fn longest(&self) -> usize {
        if self.single { 1 } else { usize::MAX }
    }

    /// Number of the probe at this address.
    #[inline]
    pub(super) fn probe_at(&self, pc: u64) -> Option<usize> {
        if self.probes.len() > FEW && !self.boundaries.contains(&pc) {
            return None;
        }
        self.probes.iter().position(|probe| probe.0 == pc)
    }
}
