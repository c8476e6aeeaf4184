//! Accesses of Rocket to its data cache (`DCache.scala`), which may be fetched again.

use super::state::{STORES, WRITEBACK};
use super::{DIRTY, FROM_WRITEBACK, MISS, Op, Rocket, State, Work};
use crate::core::{Cause, Outcome, Spent};

/// Of a line of data, from when the load or store would have left decode to when it does at last.
const DATA_REFILL: i16 = 13;
/// From leaving decode until it can again once the line to be replaced has been sent away: eight beats; and until that
/// is acknowledged, beyond the memory's latency.
const RELEASE: i16 = 18;
const RELEASED: i16 = 17;

impl Rocket {
    /// When an access leaves decode at last that could leave it first at a time.
    pub(super) fn access(
        &self,
        state: &mut State,
        op: &Op,
        outcome: Outcome,
        first: i16,
        spent: &mut Spent,
    ) -> i16 {
        let mut at = first;
        if let Work::Load { .. } = op.work {
            // A read of the cache puts stores off.
            let mut after = at + 1;
            for drain in state.drains.iter_mut().rev() {
                if *drain == after {
                    *drain += 1;
                    after = *drain;
                }
            }
            let overtakes =
                (0..STORES).any(|store| outcome >> store & 1 == 1 && state.drains[store] >= at + 2);
            if overtakes {
                spent.spend(Cause::Structural, FROM_WRITEBACK as u32);
                at += FROM_WRITEBACK;
                state.fetch_again(at, op.words.1);
            }
        }
        if outcome & MISS != 0 {
            let asked = if outcome & DIRTY != 0 { self.released(at) } else { at };
            let refilled = asked + DATA_REFILL + self.latency;
            spent.spend(Cause::Data, (refilled - at) as u32);
            at = refilled;
            state.fetch_again(asked + FROM_WRITEBACK, op.words.1);
        }
        at
    }

    /// When an access leaves decode that finds the line it replaces written back, if it first left it then.
    fn released(&self, first: i16) -> i16 {
        released(first, self.latency)
    }
}

/// The same, of memory with this latency.
const fn released(first: i16, latency: i16) -> i16 {
    let acknowledged = first + RELEASED + latency;
    let mut again = first + RELEASE;
    while again + WRITEBACK <= acknowledged {
        // Refused, it is held in decode a cycle longer unless the acknowledgement comes by then (`dcache_blocked` of
        // `RocketCore.scala`, which takes it for a grant).
        let is_held = again + FROM_WRITEBACK < acknowledged;
        again += FROM_WRITEBACK + is_held as i16;
    }
    again
}

#[cfg(test)]
mod tests {
    use super::released;

    #[test]
    fn the_acknowledgement_is_waited_for_as_in_the_rtl() {
        let seen = [2, 5, 8, 10, 15, 20, 30].map(|latency| released(0, latency));
        assert_eq!(seen, [18, 23, 24, 29, 30, 36, 47]);
    }
}
