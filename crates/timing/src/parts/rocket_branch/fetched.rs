//! A word of instructions as Rocket's branch prediction looked it up.

use super::buffer::{Found, Kind, NOWHERE};

/// A word as it was looked up, with what was expected of it; its next transfer may be a second one.
#[derive(Clone, Copy, Default)]
pub struct Fetched {
    pub address: u64,
    pub found: Found,
    pub guess: bool,
    /// The counter that says so.
    pub counter: u16,
    /// History and top of the stack as it saw them.
    pub saw: Seen,
    /// As they were when it came to the queue.
    pub before: Seen,
    /// The history has it.
    pub is_told: bool,
}

impl Fetched {
    /// What is expected to lead elsewhere.
    #[inline]
    pub fn foretold(&self) -> Option<Kind> {
        self.found.kind.filter(|&kind| kind != Kind::Branch || self.guess)
    }

    /// True if fetching goes elsewhere at a transfer in it that ends there.
    pub fn leaves_at(&self, kind: Kind, end: u64) -> bool {
        match self.foretold() {
            Some(_) => self.found.end == end,
            None => kind != Kind::Branch || self.guess,
        }
    }

    /// The entry that it is noted to have used.
    pub fn touches(&self) -> Option<u8> {
        self.found.place.filter(|_| self.foretold().is_some())
    }

    /// Where fetching goes on after it.
    pub fn leads_to(&self) -> u64 {
        match self.foretold() {
            Some(Kind::Return) => self.saw.head().unwrap_or(self.found.target),
            Some(Kind::Branch | Kind::Jump | Kind::Indirect) => self.found.target,
            None => (self.address & !3).wrapping_add(4),
        }
    }
}

/// What a word that is looked up sees of the words before it.
#[derive(Clone, Copy)]
pub struct Seen {
    pub history: u32,
    /// The top of the stack of return addresses; [`NOWHERE`] if it is empty.
    head: u64,
}

impl Default for Seen {
    fn default() -> Self {
        Self::new(0, None)
    }
}

impl Seen {
    pub fn new(history: u32, head: Option<u64>) -> Self {
        Self { history, head: head.unwrap_or(NOWHERE) }
    }

    pub fn head(&self) -> Option<u64> {
        Some(self.head).filter(|&head| head != NOWHERE)
    }
}

/// The word that was fetched after another, which it is looked up with.
#[derive(Clone, Copy)]
pub struct After {
    /// Its address; [`NOWHERE`] if none was.
    pub next: u64,
    pub saw: Seen,
}

impl Default for After {
    fn default() -> Self {
        Self { next: NOWHERE, saw: Seen::default() }
    }
}
