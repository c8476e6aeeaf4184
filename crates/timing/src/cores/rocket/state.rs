//! Rocket's pipeline between two instructions, relative to when the last one left decode.

use crate::core::Cause;

/// Words of instructions that fetching gets ahead at most: the queue's entries.
pub const QUEUE: i16 = 5;
/// Words that are fetched for certain after write-back had them fetched again.
const CERTAIN: i16 = 2;
/// From leaving decode to write-back, where the port to the registers is taken.
pub const WRITEBACK: i16 = 3;
/// Results that are on their way at once.
const RESULTS: usize = 8;
/// Commands and results that the queues to and from the accelerator hold together.
const QUEUED: usize = 4;
/// Stores that are remembered until they are in the cache.
pub const STORES: usize = 2;

/// A result that comes through the port for late ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Late {
    pub register: u8,
    /// When it is written, from now, unless the port is taken.
    pub at: i16,
    pub of_unit: bool,
}

/// The pipeline, relative to when the last instruction left decode.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// Cycles until a register can be used, and what is waited for.
    pub waits: [(u8, u8); 32],
    pub late: [Late; RESULTS],
    /// When the last word arrived in decode, in the past as far as the queue goes.
    pub fetched: i16,
    pub redirected: bool,
    /// The jump came from what is left of a word, and so the next word was taken with it.
    pub buffered: bool,
    /// How many of the next words are fetched for certain, and when the next of them is looked up, from now.
    pub certain: (u8, i16),
    /// When the last stores enter the cache, the last first.
    pub drains: [i16; STORES],
    /// When the last access is beyond doubt, and whether the next waits for that.
    pub ordered: i16,
    /// The last instruction was a transfer that was foreseen wrongly: cycles that fetching went on elsewhere.
    pub astray: u8,
    pub fenced: bool,
}

impl State {
    /// Now is when an instruction leaves decode, so many cycles later.
    pub fn pass(&mut self, cycles: i16, writes: bool) {
        for (until, cause) in &mut self.waits {
            *until = until.saturating_sub(cycles.min(u8::MAX.into()) as u8);
            if *until <= 1 {
                (*until, *cause) = (0, 0);
            }
        }
        if writes {
            self.put_off(cycles + WRITEBACK);
        }
        for late in &mut self.late {
            late.at -= cycles;
            if late.at <= 0 {
                *late = Late::default();
            }
        }
        self.late.sort_by_key(|late| (late.register == 0, late.at));
        self.fetched = (self.fetched - cycles).max(-QUEUE - 1);
        for time in self.drains.iter_mut().chain([&mut self.ordered]) {
            *time = (*time - cycles).max(0);
        }
        self.certain.1 = if self.certain.0 == 0 { 0 } else { self.certain.1 - cycles };
    }

    /// Write-back had an instruction fetched again, which arrives then with this many words; so does what follows, up
    /// to [`CERTAIN`] words. A line that they miss is asked for at once (`s0_speculative` of `Frontend.scala`).
    pub fn fetch_again(&mut self, arrives: i16, words: i16) {
        self.fetched = arrives;
        self.certain = ((CERTAIN - words).max(0) as u8, arrives + 1);
    }

    /// A word that was missing arrives, and those after it were not looked up before.
    pub fn arrives(&mut self, at: i16) {
        (self.fetched, self.certain.1) = (at, at + 1);
    }

    /// The next word arrives; when it was looked up if that was for certain.
    pub fn word(&mut self) -> Option<i16> {
        self.fetched = (self.fetched + 1).max(-QUEUE);
        let certain = (self.certain.0 > 0).then_some(self.certain.1);
        self.certain = (self.certain.0.saturating_sub(1), self.certain.1 + 1);
        certain
    }

    /// A store goes to the cache when it can.
    pub fn store(&mut self, earliest: i16) {
        self.drains = [earliest.max(self.drains[0] + 1), self.drains[0]];
    }

    /// The port is taken at this time.
    pub fn put_off(&mut self, mut taken: i16) {
        for late in self.late.iter_mut().filter(|late| late.register != 0) {
            if late.at == taken {
                late.at += 1;
                taken = late.at;
            }
        }
    }

    /// True if the queues to and from the accelerator are full then.
    pub fn is_backed_up(&self, then: i16) -> bool {
        let held = |late: &&Late| late.register != 0 && !late.of_unit && late.at + 1 >= then;
        self.late.iter().filter(held).count() >= QUEUED
    }

    pub fn wait_for(&mut self, register: u8, cycles: i16, cause: Cause) {
        if register != 0 && cycles > 1 {
            self.waits[usize::from(register)] = (cycles as u8, cause as u8);
        }
    }

    /// A result comes late; in the order they were asked for, one a cycle.
    pub fn expect(&mut self, register: u8, at: i16, of_unit: bool) {
        if register == 0 {
            return;
        }
        let same = self.late.iter().filter(|late| late.register != 0 && late.of_unit == of_unit);
        let at = same.map(|late| late.at + 1).fold(at, i16::max);
        let free = self.late.iter().position(|late| late.register == 0).unwrap_or(RESULTS - 1);
        self.late[free] = Late { register, at, of_unit };
        self.late.sort_by_key(|late| (late.register == 0, late.at));
    }
}
