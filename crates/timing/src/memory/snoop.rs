//! Harts' own caches of data, kept coherent by snooping, after gem5's classic memory system (mem/coherent_xbar.cc,
//! mem/cache/cache.cc of v24.0): a line that was written in one is in no other.
//!
//! A line that another cache has written comes from there, and what is below has it from then on, too. A line that
//! others only read comes from below; to write it, they must give it up, which is asked for like a line.

use super::lines::Touch;
use super::tree::{Kind, Part, Request, Tree};

impl Tree {
    /// Harts' own caches, if there are several.
    pub fn keep_coherent(&mut self, caches: &[usize]) {
        let are_own = caches.windows(2).all(|pair| pair[0] != pair[1]) && caches.len() > 1;
        self.peers = if are_own { caches.to_vec() } else { Vec::new() };
    }

    /// True if an access is one that a hart's own cache does without anybody else, and then it is done.
    #[inline]
    pub fn hits(&mut self, part: usize, hart: usize, request: Request) -> bool {
        let writes = request.kind == Kind::Store;
        let hits = match &mut self.nodes[part].part {
            Part::Msi(msi) => return msi.hits(hart, request),
            Part::Cache(cache) => match cache.lines.state(request.address) {
                Some(written) => written || !writes || !self.is_elsewhere(part, request.address),
                None => false,
            },
            _ => false,
        };
        if hits && let Part::Cache(cache) = &mut self.nodes[part].part {
            cache.touch(request);
        }
        hits
    }

    fn state(&self, part: usize, address: u64) -> Option<bool> {
        match &self.nodes[part].part {
            Part::Cache(cache) => cache.lines.state(address),
            _ => None,
        }
    }

    fn is_elsewhere(&self, part: usize, address: u64) -> bool {
        self.peers.contains(&part)
            && self.peers.iter().any(|&peer| peer != part && self.state(peer, address).is_some())
    }

    /// An access that another hart's cache has to do with: the cycle at which it is over.
    pub(super) fn snoop(&mut self, part: usize, cycle: u64, request: Request) -> Option<u64> {
        let writes = request.kind == Kind::Store;
        let held = self.state(part, request.address);
        if held == Some(true) || held.is_some() && !writes || !self.is_elsewhere(part, request.address) {
            return None;
        }
        let mut supplier = None;
        for peer in self.peers.clone() {
            if peer == part {
                continue;
            }
            let Part::Cache(cache) = &mut self.nodes[peer].part else { continue };
            if cache.lines.take_written(request.address) {
                supplier = Some(cache.tag);
            }
            if writes {
                cache.lines.drop_line(request.address);
            }
        }
        let below = self.nodes[part].below;
        let Part::Cache(cache) = &mut self.nodes[part].part else { return None };
        let (tag, response) = (cache.tag * self.period.ps(), cache.response * self.period.ps());
        let (address, bytes) = cache.line_of(request.address);
        let at = cycle * self.period.ps();
        match supplier {
            Some(lookup) => {
                let victim = match cache.touch(request) {
                    Touch::Miss(victim) => victim,
                    Touch::Hit => None,
                };
                let (down, back) = match &self.nodes[below].part {
                    Part::Crossbar(crossbar) => (crossbar.request, crossbar.response),
                    _ => (0, 0),
                };
                let given = self.period.edge(at + tag + down + lookup * self.period.ps() + back);
                if !writes {
                    self.keep_below(part, address);
                }
                self.write_back(part, victim, given + tag);
                Some(self.period.cycles(given + response))
            }
            // What others had is theirs no longer, and comes from below like any other line.
            None if held.is_none() => None,
            None => {
                cache.lines.touch(request.address, true);
                cache.counts.misses += 1;
                let answer = self.pass(below, at + tag, 0, Request { kind: Kind::Fill, address, bytes });
                Some(self.period.cycles(self.period.edge(answer.at) + response))
            }
        }
    }

    /// The first cache below a part has what was written above it.
    fn keep_below(&mut self, part: usize, address: u64) {
        let mut at = self.nodes[part].below;
        while let Some(node) = self.nodes.get_mut(at) {
            if let Part::Cache(cache) = &mut node.part {
                cache.lines.set_written(address);
                return;
            }
            at = node.below;
        }
    }
}
