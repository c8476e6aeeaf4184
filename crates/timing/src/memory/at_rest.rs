//! Accesses of a core whose crossbar and DRAM have nothing else to do: what most accesses are where there is no cache.
//! They take the same time always, so that the controller need not be followed.

use std::ops::Range;

use super::tree::{Node, Part, Request, Tree};

impl Tree {
    /// Cycles of a read of an open row, the same again, and of a write where another one waits, through a crossbar.
    pub fn at_rest(&self, part: usize) -> Option<(u64, u64)> {
        let Node { part: Part::Crossbar(crossbar), below, .. } = &self.nodes[part] else { return None };
        let Part::Dram(dram) = &self.nodes[*below].part else { return None };
        let (read, write) = dram.at_rest();
        let cycles = |took| self.period.cycles(took + crossbar.request) + crossbar.response_cycles;
        Some((cycles(read), cycles(write + crossbar.beats(1) * self.period.ps())))
    }

    /// A core reads an open row, or writes where a write waits, through a crossbar that is free: what most accesses are
    /// where there is no cache.
    #[inline]
    pub(super) fn access_at_rest(
        &mut self,
        part: usize,
        below: usize,
        cycle: u64,
        request: Request,
    ) -> Option<u64> {
        let [Node { part: Part::Crossbar(crossbar), .. }, Node { part: Part::Dram(dram), .. }] =
            self.nodes.get_disjoint_mut([part, below]).ok()?
        else {
            return None;
        };
        let at = cycle * self.period.ps();
        if at < crossbar.busy_until {
            return None;
        }
        let (answered, payload) = if request.kind.writes() {
            let payload = crossbar.beats(request.bytes) * self.period.ps();
            (dram.write_at_rest(at, request.address)? + payload, payload)
        } else {
            (dram.read_at_rest(at, request.address, request.bytes)?, 0)
        };
        let answered = answered + crossbar.request;
        crossbar.busy_until = at + crossbar.header + payload;
        // What a crossbar takes on the way back is whole cycles.
        Some(self.period.cycles(answered) + crossbar.response_cycles)
    }

    /// Fetches of so many words each, one after the other, as long as each read takes what [`Tree::at_rest`] says; how
    /// many are done.
    #[inline]
    pub fn read_run_at_rest(&mut self, part: usize, cycle: u64, bytes: &Range<u64>, words: &[u64]) -> usize {
        let below = self.nodes[part].below;
        let period = self.period;
        let Ok([Node { part: Part::Crossbar(crossbar), .. }, Node { part: Part::Dram(dram), .. }]) =
            self.nodes.get_disjoint_mut([part, below])
        else {
            return 0;
        };
        let at = cycle * period.ps();
        if at < crossbar.busy_until {
            return 0;
        }
        let each =
            (period.cycles(dram.at_rest().0 + crossbar.request) + crossbar.response_cycles) * period.ps();
        let mut left = dram.reads_at_rest(at, each, bytes);
        let fits = |words: &&u64| {
            let fits = **words <= left;
            left = left.saturating_sub(**words);
            fits
        };
        let (mut done, mut reads) = (0, 0);
        words.iter().take_while(fits).for_each(|words| {
            done += 1;
            reads += words;
        });
        if reads != 0 {
            let last = at + (reads - 1) * each;
            dram.read_run_at_rest(last, bytes.start, reads);
            crossbar.busy_until = last + crossbar.header;
        }
        done
    }
}
