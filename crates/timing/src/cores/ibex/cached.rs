//! Fetching through the instruction cache: `ibex_icache.sv` without error correction, on a bus that always grants.
//!
//! A lookup is made for every line, ahead of need, and takes a fill buffer. Buffers are served by age: one that missed
//! asks for its two words, hands them to the second stage as they come, and writes its line in a cycle without a lookup.
//! A buffer from before a redirection is stale, but its line is written all the same.

use super::fetch::{Answers, Cycle, Fetch, Stepped, Untold, Wanted};
use crate::parts::ibex_tags::{Lines, line};

/// Fill buffers, and how many may be in use, but for stale ones, when another line is looked up ahead of need.
const BUFFERS: usize = 4;
const AHEAD: usize = BUFFERS - 2;
/// Words of a line.
const WORDS: u8 = 2;
/// Bytes of a line.
const LINE: u32 = 8;
/// Cycles without the cache, while every set is emptied: one to notice, one to wait for a key, and one a set.
const EMPTYING: u32 = 258;

/// The cache's fetch side, and instructions that come this many cycles after they are asked for.
pub struct Cached {
    /// At least 1.
    pub latency: u32,
}

/// A fill buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Fill {
    /// Its line if that is to be written, or 0.
    line: u32,
    way: u8,
    /// The first word wanted of it.
    first: u8,
    /// In the cycle after the lookup: whether it hit.
    looked: Option<bool>,
    hit: bool,
    stale: bool,
    /// The line shall be written if it was missing.
    caches: bool,
    /// Words asked for, and `fill_ext_done_q`: no more are.
    asked: u8,
    asks_no_more: bool,
    /// Words that came.
    come: u8,
    written: bool,
    /// Words of the line that the second stage has taken, or does not want.
    given: u8,
}

/// What the fetch side is doing.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Fills {
    /// In use, the oldest first.
    fills: Vec<Fill>,
    answers: Answers<()>,
    /// The address looked up next, unless there is a redirection.
    next: u32,
    /// The first half of the next instruction is kept apart, as its word has been taken.
    half: bool,
    /// Cycles until the cache is empty and in use.
    emptying: u32,
    enabled: bool,
}

impl Fill {
    /// All words that it asked for have come, and it asks for no more.
    const fn has_all(&self) -> bool {
        self.asks_no_more && self.come == self.asked
    }

    const fn has_hit(&self) -> bool {
        self.hit || matches!(self.looked, Some(true))
    }

    /// It waits for the second stage.
    const fn waits(&self) -> bool {
        !self.stale && self.given < WORDS
    }

    const fn writes(&self) -> bool {
        self.come == WORDS && !self.hit && self.caches && !self.written
    }

    /// It asks for no more words, if this is the cycle of a redirection or not.
    const fn stops(&self, redirected: bool) -> bool {
        let past = self.first + self.asked >= WORDS;
        self.asked == WORDS || self.has_hit() || (!self.caches && (redirected || self.stale || past))
    }

    const fn is_done(&self, redirected: bool) -> bool {
        (self.written || self.hit || !self.caches) && (!self.waits() || redirected) && self.has_all()
    }
}

impl Stepped for Cached {
    type State = Fills;

    fn step(&self, state: &mut Fills, cycle: Cycle, lines: &mut impl Lines) -> bool {
        let redirected = cycle.to.is_some();
        let caches = state.enabled && state.emptying == 0 && cycle.empties.is_none();
        let fills = &state.fills;

        let asking = fills.iter().position(|fill| !fill.stops(redirected));
        let comes = state.answers.now().is_some();
        let receiving = fills.iter().position(|fill| !fill.has_all()).filter(|_| comes);
        let giving = fills.iter().position(Fill::waits).filter(|&at| {
            let fill = &fills[at];
            fill.has_hit() || fill.first + fill.come > fill.given || receiving == Some(at)
        });

        let throttled = fills.iter().filter(|fill| !fill.stale).count() > AHEAD;
        let looks = fills.len() < BUFFERS && (redirected || !throttled);
        let writing = fills.iter().position(Fill::writes).filter(|_| !looks);
        let ahead_of_lookup = redirected || !state.enabled;
        let asks_at_once = looks && ahead_of_lookup && asking.is_none();

        let Output { taken, pops, half } = output(state.half, giving.is_some(), cycle);

        let looked_up = cycle.to.unwrap_or(state.next);
        let looked = (looks && caches).then(|| lines.look(line(looked_up)));
        if let Some(at) = writing {
            lines.put(fills[at].line, fills[at].way);
        }
        if cycle.empties.is_some() {
            lines.empty();
        }

        let mut at = 0;
        state.fills.retain_mut(|fill| {
            let own = Some(at);
            at += 1;
            let done = fill.is_done(redirected);
            fill.asks_no_more = fill.stops(redirected);
            fill.hit = fill.has_hit();
            fill.looked = None;
            fill.asked += u8::from(asking == own);
            fill.come += u8::from(receiving == own);
            fill.written |= writing == own;
            fill.given += u8::from(pops && giving == own);
            fill.stale |= redirected;
            fill.caches &= cycle.empties.is_none();
            fill.forget();
            !done
        });
        if looks {
            let first = (looked_up / 4 % 2) as u8;
            let mut fill = Fill {
                line: line(looked_up),
                way: looked.map_or(0, |looked| looked.way),
                first,
                looked: looked.map(|looked| looked.hit),
                hit: false,
                stale: false,
                caches,
                asked: u8::from(asks_at_once),
                asks_no_more: false,
                come: 0,
                written: false,
                given: first,
            };
            fill.forget();
            state.fills.push(fill);
            state.next = (looked_up & !(LINE - 1)).wrapping_add(LINE);
        } else if redirected {
            state.next = looked_up;
        }
        state.answers.go_on((asking.is_some() || asks_at_once).then_some(()), self.latency);
        state.half = half;
        state.emptying = match cycle.empties {
            Some(again) => EMPTYING - 1 + again,
            None => state.emptying.saturating_sub(1),
        };
        taken
    }
}

impl Fill {
    /// Two buffers that go on alike are equal.
    const fn forget(&mut self) {
        if self.has_hit() || !self.caches || self.written {
            (self.line, self.way) = (0, 0);
        }
        if self.stale {
            self.given = WORDS;
        }
    }
}

struct Output {
    taken: bool,
    /// A word leaves the oldest buffer.
    pops: bool,
    half: bool,
}

/// From words to instructions: what the second stage takes, if there is a word or not.
fn output(half: bool, word: bool, cycle: Cycle) -> Output {
    let Some(wanted) = cycle.wanted else {
        return Output { taken: false, pops: false, half: half && cycle.to.is_none() };
    };
    let complete = half && !wanted.long;
    // The first half of what is in two words is set aside, be the second stage ready or not.
    let sets_aside = wanted.across() && !half;
    let there = complete || (word && !sets_aside);
    let goes_on = if half {
        !cycle.ready || wanted.long
    } else {
        word && (sets_aside || (!wanted.upper() && !wanted.long && cycle.ready))
    };
    Output {
        taken: there && cycle.ready,
        pops: word && (cycle.ready || sets_aside) && !complete,
        half: goes_on && cycle.to.is_none(),
    }
}

impl Fetch for Cached {
    type State = Fills;

    const CACHED: bool = true;

    /// The cache is emptied after reset, too; the redirection comes a cycle later.
    fn reset(&self) -> Fills {
        Fills { emptying: EMPTYING - 1, ..Fills::default() }
    }

    fn enable(&self, state: &mut Fills) {
        state.enabled = true;
    }

    fn take(&self, fills: &mut Fills, untold: Untold, wanted: Wanted, lines: &mut impl Lines) -> u32 {
        self.step_until_taken(fills, untold, wanted, lines)
    }

    fn take_foreseen(
        &self,
        fills: &mut Fills,
        untold: Untold,
        wanted: Wanted,
        target: u32,
        lines: &mut impl Lines,
    ) -> (u32, u32) {
        self.step_until_foreseen(fills, untold, wanted, target, lines)
    }

    fn redirect(&self, fills: &mut Fills, to: u32, lines: &mut impl Lines) {
        self.step(fills, Cycle { to: Some(to), ..Cycle::BUSY }, lines);
    }

    fn busy(&self, fills: &mut Fills, cycles: u32, lines: &mut impl Lines) {
        for _ in 0..cycles {
            self.step(fills, Cycle::BUSY, lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fetch::Redirect;
    use super::{Cached, Fetch, Untold, Wanted};
    use crate::parts::ibex_tags::Tags;

    /// Cycles waited for each of 16 instructions of 4 bytes.
    fn straight(cached: &Cached, fills: &mut super::Fills, tags: &mut Tags) -> Vec<u32> {
        let mut untold = Untold { redirect: Some(Redirect::default()), busy: 0 };
        let wanted = |number: u32| Wanted { pc: 0x100 + 4 * number, long: true };
        (0..16).map(|number| cached.take(fills, std::mem::take(&mut untold), wanted(number), tags)).collect()
    }

    #[test]
    fn lines_come_from_memory_once() {
        let (cached, mut tags) = (Cached { latency: 5 }, Tags::default());
        let mut fills = cached.reset();
        cached.enable(&mut fills);
        cached.busy(&mut fills, super::EMPTYING, &mut tags);
        let cold = straight(&cached, &mut fills, &mut tags);
        assert_eq!(cold[0], 4, "the first word is asked for at once");
        // It is fetched ahead, a word a cycle, until buffers are full.
        assert!(cold.iter().sum::<u32>() > 10);
        cached.busy(&mut fills, 20, &mut tags);
        assert_eq!(straight(&cached, &mut fills, &mut tags), vec![0; 16]);
    }

    #[test]
    fn while_the_cache_is_emptied_it_is_not_used() {
        let (cached, mut tags) = (Cached { latency: 1 }, Tags::default());
        let mut fills = cached.reset();
        cached.enable(&mut fills);
        straight(&cached, &mut fills, &mut tags);
        assert!(!tags.hold(&[0x100 / 8]));
        cached.busy(&mut fills, super::EMPTYING, &mut tags);
        straight(&cached, &mut fills, &mut tags);
        cached.busy(&mut fills, 20, &mut tags);
        assert!(tags.hold(&[0x100 / 8, 0x138 / 8]));
    }
}
