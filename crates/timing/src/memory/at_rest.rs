//! Accesses of a core whose crossbar and DRAM have nothing else to do: what most accesses are where there is no cache.
//! What they take is one of few numbers, so that the controller need not be followed.

use std::ops::Range;

use super::dram::{Dram, Found, KINDS};
use super::tree::{Crossbar, Node, Part, Request, Tree};

/// Cycles of accesses through a crossbar to a DRAM that has nothing else to do.
#[derive(Clone, Copy, Debug)]
pub struct AtRest {
    /// Of reads, by what they find in their bank.
    reads: [u64; KINDS],
    /// Of a read of what a write that waits has.
    forwarded: u64,
    /// Of a write where another one waits, but for the cycles of its bytes.
    write: u64,
    /// A read that follows another one at once is at rest, too.
    follow: bool,
}

impl Tree {
    /// What accesses take that come to a part while all below it has nothing else to do.
    pub(super) fn find_at_rest(&self, part: usize) -> Option<AtRest> {
        let Node { part: Part::Crossbar(crossbar), below, .. } = &self.nodes[part] else { return None };
        let Part::Dram(dram) = &self.nodes.get(*below)?.part else { return None };
        let (reads, over, queue) = dram.at_rest();
        let cycles = |took| self.period.cycles(took + crossbar.request) + crossbar.response_cycles;
        let reads = reads.map(cycles);
        let follow = reads.iter().zip(over).all(|(took, over)| took * self.period.ps() >= over);
        let follow = follow && crossbar.header <= reads[0] * self.period.ps();
        Some(AtRest { reads, forwarded: cycles(queue), write: cycles(queue), follow })
    }

    /// Cycles of a read of an open row, the same again, and of a write where another one waits, through a crossbar.
    pub fn at_rest(&self, part: usize) -> Option<(u64, u64)> {
        let Node { part: Part::Crossbar(crossbar), .. } = &self.nodes[part] else { return None };
        self.at_rest[part].map(|rest| (rest.reads[0], rest.write + crossbar.beats(1)))
    }

    /// A crossbar and the DRAM below it.
    #[inline]
    fn crossbar_and_dram(&mut self, part: usize) -> Option<(AtRest, &mut Crossbar, &mut Dram)> {
        let rest = self.at_rest[part]?;
        let below = self.nodes[part].below;
        match self.nodes.get_disjoint_mut([part, below]).ok()? {
            [Node { part: Part::Crossbar(crossbar), .. }, Node { part: Part::Dram(dram), .. }] => {
                Some((rest, crossbar, dram))
            }
            _ => None,
        }
    }

    /// A core reads, or writes where a write waits, through a crossbar that is free: what most accesses are where there is
    /// no cache.
    #[inline]
    pub(super) fn access_at_rest(&mut self, part: usize, cycle: u64, request: Request) -> Option<u64> {
        let period = self.period.ps();
        let (rest, crossbar, dram) = self.crossbar_and_dram(part)?;
        let at = cycle * period;
        if at < crossbar.busy_until {
            return None;
        }
        let (took, payload) = if request.kind.writes() {
            let beats = crossbar.beats(request.bytes);
            dram.write_at_rest(at, request.address)?;
            (rest.write + beats, beats * period)
        } else {
            let found = dram.read_at_rest(at, request.address, request.bytes)?;
            (found.map_or(rest.forwarded, |found| rest.reads[found as usize]), 0)
        };
        crossbar.busy_until = at + crossbar.header + payload;
        Some(cycle + took)
    }

    /// Fetches from a cycle on of so many words each, one after the other, as long as each is at rest; how many are done.
    /// They are of bytes of a page. `late` hears which ones take longer than from an open row, and by how much.
    #[inline]
    pub fn fetch_at_rest(
        &mut self,
        part: usize,
        mut cycle: u64,
        bytes: &Range<u64>,
        words: &[u64],
        mut late: impl FnMut(usize, u64),
    ) -> usize {
        let period = self.period;
        let Some((rest, crossbar, dram)) = self.crossbar_and_dram(part) else { return 0 };
        let at = cycle * period.ps();
        if at < crossbar.busy_until || !rest.follow {
            return 0;
        }
        let Some((until, mut reads)) = dram.reads_at_rest(at, bytes.start, bytes.end) else { return 0 };
        let (hit, most) = (rest.reads[0], rest.reads[KINDS - 1]);
        let until = period.cycles(until);
        let (mut done, mut last, mut found) = (0, cycle, Found::Open);
        for &words in words {
            // The last of its words begins before something else happens, however long the others take.
            if cycle + (words - 1) * most >= until {
                break;
            }
            if reads.hit(words) {
                found = Found::Open;
                cycle += words * hit;
                last = cycle - hit;
            } else {
                let begun = cycle;
                for _ in 0..words {
                    found = reads.read();
                    last = cycle;
                    cycle += rest.reads[found as usize];
                }
                if cycle - begun != words * hit {
                    late(done, cycle - begun - words * hit);
                }
            }
            done += 1;
        }
        if done != 0 {
            let last = last * period.ps();
            crossbar.busy_until = last + crossbar.header;
            reads.end(last, found, bytes.start);
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::memory::dram::tests::ddr3;
    use crate::memory::dram::{Dram, Tick};
    use crate::memory::tree::{Crossbar, Kind, Node, Part, Request, Tree};

    const NS: Tick = 1000;

    /// A crossbar of 8 cycles down and 2 back, 16 bytes wide, and a DDR3.
    fn tree(period: Tick) -> Tree {
        let crossbar = Crossbar {
            request: 8 * period,
            response: 2 * period,
            response_cycles: 2,
            header: period,
            width: 4,
            busy_until: 0,
        };
        let dram = Part::Dram(Box::new(Dram::new(ddr3())));
        let nodes = vec![
            Node { name: "bus".to_owned(), part: Part::Crossbar(crossbar), below: 1 },
            Node { name: "dram".to_owned(), part: dram, below: usize::MAX },
        ];
        Tree::new(nodes, period)
    }

    fn counts(tree: &Tree) -> Vec<(&'static str, u64)> {
        match &tree.nodes()[1].part {
            Part::Dram(dram) => dram.counts().named(),
            _ => Vec::new(),
        }
    }

    fn access(tree: &mut Tree, cycle: u64, kind: Kind, address: u64, bytes: u64) -> u64 {
        tree.access(0, 0, cycle, Request { kind, address, bytes })
    }

    /// Instructions of so many words each, from an address on; then an access.
    type Run = (u64, Vec<u64>, (u8, u64), u64);

    fn runs() -> impl Strategy<Value = Vec<Run>> {
        let place = |words: u64| (0..5_u64, 0..words).prop_map(|(row, word)| row * 0x20_000 / 2 + word * 4);
        let words = prop::collection::vec(1..3_u64, 1..14);
        let gap = prop_oneof![Just(0), Just(0), 0..4000_u64];
        prop::collection::vec(
            (place(900), words, (0..4_u8, place(1000)).prop_map(|(k, a)| (k, a)), gap),
            1..80,
        )
    }

    proptest! {
        #[test]
        fn fetches_in_a_row_take_what_each_of_them_does(runs in runs(), period in 300..3000_u64) {
            let (mut together, mut each) = (tree(period), tree(period));
            each.at_rest = vec![None; 2];
            let hit = together.at_rest(0).map_or(0, |(hit, _)| hit);
            let (mut now, mut then) = (0, 0);
            for (address, words, (kind, data), gap) in runs {
                let mut done = 0;
                let bytes = address..address + 4 * words.iter().sum::<u64>();
                let fetch = |tree: &mut Tree, now, word| access(tree, now, Kind::Load, address + 4 * word, 4);
                while done < words.len() {
                    let mut extra = 0;
                    let fetched = together.fetch_at_rest(0, now, &bytes, &words[done..], |_, late| extra += late);
                    now += hit * words[done..done + fetched].iter().sum::<u64>() + extra;
                    done += fetched;
                    if done < words.len() {
                        let before: u64 = words[..done].iter().sum();
                        now = (before..before + words[done]).fold(now, |now, word| fetch(&mut together, now, word));
                        done += 1;
                    }
                }
                then = (0..words.iter().sum()).fold(then, |then, word| fetch(&mut each, then, word));
                prop_assert_eq!(now, then);
                let kind = match kind {
                    0 => None,
                    1 => Some(Kind::Load),
                    _ => Some(Kind::Store),
                };
                if let Some(kind) = kind {
                    now = access(&mut together, now, kind, data, 4);
                    then = access(&mut each, then, kind, data, 4);
                    prop_assert_eq!(now, then);
                }
                (now, then) = (now + gap, then + gap);
            }
            prop_assert_eq!(counts(&together), counts(&each));
        }
    }

    #[test]
    fn an_instruction_whose_row_must_be_opened_is_late() {
        let mut tree = tree(NS);
        access(&mut tree, 100, Kind::Load, 0, 4);
        let mut late = Vec::new();
        // Sixteen accesses of a row close it; the first one was before.
        let words = [1; 18];
        let done = tree.fetch_at_rest(0, 1000, &(0..72), &words, |number, more| late.push((number, more)));
        assert_eq!((done, late), (18, vec![(15, 14)]));
        // Another row of the bank.
        let mut late = Vec::new();
        let other = 8192 * 16;
        let done = tree.fetch_at_rest(0, 3000, &(other..other + 8), &[2], |_, more| late.push(more));
        assert_eq!((done, late), (1, vec![28]));
    }
}
