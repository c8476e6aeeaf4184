//! Harts' own caches of data, kept coherent by snooping, after gem5's classic memory system (mem/coherent_xbar.cc,
//! mem/cache/cache.cc of v24.0): a line that was written in one is in no other.
//!
//! A line that another cache has written comes from there, and what is below has it from then on, too. A line that
//! others only read comes from below; to write it, they must give it up, which is asked for like a line.

use super::lines::{Lines, Touch};
use super::tree::{Kind, Node, Part, Request, Tree};

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

    /// The lines of a hart's own cache.
    #[inline]
    pub fn lines(&mut self, part: usize, hart: usize) -> Option<&mut Lines> {
        self.nodes[part].lines(hart)
    }

    /// Those of two.
    #[inline]
    pub fn lines_of_both(&mut self, parts: [usize; 2], hart: usize) -> Option<[&mut Lines; 2]> {
        let [one, other] = self.nodes.get_disjoint_mut(parts).ok()?;
        Some([one.lines(hart)?, other.lines(hart)?])
    }

    fn state(&self, part: usize, address: u64) -> Option<bool> {
        match &self.nodes[part].part {
            Part::Cache(cache) => cache.lines.state(address),
            _ => None,
        }
    }

    /// True if a line is in another hart's cache, too.
    pub(super) fn is_elsewhere(&self, part: usize, address: u64) -> bool {
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

impl Node {
    #[inline]
    fn lines(&mut self, hart: usize) -> Option<&mut Lines> {
        match &mut self.part {
            Part::Msi(msi) => msi.caches.get_mut(hart),
            Part::Cache(cache) => Some(&mut cache.lines),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::memory::dram::Tick;
    use crate::memory::lines::{Lines, Replacement};
    use crate::memory::period::Period;
    use crate::memory::tree::{Cache, CacheCounts, Crossbar, Kind, Node, Part, Request, Tree};

    const NS: Tick = 1000;
    const HARTS: usize = 3;

    fn cache(sets: usize, ways: usize, latency: u64) -> Part {
        let lines = Lines::new(sets, ways, 64, Replacement::Lru);
        Part::Cache(Cache {
            lines,
            tag: latency,
            data: latency,
            response: latency,
            counts: CacheCounts::default(),
        })
    }

    /// Caches of 2 cycles each, a crossbar of one cycle either way, a cache of 20 cycles and a memory of 50.
    fn tree() -> Tree {
        let crossbar =
            Crossbar { request: NS, response: NS, response_cycles: 1, header: NS, width: 5, busy_until: 0 };
        let mut nodes: Vec<Node> = (0..HARTS)
            .map(|hart| Node { name: format!("l1 of {hart}"), part: cache(2, 2, 2), below: HARTS })
            .collect();
        nodes.push(Node { name: "bus".to_owned(), part: Part::Crossbar(crossbar), below: HARTS + 1 });
        nodes.push(Node { name: "l2".to_owned(), part: cache(4, 4, 20), below: HARTS + 2 });
        nodes.push(Node { name: "memory".to_owned(), part: Part::Flat(50 * NS), below: usize::MAX });
        let mut tree = Tree::new(nodes, NS);
        tree.keep_coherent(&[0, 1, 2]);
        tree
    }

    fn access(tree: &mut Tree, hart: usize, cycle: u64, address: u64, kind: Kind) -> u64 {
        tree.access(hart, hart, cycle, Request { kind, address, bytes: 8 }) - cycle
    }

    #[test]
    fn a_written_line_comes_from_the_cache_that_has_it_and_a_shared_one_is_asked_for() {
        let mut tree = tree();
        assert_eq!(
            access(&mut tree, 0, 1000, 0x40, Kind::Store),
            2 + 1 + 20 + 50 + 20 + 1 + 2,
            "from memory"
        );
        assert_eq!(access(&mut tree, 0, 2000, 0x40, Kind::Store), 2, "its own");
        assert_eq!(access(&mut tree, 1, 3000, 0x40, Kind::Load), 2 + 1 + 2 + 1 + 2, "from the other cache");
        assert_eq!(access(&mut tree, 0, 4000, 0x40, Kind::Load), 2, "both have it");
        assert_eq!(
            access(&mut tree, 0, 5000, 0x40, Kind::Store),
            2 + 1 + 20 + 1 + 2,
            "the other one loses it"
        );
        assert_eq!(access(&mut tree, 1, 6000, 0x40, Kind::Store), 2 + 1 + 2 + 1 + 2, "and takes it back");
    }

    proptest! {
        #[test]
        fn what_one_has_written_no_other_has(accesses in prop::collection::vec(
            (0..HARTS, 0..12_u64, any::<bool>()), 1..200,
        )) {
            let mut tree = tree();
            let mut cycle = 0;
            for (hart, line, writes) in accesses {
                let kind = if writes { Kind::Store } else { Kind::Load };
                let request = Request { kind, address: 64 * line, bytes: 8 };
                let was_alone = tree.clone().hits(hart, hart, request);
                let took = access(&mut tree, hart, cycle, 64 * line, kind);
                prop_assert_eq!(was_alone, took == 2);
                cycle += took;
                for line in 0..12 {
                    let states: Vec<_> = (0..HARTS).filter_map(|hart| tree.state(hart, 64 * line)).collect();
                    prop_assert!(states.len() <= 1 || !states.contains(&true), "{:?}", states);
                }
                prop_assert_eq!(tree.state(hart, 64 * line).is_some(), true);
            }
            prop_assert_eq!(Period::new(NS).cycles(cycle * NS), cycle);
        }
    }
}
