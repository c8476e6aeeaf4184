//! Rocket's branch prediction (rocket-chip 1.2.6, `BTB.scala`, `Frontend.scala`): a fully associative branch target
//! buffer, a table of one-bit counters found by address and global history, and a return-address stack.

mod again;
mod astray;
mod buffer;
mod fetched;
mod returns;

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::parts::known::Known;

use again::Last;
use astray::Astray;
pub use buffer::Kind;
use buffer::{Buffer, Entry, NOWHERE};
use fetched::{After, Fetched, Seen};
use returns::Returns;

/// Of the table of counters, its history in bits, and the bits of it that choose a counter (`BHTParams`).
const COUNTERS: usize = 512;
const HISTORY: u32 = 8;
const HISTORY_BITS: u32 = 3;
/// The jump from ROM to the program (`rtl/rocket/bench.cpp`).
const BOOT_JUMP: u64 = 0x6000_1010;

/// A transfer of control.
#[derive(Clone, Copy, Default, Debug)]
pub struct Transfer {
    pub kind: Kind,
    /// Address of its last halfword.
    pub end: u64,
    /// Address of the instruction after it in memory.
    pub fall_through: u64,
    /// Where a branch leads if it is taken, or a jump.
    pub target: u64,
    /// It leaves a return address.
    pub calls: bool,
}

/// How a transfer was foreseen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foreseen {
    /// Fetching goes straight on.
    Straight,
    /// It goes elsewhere, or to where a branch leads that skips nothing, without a gap.
    AtOnce,
    /// Seen in what was fetched: a cycle is lost.
    AfterFetch,
    /// Fetching goes straight on, wrongly.
    Not,
    /// It goes elsewhere, but not to where it should.
    Elsewhere,
}

impl Foreseen {
    /// What is fetched after it is wrong.
    const fn is_wrong(self) -> bool {
        matches!(self, Self::Not | Self::Elsewhere)
    }
}

/// What is entered soon.
struct Pending {
    entry: Entry,
    place: Option<u8>,
    /// Only if the cycle that was lost is seen.
    if_seen: bool,
}

/// All of it.
pub struct Predictor {
    buffer: Buffer,
    counters: Box<[bool; COUNTERS]>,
    history: u32,
    returns: Returns,
    /// The address of the word that was fetched after the last transfer's, and what it saw if it came a cycle after
    /// that: it is looked up while that word changes history and stack.
    after: After,
    goes_on: bool,
    /// Where fetching was last directed to.
    directed: u64,
    /// What the last transfer was in.
    fetched: Fetched,
    /// Fetching was not directed elsewhere since.
    is_in: bool,
    pending: Option<Pending>,
    /// The entry of a word that was looked up after the last transfer's and dropped.
    dropped: Option<u8>,
    astray: Option<Astray>,
    /// What is fetched changes nothing until the core directs fetching elsewhere (`wrong_path` of `Frontend.scala`).
    is_lost: bool,
    /// The word from which fetching was directed elsewhere last.
    left: u64,
    /// The last transfer, if one was seen since the last was settled.
    last: Last,
    has_seen: bool,
    /// The lowest two bits of the halves of known words, of each three if they are not known.
    halves: RefCell<FxHashMap<u64, [u8; 2]>>,
    /// The transfers of known words, the first first: one that is fetched wrongly changes the stack, too.
    known: RefCell<Known<Vec<Transfer>>>,
}

impl Default for Predictor {
    /// At the program's first instruction: the code in ROM has jumped to it.
    fn default() -> Self {
        let mut predictor = Self {
            buffer: Buffer::default(),
            counters: Box::new([false; COUNTERS]),
            history: 0,
            returns: Returns::default(),
            after: After::default(),
            goes_on: false,
            directed: 0,
            fetched: Fetched::default(),
            is_in: false,
            pending: None,
            dropped: None,
            astray: None,
            is_lost: false,
            left: NOWHERE,
            last: Last::default(),
            has_seen: false,
            halves: RefCell::default(),
            known: RefCell::default(),
        };
        let (word, end) = (BOOT_JUMP, BOOT_JUMP + 2);
        predictor.buffer.enter(None, Entry { word, end, target: NOWHERE, kind: Kind::Indirect });
        predictor
    }
}

impl Predictor {
    /// A transfer that led to `next`.
    pub fn see(&mut self, transfer: &Transfer, taken: bool, next: u64) -> Foreseen {
        let word = transfer.end & !3;
        let address = self.address_of(word);
        self.last.before = self.before(address);
        if self.last.before.told.is_none() {
            self.fetch(address);
        }
        self.last.before.mark_counter(&self.fetched, &self.counters);
        let fetched = &self.fetched;
        let (foretold, guess) = (fetched.foretold(), fetched.guess);
        let returns_to = self.returns.head();
        // An indirect jump that nothing is known of has the word after it dropped, and the next fetched.
        let is_unknown =
            transfer.kind == Kind::Indirect || transfer.kind == Kind::Return && returns_to.is_none();
        let by_chance = is_unknown && foretold.is_none() && next == word + 8;
        let wrong =
            if fetched.leaves_at(transfer.kind, transfer.end) { Foreseen::Elsewhere } else { Foreseen::Not };
        let goes_to = |target: u64, how: Foreseen| if target == next { how } else { wrong };
        let foreseen = match foretold {
            Some(_) if fetched.found.end != transfer.end => {
                goes_to(transfer.fall_through, Foreseen::Straight)
            }
            Some(_) => goes_to(fetched.leads_to(), Foreseen::AtOnce),
            None => match transfer.kind {
                Kind::Branch if !guess => goes_to(transfer.fall_through, Foreseen::Straight),
                Kind::Branch => goes_to(transfer.target, Foreseen::AfterFetch),
                Kind::Jump => Foreseen::AfterFetch,
                Kind::Return if returns_to == Some(next) => Foreseen::AfterFetch,
                Kind::Return | Kind::Indirect if by_chance => Foreseen::AfterFetch,
                Kind::Return | Kind::Indirect => wrong,
            },
        };
        let (leads_to, place, seen_before) = (fetched.leads_to(), fetched.found.place, fetched.before);
        self.astray = if foreseen.is_wrong() { Some(self.goes_astray(transfer, fetched)) } else { None };
        self.learn(transfer, taken, foreseen);
        self.dropped = None;
        if foreseen == Foreseen::AfterFetch {
            self.dropped = self.look_up(leads_to, seen_before).touches();
        }
        if !self.is_lost {
            self.passes(transfer);
        }
        if taken || foreseen == Foreseen::AfterFetch {
            let entry = Entry { word, end: transfer.end, target: next, kind: transfer.kind };
            match (foreseen, place) {
                // A branch that nothing was expected of claims to have been found in the first entry.
                (Foreseen::Not | Foreseen::Elsewhere, None) if transfer.kind == Kind::Branch => {
                    self.pending = Some(Pending { entry, place: Some(0), if_seen: false });
                }
                (Foreseen::Not | Foreseen::Elsewhere, place) => {
                    self.pending = Some(Pending { entry, place, if_seen: false })
                }
                (Foreseen::AfterFetch, None) if !by_chance && !self.is_lost => {
                    self.pending = Some(Pending { entry, place: None, if_seen: true });
                }
                (Foreseen::AfterFetch | Foreseen::AtOnce | Foreseen::Straight, _) => {}
            }
        }
        let goes_to = if foreseen == Foreseen::Straight { leads_to } else { next };
        self.after = After { next: if foreseen.is_wrong() { NOWHERE } else { goes_to }, saw: seen_before };
        self.is_in = foreseen == Foreseen::Straight;
        if !self.is_in {
            (self.directed, self.left) = (next, word);
        }
        self.is_lost = !foreseen.is_wrong() && (self.is_lost || by_chance);
        (self.last.transfer, self.last.taken, self.last.next) = (*transfer, taken, next);
        self.has_seen = true;
        foreseen
    }

    /// The address by which a word is looked up: its middle if it was entered there.
    const fn address_of(&self, word: u64) -> u64 {
        if self.directed == word + 2 { word + 2 } else { word }
    }

    /// A word comes, which was looked up a cycle before.
    fn fetch(&mut self, address: u64) {
        let before = self.seen();
        let saw = if self.goes_on && self.after.next == address { self.after.saw } else { before };
        self.after.next = NOWHERE;
        // What the word before it has entered is not there yet.
        let is_too_early = self.directed & !3 == address & !3;
        if !is_too_early {
            self.enter_pending();
        }
        self.fetched = Fetched { before, ..self.look_up(address, saw) };
        self.enter_pending();
        if let (Some(place), Some(_)) = (self.fetched.found.place, self.fetched.foretold()) {
            self.buffer.use_of(place);
        }
    }

    fn seen(&self) -> Seen {
        Seen::new(self.history, self.returns.head())
    }

    /// What is expected of a word that is looked up now.
    #[inline(always)]
    fn look_up(&mut self, address: u64, saw: Seen) -> Fetched {
        let found = self.buffer.find(address);
        let counter = index(address & !3, saw.history);
        let guess = self.counters[counter];
        Fetched { address, found, guess, counter: counter as u16, saw, before: saw, is_told: false }
    }

    /// The history has a bit for each word with a branch, as it was foretold, until one was not: then what that word
    /// saw, and a branch's own outcome.
    fn learn(&mut self, transfer: &Transfer, taken: bool, foreseen: Foreseen) {
        let fetched = &mut self.fetched;
        if transfer.kind == Kind::Branch {
            self.counters[usize::from(fetched.counter)] = taken;
        }
        match transfer.kind {
            Kind::Branch if foreseen.is_wrong() => self.history = with(fetched.saw.history, taken),
            _ if foreseen.is_wrong() => self.history = fetched.saw.history,
            Kind::Branch if !fetched.is_told && !self.is_lost => {
                self.history = with(self.history, fetched.guess);
                fetched.is_told = true;
            }
            _ => {}
        }
    }

    /// What was seen in what was fetched is entered, but not while the queue to decode holds enough to hide that a
    /// cycle is lost (`fetch_bubble_likely`); and the next word may come a cycle after that of the last transfer.
    pub fn settle(&mut self, is_hidden: bool, goes_on: bool) {
        if is_hidden && self.pending.as_ref().is_some_and(|pending| pending.if_seen) {
            self.pending = None;
        }
        if let (None, Some(place)) = (&self.pending, self.dropped.take()) {
            self.buffer.use_of(place);
        }
        (self.goes_on, self.has_seen) = (goes_on, false);
    }

    fn enter_pending(&mut self) {
        if let Some(Pending { entry, place, .. }) = self.pending.take() {
            self.buffer.enter(place, entry);
        }
    }
}

/// The history after one more branch.
const fn with(history: u32, taken: bool) -> u32 {
    history >> 1 | (taken as u32) << (HISTORY - 1)
}

fn index(word: u64, history: u32) -> usize {
    // `hashHistory`: the upper bits of a product with 2^8·√3/2.
    let hash = (221 * history) >> (HISTORY - HISTORY_BITS) & ((1 << HISTORY_BITS) - 1);
    let high = word >> 2;
    let bits = COUNTERS.trailing_zeros();
    let address = (high as usize & (COUNTERS - 1)) ^ ((high >> bits) as usize & 3);
    address ^ (hash as usize) << (bits - HISTORY_BITS)
}

#[cfg(test)]
mod tests {
    use super::{Foreseen, Kind, Predictor, Transfer};

    fn at(kind: Kind, pc: u64) -> Transfer {
        Transfer { kind, end: pc + 2, fall_through: pc + 4, target: pc + 64, calls: false }
    }

    #[test]
    fn a_jump_is_entered_when_the_cycle_it_costs_is_seen() {
        let (mut predictor, jump) = (Predictor::default(), at(Kind::Jump, 0x100));
        for is_hidden in [true, false] {
            assert_eq!(predictor.see(&jump, true, 0x200), Foreseen::AfterFetch);
            predictor.settle(is_hidden, false);
        }
        assert_eq!(predictor.see(&jump, true, 0x200), Foreseen::AtOnce);
    }

    #[test]
    fn branches_that_nothing_is_expected_of_share_the_first_entry() {
        let mut predictor = Predictor::default();
        // The last is entered when something else is fetched.
        for pc in [0x100, 0x200, 0x300, 0x400] {
            assert_eq!(predictor.see(&at(Kind::Branch, pc), true, pc + 64), Foreseen::Not);
        }
        let entered: Vec<_> =
            predictor.buffer.entries.iter().map(|entry| entry.map(|entry| entry.word)).collect();
        assert_eq!(entered[0], Some(0x300));
        assert!(entered[1..].iter().all(Option::is_none));
    }

    #[test]
    fn fetching_goes_on_two_words_after_an_unknown_indirect_jump() {
        for kind in [Kind::Indirect, Kind::Return] {
            let (mut predictor, jump) = (Predictor::default(), at(kind, 0x100));
            for _ in 0..2 {
                assert_eq!(predictor.see(&jump, true, 0x108), Foreseen::AfterFetch);
                predictor.settle(false, false);
            }
            assert_eq!(predictor.see(&jump, true, 0x10c), Foreseen::Elsewhere);
            assert_eq!(predictor.see(&jump, true, 0x10c), Foreseen::AtOnce);
        }
    }

    #[test]
    fn the_second_branch_of_a_word_has_an_entry_of_its_own() {
        let mut predictor = Predictor::default();
        let short = |pc| Transfer {
            kind: Kind::Branch,
            end: pc,
            fall_through: pc + 2,
            target: pc + 64,
            calls: false,
        };
        let (first, second) = (short(0x100), short(0x102));
        assert_eq!(predictor.see(&first, false, first.fall_through), Foreseen::Straight);
        assert_eq!(predictor.see(&second, true, second.target), Foreseen::Not);
        // Both were fetched with the history that the second's outcome is kept by.
        predictor.see(&Transfer { target: 0x100, ..at(Kind::Jump, 0x400) }, true, 0x100);
        predictor.history = 0;
        assert_eq!(predictor.see(&first, false, first.fall_through), Foreseen::Straight);
        assert_eq!(predictor.see(&second, true, second.target), Foreseen::AtOnce);
    }

    #[test]
    fn a_branch_that_skips_nothing_is_never_wrong() {
        let mut predictor = Predictor::default();
        let branch = Transfer { target: 0x104, ..at(Kind::Branch, 0x100) };
        for taken in [true, true, false, true] {
            assert_ne!(predictor.see(&branch, taken, 0x104), Foreseen::Not);
        }
    }

    #[test]
    fn a_word_that_comes_a_cycle_after_a_branch_sees_the_history_before_it() {
        for (goes_on, expected) in [(true, Foreseen::Straight), (false, Foreseen::Elsewhere)] {
            let mut predictor = Predictor::default();
            let (first, second) = (at(Kind::Branch, 0x100), at(Kind::Branch, 0x104));
            // One is foretold of the second after a branch that was not taken, none before it.
            predictor.history = 1 << 3;
            predictor.counters[super::index(0x104, 1 << 2)] = true;
            assert_eq!(predictor.see(&first, false, first.fall_through), Foreseen::Straight);
            predictor.settle(false, goes_on);
            assert_eq!(predictor.see(&second, false, second.fall_through), expected);
        }
    }

    #[test]
    fn two_entries_of_a_word_drop_each_other() {
        let mut predictor = Predictor::default();
        let jump = at(Kind::Jump, 0x100);
        for _ in 0..2 {
            let entry = super::Entry { word: 0x100, end: jump.end, target: jump.target, kind: jump.kind };
            predictor.buffer.enter(None, entry);
        }
        assert_eq!(predictor.see(&jump, true, jump.target), Foreseen::AtOnce);
        assert_eq!(predictor.see(&jump, true, jump.target), Foreseen::AfterFetch);
    }
}
