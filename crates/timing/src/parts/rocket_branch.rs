//! Rocket's branch prediction (rocket-chip 1.2.6, `BTB.scala`, `Frontend.scala`): a fully associative branch target
//! buffer, a table of one-bit counters found by address and global history, and a return-address stack.

mod astray;

use std::cell::RefCell;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use astray::Astray;

/// Entries of the target buffer (`BTBParams`).
const ENTRIES: usize = 28;
/// Levels of the tree that chooses the one to replace.
const LEVELS: usize = 5;
/// Of the table of counters, its history in bits, and the bits of it that choose a counter (`BHTParams`).
const COUNTERS: usize = 512;
const HISTORY: u32 = 8;
const HISTORY_BITS: u32 = 3;
/// No instruction is there: it is odd.
const NOWHERE: u64 = u64::MAX;
/// Return addresses.
const RETURNS: usize = 6;

/// Kinds of control flow that the buffer tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Conditional.
    Branch,
    /// To a fixed address.
    Jump,
    /// To an address in a register.
    Indirect,
    /// Back from a function.
    Return,
}

/// A transfer of control.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub kind: Kind,
    /// Address of its last halfword.
    pub end: u64,
    /// Address of the instruction after it in memory.
    pub behind: u64,
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
    /// Not, or wrongly.
    Not,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Address of the fetched word.
    word: u64,
    /// Of the transfer's last halfword: another may be in the same word.
    end: u64,
    target: u64,
    kind: Kind,
}

/// A word as it was fetched, with what was expected of it; its next transfer may be a second one.
struct Fetched {
    address: u64,
    place: Option<usize>,
    guess: bool,
    /// As it was before the word.
    history: u32,
    /// The history has it.
    is_told: bool,
}

/// All of it.
pub struct Predictor {
    entries: [Option<Entry>; ENTRIES],
    /// Their words, to be compared at once; [`NOWHERE`] of none.
    words: [u64; ENTRIES],
    /// Which half of the entries below each node of a tree was used last (`PseudoLRU`).
    used: u64,
    counters: Box<[bool; COUNTERS]>,
    history: u32,
    returns: VecDeque<u64>,
    /// What the first word fetched after a call sees of the stack: it is looked up while the call is pushed.
    stale: Option<Option<u64>>,
    /// Where fetching was last directed to.
    directed: u64,
    /// What the last transfer was in, unless fetching was directed elsewhere since.
    fetched: Option<Fetched>,
    /// What is entered if its time is seen to be short.
    pending: Option<Entry>,
    astray: Option<Astray>,
    /// The transfers of known words, the first first: one that is fetched wrongly changes the stack, too.
    known: RefCell<FxHashMap<u64, Vec<Transfer>>>,
}

impl Default for Predictor {
    fn default() -> Self {
        Self {
            entries: [None; ENTRIES],
            words: [NOWHERE; ENTRIES],
            used: 0,
            counters: Box::new([false; COUNTERS]),
            history: 0,
            returns: VecDeque::with_capacity(RETURNS + 1),
            stale: None,
            directed: 0,
            fetched: None,
            pending: None,
            astray: None,
            known: RefCell::default(),
        }
    }
}

impl Predictor {
    /// A transfer that led to `next`.
    pub fn see(&mut self, transfer: &Transfer, taken: bool, next: u64) -> Foreseen {
        let word = transfer.end & !3;
        // A word that was entered in its middle is looked up by that address.
        let address = if self.directed == word + 2 { word + 2 } else { word };
        let fetched = self.fetched.take().filter(|fetched| fetched.address == address);
        let mut fetched = fetched.unwrap_or_else(|| self.look_up(address));
        let hit = fetched.place.and_then(|place| self.entries[place]);
        let foretold = hit.filter(|entry| entry.kind != Kind::Branch || fetched.guess);
        let returns_to = self.returns.front().copied();
        let stale = self.stale.take().filter(|_| word == self.directed & !3);
        // An indirect jump that nothing is known of has the word after it dropped, and the next fetched.
        let is_unknown =
            transfer.kind == Kind::Indirect || transfer.kind == Kind::Return && returns_to.is_none();
        let by_chance = is_unknown && foretold.is_none() && next == word + 8;
        let goes_to = |target: u64, how: Foreseen| if target == next { how } else { Foreseen::Not };
        let foreseen = match foretold {
            Some(entry) if entry.end != transfer.end => goes_to(transfer.behind, Foreseen::Straight),
            Some(Entry { kind: Kind::Return, target, .. }) => {
                goes_to(stale.unwrap_or(returns_to).unwrap_or(target), Foreseen::AtOnce)
            }
            Some(entry) => goes_to(entry.target, Foreseen::AtOnce),
            None => match transfer.kind {
                Kind::Branch if !fetched.guess => goes_to(transfer.behind, Foreseen::Straight),
                Kind::Branch => goes_to(transfer.target, Foreseen::AfterFetch),
                Kind::Jump => Foreseen::AfterFetch,
                Kind::Return if returns_to == Some(next) => Foreseen::AfterFetch,
                Kind::Return | Kind::Indirect if by_chance => Foreseen::AfterFetch,
                Kind::Return | Kind::Indirect => Foreseen::Not,
            },
        };
        self.astray = None;
        if foreseen == Foreseen::Not {
            let head = stale.unwrap_or(returns_to);
            let went = match foretold {
                Some(entry) if entry.end != transfer.end => Some((transfer.behind, false)),
                Some(Entry { kind: Kind::Return, target, .. }) => Some((head.unwrap_or(target), false)),
                Some(entry) => Some((entry.target, false)),
                None => match transfer.kind {
                    Kind::Branch if !fetched.guess => Some((transfer.behind, false)),
                    Kind::Branch | Kind::Jump => Some((transfer.target, true)),
                    Kind::Return => returns_to.map(|target| (target, true)),
                    Kind::Indirect => None,
                },
            };
            self.astray = went.map(|(address, is_late)| Astray { address, is_late, returns_to });
        }
        self.learn(transfer, taken, foreseen, &mut fetched);
        if transfer.kind == Kind::Return {
            self.returns.pop_front();
        }
        if transfer.calls {
            self.stale = (foreseen == Foreseen::AtOnce).then_some(returns_to);
            self.returns.push_front(transfer.behind);
            self.returns.truncate(RETURNS);
        }
        if taken || foreseen == Foreseen::AfterFetch {
            let entry = Entry { word, end: transfer.end, target: next, kind: transfer.kind };
            match (foreseen, fetched.place) {
                (Foreseen::AtOnce, Some(place)) => self.use_of(place),
                // A branch that nothing was expected of claims to have been found in the first entry.
                (Foreseen::Not, None) if transfer.kind == Kind::Branch => self.enter(0, entry),
                (Foreseen::Not, place) => {
                    let place = place.unwrap_or_else(|| self.oldest());
                    self.enter(place, entry);
                }
                (Foreseen::AfterFetch, None) if !by_chance => self.pending = Some(entry),
                (Foreseen::AfterFetch | Foreseen::AtOnce | Foreseen::Straight, _) => {}
            }
        }
        if foreseen == Foreseen::Straight {
            self.fetched = Some(fetched);
        } else {
            self.directed = next;
        }
        foreseen
    }

    /// What is expected of a word that is fetched now.
    fn look_up(&self, address: u64) -> Fetched {
        let place = self.words.iter().position(|&word| word == address);
        let guess = self.counters[index(address & !3, self.history)];
        Fetched { address, place, guess, history: self.history, is_told: false }
    }

    /// The history has a bit for each word with a branch, as it was foretold, until one was not: then what it was
    /// before that word, and a branch's own outcome.
    fn learn(&mut self, transfer: &Transfer, taken: bool, foreseen: Foreseen, fetched: &mut Fetched) {
        let with = |outcome: bool| fetched.history >> 1 | u32::from(outcome) << (HISTORY - 1);
        if transfer.kind == Kind::Branch {
            self.counters[index(transfer.end & !3, fetched.history)] = taken;
        }
        match (transfer.kind, foreseen) {
            (Kind::Branch, Foreseen::Not) => self.history = with(taken),
            (_, Foreseen::Not) => self.history = fetched.history,
            (Kind::Branch, _) if !fetched.is_told => {
                self.history = with(fetched.guess);
                fetched.is_told = true;
            }
            _ => {}
        }
    }

    /// What was seen in what was fetched is entered, but not while the queue to decode holds enough to hide that a
    /// cycle is lost (`fetch_bubble_likely`).
    pub fn settle(&mut self, is_hidden: bool) {
        if let Some(entry) = self.pending.take().filter(|_| !is_hidden) {
            let place = self.oldest();
            self.enter(place, entry);
        }
    }

    fn enter(&mut self, place: usize, entry: Entry) {
        self.entries[place] = Some(entry);
        self.words[place] = entry.word;
        self.use_of(place);
    }

    fn use_of(&mut self, entry: usize) {
        let mut node = 1;
        for level in (0..LEVELS).rev() {
            let bit = entry >> level & 1;
            self.used = self.used & !(1 << node) | (1 - bit as u64) << node;
            node = node << 1 | bit;
        }
        // So many bits are kept.
        self.used &= (1 << ENTRIES) - 1;
    }

    fn oldest(&self) -> usize {
        let mut node: usize = 1;
        for level in (0..LEVELS).rev() {
            let bounds = ((node << (level + 1)) | 1 << level) & ((1 << LEVELS) - 1);
            let bit = bounds < ENTRIES && self.used >> node & 1 == 1;
            node = node << 1 | usize::from(bit);
        }
        node & ((1 << LEVELS) - 1)
    }
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
        Transfer { kind, end: pc + 2, behind: pc + 4, target: pc + 64, calls: false }
    }

    #[test]
    fn a_jump_is_entered_when_the_cycle_it_costs_is_seen() {
        let (mut predictor, jump) = (Predictor::default(), at(Kind::Jump, 0x100));
        for is_hidden in [true, false] {
            assert_eq!(predictor.see(&jump, true, 0x200), Foreseen::AfterFetch);
            predictor.settle(is_hidden);
        }
        assert_eq!(predictor.see(&jump, true, 0x200), Foreseen::AtOnce);
    }

    #[test]
    fn branches_that_nothing_is_expected_of_share_the_first_entry() {
        let mut predictor = Predictor::default();
        for pc in [0x100, 0x200, 0x300] {
            assert_eq!(predictor.see(&at(Kind::Branch, pc), true, pc + 64), Foreseen::Not);
        }
        let entered: Vec<_> = predictor.entries.iter().map(|entry| entry.map(|entry| entry.word)).collect();
        assert_eq!(entered[0], Some(0x300));
        assert!(entered[1..].iter().all(Option::is_none));
    }

    #[test]
    fn fetching_goes_on_two_words_after_an_unknown_indirect_jump() {
        for kind in [Kind::Indirect, Kind::Return] {
            let (mut predictor, jump) = (Predictor::default(), at(kind, 0x100));
            for _ in 0..2 {
                assert_eq!(predictor.see(&jump, true, 0x108), Foreseen::AfterFetch);
                predictor.settle(false);
            }
            assert_eq!(predictor.see(&jump, true, 0x10c), Foreseen::Not);
            assert_eq!(predictor.see(&jump, true, 0x10c), Foreseen::AtOnce);
        }
    }

    #[test]
    fn the_second_branch_of_a_word_has_an_entry_of_its_own() {
        let mut predictor = Predictor::default();
        let short =
            |pc| Transfer { kind: Kind::Branch, end: pc, behind: pc + 2, target: pc + 64, calls: false };
        let (first, second) = (short(0x100), short(0x102));
        assert_eq!(predictor.see(&first, false, first.behind), Foreseen::Straight);
        assert_eq!(predictor.see(&second, true, second.target), Foreseen::Not);
        // Both were fetched with the history that the second's outcome is kept by.
        predictor.history = 0;
        predictor.directed = 0x100;
        assert_eq!(predictor.see(&first, false, first.behind), Foreseen::Straight);
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
}
