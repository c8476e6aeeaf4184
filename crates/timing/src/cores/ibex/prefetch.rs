//! Fetching without a cache: `ibex_prefetch_buffer.sv` and `ibex_fetch_fifo.sv`, on a bus that always grants.

use super::fetch::{Answers, Cycle, Fetch, Stepped, Untold, Wanted};
use crate::parts::ibex_tags::Lines;

/// Most requests on their way (`NUM_REQS`).
const REQUESTS: usize = 2;

/// Instructions that come a cycle after they are asked for: a word a cycle, so that only the target of a redirection is
/// waited for, and a second word of it. [`Prefetch`] says the same.
pub struct Steady;

impl Fetch for Steady {
    type State = ();

    fn reset(&self) {}

    fn take(&self, (): &mut (), untold: Untold, wanted: Wanted, _: &mut impl Lines) -> u32 {
        untold.redirect.map_or(0, |_| u32::from(wanted.across()).saturating_sub(untold.busy))
    }

    /// A core with a predictor has another fetch side.
    fn take_foreseen(
        &self,
        (): &mut (),
        untold: Untold,
        wanted: Wanted,
        _: u32,
        lines: &mut impl Lines,
    ) -> (u32, u32) {
        (self.take(&mut (), untold, wanted, lines), 0)
    }

    fn redirect(&self, (): &mut (), _: u32, _: &mut impl Lines) {}

    fn busy(&self, (): &mut (), _: u32, _: &mut impl Lines) {}
}

/// The buffer, and instructions that come this many cycles after they are asked for.
pub struct Prefetch {
    /// At least 1.
    pub latency: u32,
}

/// What it holds.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Held {
    /// Words in the FIFO, the first being that of the next instruction.
    words: u8,
    /// Words on their way, and whether they are for nothing, as a redirection came after they were asked for.
    answers: Answers<bool>,
}

impl Stepped for Prefetch {
    type State = Held;

    fn step(&self, state: &mut Held, cycle: Cycle, _: &mut impl Lines) -> bool {
        let comes = state.answers.now() == Some(&false);
        let there = state.words + u8::from(comes);
        let taken = match cycle.wanted {
            Some(wanted) if cycle.ready => there > u8::from(wanted.across()),
            _ => false,
        };
        // The first of two compressed instructions leaves the word there.
        let pops = taken && cycle.wanted.is_some_and(|wanted| wanted.long || wanted.upper());
        let (one, two) = (state.answers.outstanding() >= 1, state.answers.outstanding() >= REQUESTS);
        // `fifo_ready`: the upper two of its three words, or what is on its way, fill it.
        let room = !((state.words >= 2 || two) && (state.words >= 3 || one));
        let asks = (room || cycle.to.is_some()) && !two;
        state.words = there - u8::from(pops);
        if cycle.to.is_some() {
            state.words = 0;
            state.answers.each().for_each(|discarded| *discarded = true);
        }
        state.answers.go_on(asks.then_some(false), self.latency);
        taken
    }
}

impl Fetch for Prefetch {
    type State = Held;

    fn reset(&self) -> Held {
        Held::default()
    }

    fn take(&self, held: &mut Held, untold: Untold, wanted: Wanted, lines: &mut impl Lines) -> u32 {
        self.step_until_taken(held, untold, wanted, lines)
    }

    fn take_foreseen(
        &self,
        held: &mut Held,
        untold: Untold,
        wanted: Wanted,
        target: u32,
        lines: &mut impl Lines,
    ) -> (u32, u32) {
        self.step_until_foreseen(held, untold, wanted, target, lines)
    }

    fn redirect(&self, held: &mut Held, to: u32, lines: &mut impl Lines) {
        self.step(held, Cycle { to: Some(to), ..Cycle::BUSY }, lines);
    }

    fn busy(&self, held: &mut Held, cycles: u32, lines: &mut impl Lines) {
        for _ in 0..cycles {
            self.step(held, Cycle::BUSY, lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fetch::Redirect;
    use super::{Fetch, Prefetch, Steady, Untold, Wanted};
    use crate::parts::ibex_tags::Nothing;

    proptest! {
        #[test]
        fn a_bus_that_answers_at_once_keeps_the_buffer_full(
            steps in prop::collection::vec((any::<bool>(), 0_u32..9, prop::option::of((0_u32..4, any::<bool>()))), 1..99),
        ) {
            let (prefetch, mut pc) = (Prefetch { latency: 1 }, 0x80_u32);
            let mut held = prefetch.reset();
            let mut untold = Untold { redirect: Some(Redirect::default()), busy: 0 };
            for (long, busy, then) in steps {
                let wanted = Wanted { pc, long };
                let waited = prefetch.take(&mut held, untold, wanted, &mut Nothing);
                prop_assert_eq!(waited, Steady.take(&mut (), untold, wanted, &mut Nothing));
                prefetch.busy(&mut held, busy, &mut Nothing);
                untold = Untold { redirect: then.map(|_| Redirect::default()), busy: then.map_or(0, |(busy, _)| busy) };
                pc += match then {
                    Some((_, upper)) => 0x20 + u32::from(upper) * 2,
                    None if long => 4,
                    None => 2,
                };
            }
        }
    }
}
