//! Accesses of a core whose crossbar and DRAM have nothing else to do: what most accesses are where there is no cache.
//! What they take is one of few numbers, so that the controller need not be followed.

use std::ops::Range;

use super::dram::{Dram, Found, KINDS, Tick};
use super::tree::{Crossbar, Node, Part, Request, Tree};

/// Cycles of accesses through a crossbar to a DRAM that has nothing else to do.
#[derive(Clone, Copy, Debug)]
pub struct AtRest {
    /// Of reads, by what they find in their bank; and in picoseconds.
    reads: [u64; KINDS],
    reads_ps: [Tick; KINDS],
    /// Of a read of what a write that waits has.
    forwarded: u64,
    /// Of a write where another one waits, but for the cycles of its bytes.
    write: u64,
    /// A read that follows another one at once is at rest, too.
    follow: bool,
}

/// Instructions that are fetched one after the other, and an access of the last one.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// Of all of them, in one page.
    pub bytes: Range<u64>,
    /// Fetches of each.
    pub words: &'a [u64],
    pub data: Option<Request>,
}

/// Cycles beyond the usual, of a fetch or an access; the latter may take less, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Late {
    Fetch(u64),
    Data(i64),
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
        let reads_ps = reads.map(|took| took * self.period.ps());
        Some(AtRest { reads, reads_ps, forwarded: cycles(queue), write: cycles(queue), follow })
    }

    /// Cycles of a read of an open row, the same again, and of a write where another one waits, through a crossbar.
    pub fn at_rest(&self, part: usize) -> Option<(u64, u64)> {
        let Node { part: Part::Crossbar(crossbar), .. } = &self.nodes[part] else { return None };
        self.at_rest[part].map(|rest| (rest.reads[0], rest.write + crossbar.beats(1)))
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
        let (took, payload) = rest.access(crossbar, dram, at, period, request)?;
        crossbar.busy_until = at + crossbar.header + payload;
        Some(cycle + took)
    }

    /// Fetches from a cycle on of so many words each, one after the other, and an access after them, as long as each is at
    /// rest; how many of all these are done. `late` hears of those that do not take what [`Tree::at_rest`] says, and which
    /// instruction they are of.
    #[inline]
    pub fn run_at_rest(
        &mut self,
        part: usize,
        cycle: u64,
        run: &Run<'_>,
        mut late: impl FnMut(usize, Late),
    ) -> usize {
        let period = self.period.ps();
        let Some((rest, crossbar, dram)) = self.crossbar_and_dram(part) else { return 0 };
        let at = cycle * period;
        if at < crossbar.busy_until || !rest.follow {
            return 0;
        }
        let hit = rest.reads[0];
        let late_read = |number, found: Found| {
            late(number, Late::Fetch(rest.reads[found as usize] - hit));
        };
        let fetched = dram.fetch_at_rest(at, &rest.reads_ps, &run.bytes, run.words, late_read);
        let Some((done, last, at)) = fetched else { return 0 };
        if done == run.words.len()
            && let Some(request) = run.data
            && let Some((took, payload)) = rest.access(crossbar, dram, at, period, request)
        {
            let usual = if request.kind.writes() { rest.write + crossbar.beats(1) } else { hit };
            if took != usual {
                late(done - 1, Late::Data(took as i64 - usual as i64));
            }
            crossbar.busy_until = at + crossbar.header + payload;
            return done + 1;
        }
        crossbar.busy_until = last + crossbar.header;
        done
    }

    /// What is known of a crossbar with a DRAM below it, and they.
    #[inline]
    fn crossbar_and_dram(&mut self, part: usize) -> Option<(&AtRest, &mut Crossbar, &mut Dram)> {
        let rest = self.at_rest[part].as_ref()?;
        let below = self.nodes[part].below;
        match self.nodes.get_disjoint_mut([part, below]).ok()? {
            [Node { part: Part::Crossbar(crossbar), .. }, Node { part: Part::Dram(dram), .. }] => {
                Some((rest, crossbar, dram))
            }
            _ => None,
        }
    }
}

impl AtRest {
    /// An access through a crossbar that is free: its cycles, and how long its bytes take the crossbar.
    #[inline]
    fn access(
        &self,
        crossbar: &Crossbar,
        dram: &mut Dram,
        at: Tick,
        period: Tick,
        request: Request,
    ) -> Option<(u64, Tick)> {
        if request.kind.writes() {
            let beats = crossbar.beats(request.bytes);
            dram.write_at_rest(at, request.address)?;
            return Some((self.write + beats, beats * period));
        }
        let found = dram.read_at_rest(at, request.address, request.bytes)?;
        Some((found.map_or(self.forwarded, |found| self.reads[found as usize]), 0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Late, Run as Fetched};
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

    const fn cycles(late: Late) -> i64 {
        match late {
            Late::Fetch(more) => more as i64,
            Late::Data(more) => more,
        }
    }

    /// Instructions of so many words each, from an address on; an access; and cycles without any.
    type Run = (u64, Vec<u64>, Option<(Kind, u64, u64)>, u64);

    fn runs() -> impl Strategy<Value = Vec<Run>> {
        let place = |words: u64| (0..5_u64, 0..words).prop_map(|(row, word)| row * 0x20_000 / 2 + word * 4);
        let words = prop::collection::vec(1..3_u64, 1..14);
        let gap = prop_oneof![Just(0), Just(0), 0..4000_u64];
        let kind = prop::sample::select(vec![Kind::Load, Kind::Store, Kind::Store]);
        let data = prop::option::of((kind, place(1000), prop::sample::select(vec![4, 20])));
        prop::collection::vec((place(900), words, data, gap), 1..80)
    }

    proptest! {
        #[test]
        fn accesses_in_a_row_take_what_each_of_them_does(runs in runs(), period in 300..3000_u64) {
            let (mut together, mut each) = (tree(period), tree(period));
            each.at_rest = vec![None; 2];
            let (hit, write) = together.at_rest(0).unwrap_or_default();
            let (mut now, mut then) = (0, 0);
            for (address, words, data, gap) in runs {
                let bytes = address..address + 4 * words.iter().sum::<u64>();
                let fetch = |tree: &mut Tree, now, word| access(tree, now, Kind::Load, address + 4 * word, 4);
                let request = data.map(|(kind, address, bytes)| Request { kind, address, bytes });
                let mut done = 0;
                while done < words.len() {
                    let mut extra = 0;
                    let run = Fetched { bytes: bytes.clone(), words: &words[done..], data: request };
                    let passed = together.run_at_rest(0, now, &run, |_, late| extra += cycles(late));
                    let fetched = passed.min(words.len() - done);
                    now += hit * words[done..done + fetched].iter().sum::<u64>();
                    if let Some(data) = request && passed > fetched {
                        now += if data.kind == Kind::Load { hit } else { write };
                    }
                    now = now.wrapping_add_signed(extra);
                    done += passed;
                    if done < words.len() {
                        let before: u64 = words[..done].iter().sum();
                        now = (before..before + words[done]).fold(now, |now, word| fetch(&mut together, now, word));
                        done += 1;
                    }
                }
                if let Some(data) = request && done == words.len() {
                    now = together.access(0, 0, now, data);
                }
                then = (0..words.iter().sum()).fold(then, |then, word| fetch(&mut each, then, word));
                if let Some(data) = request {
                    then = each.access(0, 0, then, data);
                }
                prop_assert_eq!(now, then);
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
        let run = Fetched { bytes: 0..72, words: &[1; 18], data: None };
        let done = tree.run_at_rest(0, 1000, &run, |number, more| late.push((number, more)));
        assert_eq!((done, late), (18, vec![(15, Late::Fetch(14))]));
        // Another row of the bank, and a write that comes to none.
        let mut late = Vec::new();
        let other = 8192 * 16;
        let data = Some(Request { kind: Kind::Store, address: 8192, bytes: 8 });
        let run = Fetched { bytes: other..other + 8, words: &[2], data };
        let done = tree.run_at_rest(0, 3000, &run, |_, more| late.push(more));
        assert_eq!((done, late), (1, vec![Late::Fetch(28)]));
    }
}
