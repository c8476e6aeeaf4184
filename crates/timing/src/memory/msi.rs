//! Caches that are coherent by a directory, after gem5's tutorial protocol MSI in Ruby (learning_gem5/part3/MSI-cache.sm,
//! MSI-dir.sm, configs/learning_gem5/part3/msi_caches.py of v24.0). There is no exclusive state: a line that was read is
//! read again to be written. Lines that leave a cache are announced, and the announcement is waited for.
//!
//! A transaction is done at once, with what it takes; one that comes while the directory waits for the same line's data
//! is begun after that.

use rustc_hash::FxHashMap;

use super::dram::Tick;
use super::lines::{Line, Lines, Touch};
use super::tree::{CacheCounts, Kind, Request};

/// Caches, one for each hart, and their directory.
#[derive(Clone, Debug)]
pub struct Msi {
    /// What is written in one is in no other.
    pub caches: Vec<Lines>,
    shared: FxHashMap<u64, Shared>,
    /// Cycles from a core to its cache, and back.
    pub request: u64,
    pub response: u64,
    /// Of a message between a cache and the directory, or another cache.
    pub message: u64,
    /// From the directory to the memory, and back.
    pub memory: u64,
    pub counts: CacheCounts,
}

/// What the directory knows of a line.
#[derive(Clone, Copy, Default, Debug)]
struct Shared {
    /// One more than the hart that may write it; 0 is none.
    owner: u8,
    /// A bit for each hart that has it.
    sharers: u64,
    /// The cycle until when its data are awaited.
    awaited: u64,
}

impl Msi {
    /// Empty caches.
    pub fn new(caches: Vec<Lines>, [request, response, message, memory]: [u64; 4]) -> Self {
        let (shared, counts) = (FxHashMap::default(), CacheCounts::default());
        Self { caches, shared, request, response, message, memory, counts }
    }

    /// Cycles of a hit.
    pub const fn hit(&self) -> u64 {
        self.request + self.response
    }

    /// True if an access is a hit, which it is from then on not for the first time.
    #[inline]
    pub fn hits(&mut self, hart: usize, request: Request) -> bool {
        let writes = request.kind == Kind::Store;
        let lines = &mut self.caches[hart];
        let hits = match lines.state(request.address) {
            Some(written) => written || !writes,
            None => false,
        };
        if hits {
            lines.touch(request.address, writes);
            self.counts.hits += 1;
        }
        hits
    }

    /// An access that is no hit: the cycle at which it is over. `memory` reads a line from, or writes one to, what is
    /// below, and tells when that is done.
    pub fn miss(
        &mut self,
        hart: usize,
        cycle: u64,
        period: Tick,
        request: Request,
        mut memory: impl FnMut(Tick, Request) -> Tick,
    ) -> u64 {
        self.counts.misses += 1;
        let writes = request.kind == Kind::Store;
        let mut now = cycle + self.request;
        if let Touch::Miss(Some(victim)) = self.caches[hart].touch(request.address, writes) {
            now = self.evict(hart, now, period, victim, &mut memory);
        }
        let lines = &self.caches[hart];
        let number = lines.number(request.address);
        let line = Request { kind: Kind::Fill, address: lines.address(number), bytes: lines.line_bytes() };
        let mut known = self.shared.get(&number).copied().unwrap_or_default();
        let asked = (now + self.message).max(known.awaited);
        let own = 1_u64 << hart;
        let data = if known.owner != 0 {
            let owner = usize::from(known.owner - 1);
            let given = asked + self.message;
            if writes {
                self.caches[owner].drop_line(request.address);
                known.owner = hart as u8 + 1;
            } else {
                // The line goes to memory, too.
                self.caches[owner].take_written(request.address);
                let sent = (given + self.message + self.memory) * period;
                let kept = memory(sent, Request { kind: Kind::WriteBack, ..line });
                known = Shared {
                    owner: 0,
                    sharers: own | 1 << owner,
                    awaited: kept.div_ceil(period) + self.memory,
                };
            }
            given + self.message
        } else {
            let read = memory((asked + self.memory) * period, line);
            known.awaited = read.div_ceil(period) + self.memory;
            let data = known.awaited + self.message;
            if writes {
                let others = known.sharers & !own;
                let acknowledged = self.invalidate(others, request.address, asked);
                known = Shared { owner: hart as u8 + 1, sharers: 0, ..known };
                data.max(acknowledged)
            } else {
                known.sharers |= own;
                data
            }
        };
        self.shared.insert(number, known);
        data + self.response
    }

    /// A line leaves a cache; the cycle at which the directory's answer is there.
    fn evict(
        &mut self,
        hart: usize,
        cycle: u64,
        period: Tick,
        victim: Line,
        memory: &mut impl FnMut(Tick, Request) -> Tick,
    ) -> u64 {
        let told = cycle + self.message;
        let lines = &self.caches[hart];
        let (address, bytes) = (lines.address(victim.number), lines.line_bytes());
        let known = self.shared.entry(victim.number).or_default();
        if victim.written {
            self.counts.write_backs += 1;
            let request = Request { kind: Kind::WriteBack, address, bytes };
            let kept = memory((told + self.memory) * period, request);
            *known = Shared { awaited: kept.div_ceil(period) + self.memory, ..Shared::default() };
        } else {
            known.sharers &= !(1 << hart);
        }
        told + self.message
    }

    /// Harts lose a line; the cycle at which the last one's answer is there.
    fn invalidate(&mut self, harts: u64, address: u64, cycle: u64) -> u64 {
        let each = (0..self.caches.len()).filter(|hart| harts >> hart & 1 != 0);
        each.for_each(|hart| self.caches[hart].drop_line(address));
        if harts == 0 { 0 } else { cycle + 2 * self.message }
    }
}
