//! A transfer that was seen otherwise than its core found out later: before it came, an instruction was fetched again,
//! and so was the transfer; or fetching stood still at its word, which may empty the target buffer.

use super::fetched::{After, Fetched};
use super::returns::Mark;
use super::{COUNTERS, Foreseen, Predictor, Transfer, with};
use crate::parts::rocket_front::Ahead;

/// A transfer that was seen, and the predictor before it.
#[derive(Clone, Copy, Default)]
pub struct Last {
    pub transfer: Transfer,
    pub taken: bool,
    pub next: u64,
    pub before: Before,
}

/// What a transfer that is seen changes, the target buffer apart.
#[derive(Clone, Copy, Default)]
pub struct Before {
    history: u32,
    returns: Mark,
    after: After,
    directed: u64,
    /// Of a transfer in the word of the one before it, which is not looked up again: whether the history had that.
    pub told: Option<bool>,
    is_lost: bool,
    left: u64,
    counter: (u16, bool),
}

impl Before {
    /// The counter that the transfer in a word that was fetched changes.
    #[inline]
    pub(super) fn mark_counter(&mut self, fetched: &Fetched, counters: &[bool; COUNTERS]) {
        self.counter = (fetched.counter, counters[usize::from(fetched.counter)]);
    }
}

impl Predictor {
    /// Before a transfer whose word is looked up by an address.
    #[inline]
    pub(super) fn before(&self, address: u64) -> Before {
        let is_same = self.is_in && self.fetched.address == address;
        Before {
            history: self.history,
            returns: self.returns.mark(),
            after: self.after,
            directed: self.directed,
            told: is_same.then_some(self.fetched.is_told),
            is_lost: self.is_lost,
            left: self.left,
            counter: (0, false),
        }
    }

    /// The last transfer is seen anew, after something else; `None` if none was seen since this was settled.
    fn see_again(&mut self, first: impl FnOnce(&mut Self, &Last)) -> Option<Foreseen> {
        if !self.has_seen {
            return None;
        }
        let last = self.last;
        let Before { history, returns, after, directed, told, is_lost, left, counter } = last.before;
        self.counters[usize::from(counter.0)] = counter.1;
        self.returns.back(returns);
        (self.history, self.after, self.directed) = (history, after, directed);
        (self.is_lost, self.left, self.is_in) = (is_lost, left, told.is_some());
        self.fetched.is_told = told.unwrap_or(self.fetched.is_told);
        (self.pending, self.astray) = (None, None);
        first(self, &last);
        Some(self.see(&last.transfer, last.taken, last.next))
    }

    /// The core directed fetching elsewhere.
    pub fn redirect(&mut self) -> Option<Foreseen> {
        let was_lost = if self.has_seen { self.last.before.is_lost } else { self.is_lost };
        if !was_lost {
            return None;
        }
        if !self.has_seen {
            self.is_lost = false;
        }
        self.see_again(|predictor, _| predictor.is_lost = false)
    }

    /// An instruction that is no transfer was in the memory stage, and nothing after it: that is taken for a
    /// misprediction (`mem_wrong_npc` of `RocketCore.scala`), and the entry that its word claims becomes invalid, which is
    /// the first if it had none.
    pub fn leave_alone(&mut self) -> Option<Foreseen> {
        if !self.has_seen {
            self.buffer.drop_first();
        }
        self.see_again(|predictor, _| predictor.buffer.drop_first())
    }

    /// The word of the last transfer and all that follow it were fetched once before.
    pub fn repeat(&mut self, ahead: Ahead) -> Option<Foreseen> {
        self.see_again(|predictor, last| {
            let word = last.transfer.end & !3;
            if !predictor.is_in {
                predictor.fetch(predictor.address_of(word));
            }
            let mut fetched = predictor.fetched;
            let (mut cycle, mut lost) = (0, 0);
            while cycle < ahead.words() {
                let before = predictor.seen();
                let (transfer, has_branch) = predictor.leaves(&fetched);
                if has_branch && !predictor.is_lost && !fetched.is_told {
                    predictor.history = with(predictor.history, fetched.guess);
                }
                let (mut next, turns) =
                    (fetched.leads_to(), transfer.is_some() && fetched.foretold().is_none());
                let target = transfer.and_then(|transfer| transfer.leads_to(before.head()));
                let mut entry = None;
                if let Some(transfer) = transfer {
                    if !predictor.is_lost {
                        predictor.passes(&transfer);
                        let is_last = cycle + 1 == ahead.words();
                        let is_entered = fetched.found.kind.is_none() && !ahead.is_crowded(cycle, lost);
                        // In the last cycle fetching is directed to what is fetched again, somewhere before.
                        let target = target.filter(|_| is_entered).map(|to| if is_last { word } else { to });
                        entry = target.map(|target| transfer.entry(target));
                    }
                    if turns {
                        let dropped = predictor.look_up(next, before).touches();
                        if let Some(place) = dropped {
                            predictor.buffer.use_of(place);
                        }
                        next = target.unwrap_or(next.wrapping_add(4));
                        predictor.is_lost |= target.is_none();
                    }
                }
                (cycle, lost) = (cycle + 1 + u8::from(turns), lost + u8::from(turns));
                let saw = if turns { predictor.seen() } else { before };
                fetched = predictor.look_up(next, saw);
                if let Some(entry) = entry {
                    predictor.buffer.enter(None, entry);
                } else if let Some(place) = fetched.touches() {
                    predictor.buffer.use_of(place);
                }
            }
            (predictor.after, predictor.is_in, predictor.is_lost) = (After::default(), false, false);
        })
    }

    /// Fetching stood still at a word that it did not have yet, and took the bytes of the one before it for its own: if
    /// what the target buffer has of it is not the end of a transfer there, the buffer is emptied (`scanInsns` of
    /// `Frontend.scala`). `word` tells the word by its lower bits, `jumped` says that fetching came to it from elsewhere,
    /// `spans` that the one before it ends with half an instruction.
    pub fn stand_at(&mut self, is_it: impl Fn(u64) -> bool, jumped: bool, spans: bool) -> Option<Foreseen> {
        let entry = self.buffer.entries.iter().flatten().find(|entry| is_it(entry.word)).copied()?;
        let left = if self.has_seen { self.last.before.left } else { self.left };
        let before = if jumped { left } else { entry.word.wrapping_sub(4) };
        if !self.is_mistaken(before, spans, entry.end) {
            return None;
        }
        self.buffer.empty();
        if !self.has_seen {
            self.is_lost = true;
        }
        self.see_again(|predictor, _| predictor.is_lost = true)
    }

    /// True if the bytes of a word say that no transfer ends at this address of another.
    pub(super) fn is_mistaken(&self, word: u64, spans: bool, end: u64) -> bool {
        let halves = self.halves.borrow().get(&word).copied().unwrap_or_default();
        let is_long = halves.map(|bits| bits == 3);
        let upper = end & 2 != 0;
        if spans || !is_long[0] { upper && is_long[1] } else { !upper }
    }

    /// There is such an instruction.
    pub fn know_bytes(&self, pc: u64, word: u32, length: u8) {
        let mut known = self.halves.borrow_mut();
        for half in 0..u64::from(length / 2) {
            let at = pc + 2 * half;
            known.entry(at & !3).or_default()[usize::from(at & 2 != 0)] = (word >> (16 * half) & 3) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::{Ahead, Foreseen, Predictor, Transfer};

    /// A word that found two others in the queue.
    const CROWDED: Ahead = Ahead::of(1 | 2 << 4);

    fn jump(pc: u64, calls: bool) -> Transfer {
        Transfer { kind: Kind::Jump, end: pc + 2, fall_through: pc + 4, target: pc + 0x100, calls }
    }

    #[test]
    fn a_call_that_is_fetched_twice_leaves_two_return_addresses() {
        let mut predictor = Predictor::default();
        let call = jump(0x100, true);
        predictor.know(&call);
        predictor.see(&call, true, call.target);
        assert_eq!(predictor.repeat(CROWDED), Some(Foreseen::AfterFetch));
        for _ in 0..2 {
            assert_eq!(predictor.returns.head(), Some(call.fall_through));
            predictor.returns.pop();
        }
        assert_eq!(predictor.returns.head(), None);
        // Another stretch has begun.
        predictor.settle(false, false);
        assert_eq!(predictor.repeat(Ahead::of(1)), None);
    }

    #[test]
    fn a_jump_that_is_fetched_twice_is_entered_the_first_time() {
        let (first, second) = (jump(0x100, false), jump(0x200, false));
        let repeated = |ahead| {
            let mut predictor = Predictor::default();
            predictor.know(&first);
            predictor.see(&first, true, first.target);
            predictor.know(&second);
            predictor.repeat(ahead)
        };
        // Fetched, and a cycle later where it leads.
        assert_eq!(repeated(Ahead::of(3)), Some(Foreseen::AtOnce));
        assert_eq!(repeated(Ahead::of(3 | 2 << 4)), Some(Foreseen::AfterFetch));
        // In the last cycle, fetching is directed back.
        assert_eq!(repeated(Ahead::of(1)), Some(Foreseen::Elsewhere));
    }

    #[test]
    fn an_instruction_that_nothing_follows_invalidates_the_first_entry() {
        let mut predictor = Predictor::default();
        assert!(predictor.buffer.entries[0].is_some());
        assert_eq!(predictor.leave_alone(), None);
        assert!(predictor.buffer.entries[0].is_none());
    }

    #[test]
    fn the_bytes_of_the_word_before_may_empty_the_buffer() {
        let entered = || {
            let (mut predictor, jump) = (Predictor::default(), jump(0x104, false));
            for _ in 0..2 {
                predictor.see(&jump, true, jump.target);
                predictor.settle(false, false);
            }
            predictor
        };
        // It ends with the first half of an instruction, where the entry says that a jump ends.
        let mut predictor = entered();
        predictor.know_bytes(0x102, 3, 4);
        predictor.stand_at(|word| word == 0x104, false, true);
        assert!(predictor.buffer.entries.iter().all(Option::is_none));
        // It is two instructions.
        let mut predictor = entered();
        predictor.know_bytes(0x100, 1, 2);
        predictor.know_bytes(0x102, 1, 2);
        predictor.stand_at(|word| word == 0x104, false, false);
        assert!(predictor.buffer.entries.iter().flatten().any(|entry| entry.word == 0x104));
    }
}
