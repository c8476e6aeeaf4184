//! The observer of a debugged run.

use engine::block::Cache;
use engine::observer::{Flow, Observer, Retired};
use hart::{Address, System};

use gdbstub::target::ext::breakpoints::WatchKind;

use crate::points::Watchpoint;

/// Stops at probes; and, if it watches memory, after the first access to what is watched.
pub struct Lookout<'a, const WATCHES: bool> {
    /// Where to stop.
    pub probes: Vec<Address>,
    /// What to stop after an access to.
    pub watched: &'a [Watchpoint],
    /// The access: its kind of watchpoint and the first watched byte.
    pub touched: Option<(WatchKind, u64)>,
}

impl<const WATCHES: bool> Observer for Lookout<'_, WATCHES> {
    const TRACE: bool = WATCHES;

    fn probes(&self) -> impl Iterator<Item = Address> {
        self.probes.iter().copied()
    }

    fn reached(&mut self, _: usize, _: &System, _: &Cache) -> Flow {
        Flow::Stop
    }

    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        self.touched = instruction.accesses.iter().find_map(|access| {
            let is_store = access.stored.is_some();
            let hit = |point: &Watchpoint| {
                let first = point.touched(access.address.0, access.size.into(), is_store)?;
                Some((point.kind, first))
            };
            self.watched.iter().find_map(hit)
        });
        if self.touched.is_some() { Flow::Stop } else { Flow::Continue }
    }
}
