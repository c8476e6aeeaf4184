//! CVA6's pipeline between two instructions, relative to when the last one was issued.

use super::op::{Op, Work};
use crate::core::Cause;
use crate::parts::cva6_stores::Stores;

/// Instructions that are issued and not committed at most.
pub const SCOREBOARD: usize = 8;
/// Instructions in the queue between fetch and decode at most.
pub const QUEUE: usize = 8;
/// Stores that wait for their commit, when no other is taken up.
pub const SPECULATIVE: usize = 3;
/// Cycles in the past that still matter.
pub const PAST: i16 = -16;

/// An instruction that is issued, in cycles from now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Issued {
    pub writes: u8,
    /// What its result comes from.
    pub cause: u8,
    /// When its result can be used.
    pub ready: i16,
    /// When it is committed; 0 is long ago.
    pub commit: i16,
}

/// The pipeline, relative to when the last instruction was issued.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The last first.
    pub issued: [Issued; SCOREBOARD],
    /// When the last was committed, and whether no other can be in that cycle.
    pub committed: i16,
    pub last_of_cycle: bool,
    /// When those before were issued, the last first.
    pub times: [i16; QUEUE + 1],
    /// When the last word was asked for.
    pub fetched: i16,
    pub redirected: bool,
    /// Whether its line was missing.
    pub refilled: bool,
    /// How many of the next lines that are missing came while the pipeline waited, before it was emptied.
    pub filled: u8,
    /// Of an instruction after which what was fetched is dropped: from the request for its last word until then;
    /// and how many of the missing lines that were asked for came before.
    pub dropped: i16,
    pub came: u8,
    /// When the units that share a port to the scoreboard take an instruction, and what occupies them.
    pub unit_free: i16,
    pub unit_cause: u8,
    pub after_multiply: bool,
    /// When the last two accesses were issued, and when they left the unit's queue.
    pub accesses: [(i16, i16); 2],
    /// When the cache takes a load.
    pub port_free: i16,
    /// When the last load asked for a line.
    pub read: i16,
    /// Commits of stores, the last first.
    pub store_commits: [i16; SPECULATIVE],
    pub stores: Stores,
}

impl Default for State {
    fn default() -> Self {
        Self {
            issued: [Issued::default(); SCOREBOARD],
            committed: 0,
            last_of_cycle: false,
            times: [PAST; QUEUE + 1],
            fetched: PAST,
            redirected: false,
            refilled: false,
            filled: 0,
            dropped: 0,
            came: 0,
            unit_free: 0,
            unit_cause: 0,
            after_multiply: false,
            accesses: [(PAST, PAST); 2],
            port_free: 0,
            read: PAST - 1,
            store_commits: [0; SPECULATIVE],
            stores: Stores::default(),
        }
    }
}

/// A moment that is put off, and what put it off last.
pub struct Wait {
    pub until: i16,
    pub cause: Cause,
}

impl Wait {
    pub fn wait(&mut self, until: i16, cause: Cause) {
        if until > self.until {
            (self.until, self.cause) = (until, cause);
        }
    }
}

impl State {
    /// When the word is asked for that is so many after the instruction which issues next, at `issued`, if only the
    /// queue may keep it from being asked for at a time. The first that finds the queue full was asked for by then, and
    /// is again; those after it wait for that (`ready_o` and `replay_o` of `instr_queue.sv`). Words are taken to have
    /// an instruction each.
    pub fn when_room(&self, asked: i16, words: usize, issued: i16) -> i16 {
        let popped = |words| QUEUE.checked_sub(words).map_or(issued, |place| self.times[place]);
        if words > 0 && asked < popped(words - 1) { popped(words) + 2 } else { asked }
    }

    /// What it reads is there, what it writes is written by no other, and it has a place.
    pub fn operands(&self, op: &Op, wait: &mut Wait) {
        for issued in self.issued.iter().filter(|issued| issued.writes != 0) {
            if op.reads.contains(&issued.writes) {
                wait.wait(issued.ready, Cause::ALL[usize::from(issued.cause)]);
            }
            if op.writes == issued.writes {
                wait.wait(issued.commit, Cause::Structural);
            }
        }
        wait.wait(self.issued[SCOREBOARD - 1].commit + 1, Cause::Structural);
    }

    /// Its unit takes it.
    pub fn units(&self, work: Work, wait: &mut Wait) {
        match work {
            Work::Load | Work::Store => {
                let [last, before] = self.accesses;
                wait.wait(before.1 + 1, Cause::Structural);
                // What was issued in the cycle before is not in the queue yet.
                if wait.until > last.0 + 1 {
                    wait.wait(last.1 + 1, Cause::Structural);
                }
            }
            _ => wait.wait(self.unit_free, Cause::ALL[usize::from(self.unit_cause)]),
        }
        if self.after_multiply && !matches!(work, Work::Multiply | Work::Divide { .. }) {
            wait.wait(2, Cause::Multiply);
        }
    }

    /// Now is so many cycles later. What the next instruction, which is issued in a cycle from now at the earliest, need
    /// not wait for is forgotten.
    pub fn pass(&mut self, cycles: i16, latency: i16) {
        for (issued, place) in self.issued.iter_mut().zip(1..) {
            issued.ready -= cycles;
            issued.commit -= cycles;
            issued.forget(SCOREBOARD as i16 - place);
        }
        // Lines in a row may come while the pipeline waits: as many as the queue's instructions and one more lie in.
        let long_ago = PAST - 3 * latency;
        self.fetched = (self.fetched - cycles).max(long_ago);
        for time in &mut self.times {
            *time -= cycles;
            // Words are asked for later than this one.
            if *time <= self.fetched + 1 {
                *time = long_ago;
            }
        }
        for (issued, left) in &mut self.accesses {
            *left -= cycles;
            // Only whether it was the last instruction matters.
            *issued = if *issued == cycles && *left > 0 { 0 } else { PAST };
            *left = if *left > 0 { *left } else { PAST };
        }
        self.accesses[1].0 = PAST;
        self.committed -= cycles;
        // Nothing is committed sooner but what is always alone.
        self.last_of_cycle &= self.committed >= FIRST_COMMIT;
        let over = |time: &mut i16, asked: i16| {
            *time -= cycles;
            if *time <= asked {
                *time = 0;
            }
        };
        over(&mut self.port_free, FIRST_LEAVES);
        // Lines of instructions are asked for later than the last word.
        self.read = if self.read - cycles < self.fetched { long_ago - 1 } else { self.read - cycles };
        for (commit, more) in self.store_commits.iter_mut().rev().zip(0..) {
            over(commit, FIRST_LEAVES + more);
        }
        over(&mut self.unit_free, 1);
        if self.unit_free == 0 {
            self.unit_cause = 0;
        }
        self.stores.pass(cycles, latency);
    }
}

/// The earliest, from now: that an access leaves the unit's queue, and that an instruction is committed.
const FIRST_LEAVES: i16 = 2;
const FIRST_COMMIT: i16 = 3;

impl Issued {
    /// Forgets what no instruction waits for: its result, its register, and its place if that many more are to be issued
    /// before one waits for it.
    fn forget(&mut self, more: i16) {
        if self.writes == 0 || self.ready <= 1 {
            (self.ready, self.cause) = (0, 0);
        }
        if self.commit <= 1 && self.ready == 0 {
            self.writes = 0;
        }
        if self.writes == 0 && self.commit <= more {
            self.commit = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{QUEUE, State};

    #[test]
    fn words_after_one_that_found_the_queue_full_wait_for_room() {
        // As in a trace of the RTL: six instructions were issued in a row after a long wait, the last of them now.
        let mut state = State::default();
        (state.times, state.fetched) = ([-46; QUEUE + 1], -34);
        state.times[..6].copy_from_slice(&[0, -1, -2, -3, -4, -5]);
        let asked = [1, 2, 3, 4, 9].map(|words| state.when_room(-34 + words, words as usize, 1));
        assert_eq!(asked, [-33, -32, -31, -2, 3]);
        // There is room as soon as one comes.
        assert_eq!(state.when_room(-3, 4, 1), -3);
    }
}
