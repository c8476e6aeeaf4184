//! Fetching without a cache: `ibex_prefetch_buffer.sv` and `ibex_fetch_fifo.sv`, on a bus that always grants.

use super::fetch::{Answers, Cycle, Fetch, Redirect, Stepped, Wanted};
use crate::parts::ibex_tags::Lines;

/// Most requests on their way (`NUM_REQS`).
const REQUESTS: usize = 2;

/// Instructions that come a cycle after they are asked for: a word a cycle, so that only the target of a redirection is
/// waited for, and a second word of it. [`Prefetch`] says the same.
pub struct Steady;

impl Fetch for Steady {
    type State = ();

    fn reset(&self) {}

    fn take(&self, (): &mut (), redirect: Option<Redirect>, wanted: Wanted, _: &mut impl Lines) -> u32 {
        redirect.map_or(0, |Redirect { ago, .. }| (1 + u32::from(wanted.across())).saturating_sub(ago))
    }

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

    fn take(
        &self,
        held: &mut Held,
        redirect: Option<Redirect>,
        wanted: Wanted,
        lines: &mut impl Lines,
    ) -> u32 {
        self.step_until_taken(held, redirect, wanted, lines)
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

    use super::{Fetch, Prefetch, Redirect, Steady, Wanted};
    use crate::parts::ibex_tags::Nothing;

    proptest! {
        #[test]
        fn a_bus_that_answers_at_once_keeps_the_buffer_full(
            steps in prop::collection::vec((any::<bool>(), 0_u32..9, prop::option::of((1_u32..4, any::<bool>()))), 1..99),
        ) {
            let (prefetch, mut pc) = (Prefetch { latency: 1 }, 0x80_u32);
            let mut held = prefetch.reset();
            let mut redirect = Some(Redirect { ago: 1, empties: None });
            for (long, busy, then) in steps {
                let wanted = Wanted { pc, long };
                let waited = prefetch.take(&mut held, redirect, wanted, &mut Nothing);
                prop_assert_eq!(waited, Steady.take(&mut (), redirect, wanted, &mut Nothing));
                prefetch.busy(&mut held, busy, &mut Nothing);
                redirect = then.map(|(ago, _)| Redirect { ago, empties: None });
                pc += match then {
                    Some((_, upper)) => 0x20 + u32::from(upper) * 2,
                    None if long => 4,
                    None => 2,
                };
            }
        }
    }
}
