//! Accesses of a core whose crossbar and DRAM have nothing else to do: what most accesses are where there is no cache.
//! What they take is one of few numbers, so that the controller need not be followed.

use std::ops::Range;

use super::dram::{Dram, KINDS, Reads, Tick};
use super::pages::PAGE;
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
    /// An access that follows another one at once is at rest, too.
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
        let follows = reads.iter().zip(over).all(|(took, over)| took * self.period.ps() >= over);
        // What follows finds the crossbar free, and the bytes of a page are of one row.
        let is_free = crossbar.header <= cycles(queue) * self.period.ps();
        let follow = follows && is_free && dram.has_rows_of(PAGE);
        Some(AtRest { reads, forwarded: cycles(queue), write: cycles(queue), follow })
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

    /// Accesses one after the other from a cycle on, as long as each is at rest.
    #[inline]
    pub fn rest(&mut self, part: usize, cycle: u64) -> Option<Rest<'_>> {
        let period = self.period;
        let (took, crossbar, dram) = self.crossbar_and_dram(part)?;
        let at = cycle * period.ps();
        if at < crossbar.busy_until || !took.follow {
            return None;
        }
        let (reads, until) = dram.reads_at_rest(at)?;
        let (until, period) = (period.cycles(until), period.ps());
        Some(Rest { took, crossbar, reads, period, cycle, until, read: cycle, access: None })
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

/// Accesses of a core one after the other, each at rest.
pub struct Rest<'a> {
    took: &'a AtRest,
    crossbar: &'a mut Crossbar,
    reads: Reads<'a>,
    period: Tick,
    /// When the next one begins.
    cycle: u64,
    /// When something else may happen.
    until: u64,
    /// When the last read began.
    read: u64,
    /// When the last access began, and how long its bytes take the crossbar.
    access: Option<(u64, Tick)>,
}

impl Rest<'_> {
    /// The next access begins so much later.
    #[inline]
    pub const fn pause(&mut self, cycles: u64) {
        self.cycle += cycles;
    }

    /// Fetches so many words for each instruction, all together `whole`, of bytes of a page. How many of the instructions
    /// are done; `late` hears which ones take longer than words of an open row, and by how much.
    #[inline]
    pub fn fetch(
        &mut self,
        bytes: &Range<u64>,
        words: &[u64],
        whole: u64,
        mut late: impl FnMut(usize, u64),
    ) -> usize {
        if self.reads.are_written(bytes) {
            return 0;
        }
        let reads = self.took.reads;
        let mut row = self.reads.row(bytes.start);
        let last = self.cycle + (whole - 1) * reads[0];
        if last < self.until && row.hit(whole) {
            self.reads.put(row);
            (self.cycle, self.read, self.access) = (last + reads[0], last, Some((last, 0)));
            return words.len();
        }
        let (mut cycle, mut read) = (self.cycle, self.read);
        let mut done = 0;
        for &words in words {
            // The last one begins before something else happens, however long the others take.
            if cycle + (words - 1) * reads[KINDS - 1] >= self.until {
                break;
            }
            if row.hit(words) {
                cycle += words * reads[0];
                read = cycle - reads[0];
            } else {
                let usual = cycle + words * reads[0];
                for _ in 0..words {
                    read = cycle;
                    cycle += reads[row.read() as usize];
                }
                if cycle != usual {
                    late(done, cycle - usual);
                }
            }
            done += 1;
        }
        if done != 0 {
            self.reads.put(row);
            (self.cycle, self.read, self.access) = (cycle, read, Some((read, 0)));
        }
        done
    }

    /// An access; by how many cycles it takes longer than what [`Tree::at_rest`] says. `None`: it is not done.
    #[inline]
    pub fn access(&mut self, request: Request) -> Option<i64> {
        if self.cycle >= self.until {
            return None;
        }
        let begin = self.cycle;
        let mut payload = 0;
        let (took, usual) = if request.kind.writes() {
            if !self.reads.merge(request.address) {
                return None;
            }
            let beats = self.crossbar.beats(request.bytes);
            payload = beats * self.period;
            (self.took.write + beats, self.took.write + self.crossbar.beats(1))
        } else {
            let took = if self.reads.forward(request.address, request.bytes) {
                self.took.forwarded
            } else {
                self.read = begin;
                self.took.reads[self.reads.read(request.address) as usize]
            };
            (took, self.took.reads[0])
        };
        self.access = Some((begin, payload));
        self.cycle += took;
        Some(took as i64 - usual as i64)
    }

    /// Something else comes next.
    #[inline]
    pub fn end(self) {
        let Some((access, payload)) = self.access else { return };
        let access = access * self.period;
        self.crossbar.busy_until = access + self.crossbar.header + payload;
        self.reads.end(self.read * self.period, access);
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
                let (mut done, mut passed) = (0, false);
                while !passed {
                    if let Some(mut rest) = together.rest(0, now) {
                        let mut extra = 0;
                        let whole = words[done..].iter().sum();
                        if whole != 0 {
                            let fetched = rest.fetch(&bytes, &words[done..], whole, |_, late| extra += late);
                            now += hit * words[done..done + fetched].iter().sum::<u64>() + extra;
                            done += fetched;
                        }
                        if let Some(data) = request && done == words.len() && let Some(more) = rest.access(data) {
                            now += if data.kind == Kind::Load { hit } else { write };
                            now = now.wrapping_add_signed(more);
                            passed = true;
                        }
                        rest.end();
                    }
                    if done < words.len() {
                        let before: u64 = words[..done].iter().sum();
                        now = (before..before + words[done]).fold(now, |now, word| fetch(&mut together, now, word));
                        done += 1;
                    } else if !passed {
                        now = request.map_or(now, |data| together.access(0, 0, now, data));
                        passed = true;
                    }
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
        let mut rest = tree.rest(0, 1000).expect("nothing happens");
        // Sixteen accesses of a row close it; the first one was before.
        assert_eq!(rest.fetch(&(0..56), &[2; 7], 14, |_, more| late.push((0, more))), 7);
        assert_eq!(late, []);
        assert_eq!(rest.fetch(&(56..72), &[1; 4], 4, |number, more| late.push((number, more))), 4);
        assert_eq!(late, [(1, 14)]);
        // Another row of the bank, and a write that comes to none.
        let other = 8192 * 16;
        let mut late = Vec::new();
        assert_eq!(rest.fetch(&(other..other + 8), &[2], 2, |_, more| late.push(more)), 1);
        assert_eq!(late, [28]);
        assert_eq!(rest.access(Request { kind: Kind::Store, address: 8192, bytes: 8 }), None);
        assert_eq!(rest.access(Request { kind: Kind::Load, address: 0, bytes: 8 }), Some(28));
        rest.end();
    }
}
