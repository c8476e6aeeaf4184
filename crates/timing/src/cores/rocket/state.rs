//! Rocket's pipeline between two instructions, relative to when the last one left decode.

use crate::core::Cause;
use crate::parts::rocket_front::{Ahead, Front};

/// Words that are fetched for certain after write-back had them fetched again.
const CERTAIN: u8 = 2;
/// Instructions that are fetched again whose words ahead are remembered.
const AGAIN: usize = 4;
/// From leaving decode to write-back, where the port to the registers is taken.
pub const WRITEBACK: i16 = 3;
/// Results that are on their way at once.
const RESULTS: usize = 8;
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
    /// Fetching; as it was when the last instruction left decode if that was a transfer that was foreseen wrongly.
    pub front: Front,
    pub strays: bool,
    pub redirected: bool,
    /// The last instruction came from what had been put aside of a word: if all that is wanted of the next is half of it, it was taken
    /// with that (`nICReady` of `IBuf.scala`).
    pub buffered: bool,
    /// How many of the next words are fetched for certain.
    pub certain: u8,
    /// The last word and those after it that were fetched before, when instructions had to be fetched again, the last
    /// first.
    pub ahead: [Ahead; AGAIN],
    /// When the last stores enter the cache, the last first.
    pub drains: [i16; STORES],
    /// The last access both read and wrote.
    pub modifies: bool,
    /// When a store writes to a line for the first time, and the cache notes that: it refuses others.
    pub refuses: i16,
    /// When the last access is beyond doubt, and whether the next waits for that.
    pub ordered: i16,
    /// The last instruction was a transfer that was foreseen: the next word comes a cycle after its own.
    pub goes_on: bool,
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
        self.front.leave(cycles);
        // When a word that is fetched for certain was looked up first is told by all before it.
        self.front.pass(cycles, self.certain == 0);
        for time in self.drains.iter_mut().chain([&mut self.ordered, &mut self.refuses]) {
            *time = (*time - cycles).max(0);
        }
    }

    /// Write-back had an instruction fetched again: its first word arrives then, and the instruction leaves decode at
    /// another time. So does what follows, up to [`CERTAIN`] words. A line that they miss is asked for at once
    /// (`s0_speculative` of `Frontend.scala`).
    pub fn fetch_again(&mut self, arrives: i16, words: u8, leaves: i16) {
        self.front = Front::running(arrives - 1);
        for word in 0..words {
            if word > 0 {
                self.front.leave(leaves - 1);
            }
            self.front.next();
        }
        self.certain = CERTAIN.saturating_sub(words);
        self.buffered = false;
    }

    /// What left decode then is fetched again from write-back: what follows it was fetched, too. Its last word may have
    /// left the queue before.
    pub fn refuse(&mut self, at: i16, leaves_half: bool) {
        let ahead = self.front.until(at, at + 1 + i16::from(leaves_half), at + WRITEBACK);
        self.ahead.rotate_right(1);
        self.ahead[0] = ahead;
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

    /// True if the accelerator, which holds so many commands and results, has no room for another command then.
    pub fn is_backed_up(&self, then: i16, holds: usize) -> bool {
        let held = |late: &&Late| late.register != 0 && !late.of_unit && late.at + 1 >= then;
        self.late.iter().filter(held).count() >= holds
    }

    /// Tells until when a register is waited for, and why.
    pub fn awaits(&self, register: u8, mut tell: impl FnMut(i16, Cause)) {
        if register == 0 {
            return;
        }
        let (until, cause) = self.waits[usize::from(register)];
        tell(until.into(), Cause::ALL[usize::from(cause)]);
        for late in self.late.iter().filter(|late| late.register == register) {
            tell(late.at, if late.of_unit { Cause::Multiply } else { Cause::Coprocessor });
        }
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
