//! Accesses of Rocket to its data cache (`DCache.scala`), which may be fetched again.

use super::again::Noted;
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
        noted: &mut Noted<'_>,
    ) -> i16 {
        let mut at = first;
        if (1..=2).any(|later| at + later == state.refuses) {
            // In the memory stage or the one before it then (`s1_nack` of `DCache.scala`).
            at = Self::again(state, op, at, spent, noted);
        }
        if let Work::Load { .. } = op.work {
            // A read of the cache puts stores off.
            put_off(&mut state.drains, at + 1);
            let overtakes =
                (0..STORES).any(|store| outcome >> store & 1 == 1 && state.drains[store] >= at + 2);
            if overtakes {
                let free = Self::cache_is_free(state, op, at);
                at = Self::again(state, op, at, spent, noted);
                let fetched = at - op.second();
                if free > fetched {
                    // Half of it waits in decode, too.
                    spent.spend(Cause::Structural, (free - fetched) as u32);
                    at = free + op.second();
                    state.fetch_again(fetched, op.words.1, at);
                }
            }
        }
        if outcome & MISS != 0 {
            let answers = self.below.answers();
            let is_dirty = outcome & DIRTY != 0;
            let refused = tries(at, answers.written as i16).take(if is_dirty { usize::MAX } else { 1 });
            let asked = refused.clone().last().unwrap_or(at);
            // Half an instruction is held in decode, too, and put aside only then.
            let refilled = asked + DATA_REFILL + answers.data as i16 + op.second();
            let next = refused.clone().skip(1).chain([refilled]);
            for (refused, next) in refused.zip(next) {
                noted.refuse(state, op, refused);
                state.fetch_again(refused + FROM_WRITEBACK, op.words.1, next);
            }
            spent.spend(Cause::Data, (refilled - at) as u32);
            at = refilled;
        }
        at
    }

    /// When decode takes the cache to be free after a load that left it at a time was refused for a store
    /// (`dcache_blocked` of `RocketCore.scala`). An access that follows the load finds the cache not ready; nor is it
    /// while stores enter it: they take the place of a read, which the execute stage still seems to ask for.
    fn cache_is_free(state: &State, op: &Op, at: i16) -> i16 {
        let writeback = at + WRITEBACK;
        let mut drains = state.drains;
        let (mut leaves, mut is_asked, mut reads) = (at, false, true);
        let is_slow = matches!(op.work, Work::Load { slow: true, .. });
        let mut written = vec![(op.writes, at + if is_slow { 3 } else { 2 })];
        for next in op.following.iter().flatten() {
            let mut earliest = leaves + 1;
            for register in next.registers.into_iter().filter(|&register| register != 0) {
                state.awaits(register, |until, _| earliest = earliest.max(until));
                let late = written.iter().filter(|(written, _)| *written == register);
                earliest = late.map(|&(_, until)| until).fold(earliest, i16::max);
            }
            // In the execute stage by then.
            if earliest + 1 > writeback {
                break;
            }
            leaves = earliest;
            (is_asked, reads) = (is_asked || next.accesses, next.reads || !next.accesses);
            written.push((next.writes, leaves + if next.is_slow { WRITEBACK } else { 1 }));
            // What is both read and written enters the cache even so then (`pstore_drain_structural`): the refused load
            // is taken for it once more.
            let enters = state.modifies && leaves + 1 == writeback;
            if next.reads && !enters {
                put_off(&mut drains, leaves + 1);
            }
        }
        if !is_asked || !reads {
            return at;
        }
        let mut free = writeback + 1;
        while drains.contains(&free) {
            free += 1;
        }
        // Seen a cycle later.
        free + 1
    }

    /// When an access leaves decode again that is refused.
    fn again(state: &mut State, op: &Op, first: i16, spent: &mut Spent, noted: &mut Noted<'_>) -> i16 {
        noted.refuse(state, op, first);
        let fetched = first + FROM_WRITEBACK;
        let again = fetched + op.second();
        spent.spend(Cause::Structural, (again - first) as u32);
        state.fetch_again(fetched, op.words.1, again);
        again
    }

    /// When an access leaves decode that finds the line it replaces written back, if it first left it then.
    pub(super) fn released(&self, first: i16) -> i16 {
        tries(first, self.below.answers().written as i16).last().unwrap_or(first)
    }
}

/// A read of the cache at this time puts stores off.
fn put_off(drains: &mut [i16; STORES], mut after: i16) {
    for drain in drains.iter_mut().rev() {
        if *drain == after {
            *drain += 1;
            after = *drain;
        }
    }
}

/// When an access leaves decode whose line replaces one that is written back, at last so that it finds that done.
fn tries(first: i16, latency: i16) -> impl Iterator<Item = i16> + Clone {
    let acknowledged = first + RELEASED + latency;
    let then = std::iter::successors(Some(first + RELEASE), move |again| {
        // Refused, it is held in decode a cycle longer unless the acknowledgement comes by then (`dcache_blocked` of
        // `RocketCore.scala`, which takes it for a grant).
        let is_held = again + FROM_WRITEBACK < acknowledged;
        (again + WRITEBACK <= acknowledged).then_some(again + FROM_WRITEBACK + is_held as i16)
    });
    std::iter::once(first).chain(then)
}

#[cfg(test)]
mod tests {
    use super::tries;

    #[test]
    fn the_acknowledgement_is_waited_for_as_in_the_rtl() {
        let seen = [2, 5, 8, 10, 15, 20, 30].map(|latency| tries(0, latency).last());
        assert_eq!(seen, [18, 23, 24, 29, 30, 36, 47].map(Some));
    }
}
