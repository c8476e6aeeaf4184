//! What is fetched after a transfer that was foreseen wrongly, until that is known: a call or return among it changes the
//! stack of return addresses and a jump is entered in the target buffer, and nothing puts that right.

use super::buffer::Found;
use super::{Entry, Fetched, Kind, Pending, Predictor, Seen, Transfer, with};
use crate::parts::rocket_front::Front;

/// Fetching in the cycle in which the word of the transfer comes to the queue.
pub struct Astray {
    /// The word after it in the first stage, and what that sees.
    address: u64,
    sees: Seen,
    /// Fetching is directed elsewhere when the transfer is seen: there, or to the word after the next.
    turns: bool,
    target: Option<u64>,
    /// That is entered in the target buffer.
    entry: Option<Entry>,
    /// After that cycle.
    history: u32,
    is_lost: bool,
    /// A counter as it is until the transfer is done.
    counter: (usize, bool),
}

impl Predictor {
    /// There is such a transfer.
    pub fn know(&self, transfer: &Transfer) {
        let mut known = self.known.borrow_mut();
        let word = known.of(transfer.end >> 2);
        if word.iter().all(|other| other.end != transfer.end) {
            word.push(*transfer);
            word.sort_by_key(|other| other.end);
        }
    }

    /// How fetching goes on after a transfer.
    pub(super) fn goes_astray(&self, transfer: &Transfer, fetched: &Fetched) -> Astray {
        let (history, head) = (self.history, self.returns.head());
        let foretold = fetched.foretold();
        let target = transfer.leads_to(head).filter(|_| transfer.kind != Kind::Branch || fetched.guess);
        let is_branch = transfer.kind == Kind::Branch;
        let turns = foretold.is_none() && (!is_branch || fetched.guess);
        let target = target.filter(|_| turns);
        let is_entered = fetched.found.kind.is_none() && !self.is_lost;
        let entry = target.filter(|_| is_entered).map(|target| transfer.entry(target));
        let counter = usize::from(fetched.counter);
        Astray {
            address: fetched.leads_to(),
            sees: fetched.before,
            turns,
            target,
            entry,
            history: if is_branch && !fetched.is_told && !self.is_lost {
                with(history, fetched.guess)
            } else {
                history
            },
            is_lost: self.is_lost || turns && target.is_none(),
            counter: (counter, self.counters[counter]),
        }
    }

    /// Fetching went on until the last transfer, which was foreseen wrongly, was done.
    pub fn stray(&mut self, mut front: Front, until: i16, is_held: impl Fn(u64) -> bool) {
        let Some(astray) = self.astray.take() else { return };
        let done = std::mem::replace(&mut self.counters[astray.counter.0], astray.counter.1);
        let update = self.pending.take();
        let Astray { mut history, mut is_lost, .. } = astray;
        let mut fetched = self.look_up(astray.address, astray.sees);
        let mut address = astray.target.unwrap_or_else(|| fetched.leads_to());
        if astray.turns {
            front.turn();
        }
        if let Some(entry) = astray.entry.filter(|_| !front.is_crowded()) {
            self.pending = Some(Pending { entry, place: None, if_seen: false });
        }
        let (mut touched, mut before) = (fetched.touches(), self.left);
        while front.at() < until {
            let head = self.returns.head();
            let looked_up = self.look_up(address, Seen::new(history, head));
            let entered = self.pending.is_some();
            self.enter_pending();
            if let Some(place) = touched.filter(|_| !entered) {
                self.buffer.use_of(place);
            }
            touched = looked_up.touches();
            let stands = front.stands();
            let step = front.step();
            let Found { kind, end, .. } = fetched.found;
            if stands && kind.is_some() && self.is_mistaken(before, false, end) {
                self.buffer.empty();
                is_lost = true;
            }
            let mut next = if step.repeats { fetched.address } else { looked_up.leads_to() };
            if step.comes {
                let held = is_held(fetched.address);
                let (transfer, has_branch) = if held { self.leaves(&fetched) } else { (None, false) };
                if has_branch && !is_lost {
                    history = with(history, fetched.guess);
                }
                if let Some(transfer) = transfer {
                    let target = transfer.leads_to(head);
                    let was_lost = is_lost;
                    if fetched.foretold().is_none() {
                        next = target.unwrap_or(next);
                        is_lost |= target.is_none();
                        front.turn();
                    }
                    if !was_lost {
                        self.passes(&transfer);
                        let is_entered =
                            fetched.found.kind.is_none() && target.is_some() && !front.is_crowded();
                        // What the core enters itself comes first.
                        if is_entered && !(front.at() == until && update.is_some()) {
                            let target = if front.at() == until { self.directed } else { next };
                            let entry = transfer.entry(target);
                            self.pending = Some(Pending { entry, place: None, if_seen: false });
                        }
                    }
                }
            }
            if step.comes {
                before = fetched.address & !3;
            }
            if !step.repeats {
                fetched = looked_up;
            }
            address = next;
        }
        if let Some(place) = touched.filter(|_| update.is_none() && self.pending.is_none()) {
            self.buffer.use_of(place);
        }
        self.enter_pending();
        self.pending = update;
        self.counters[astray.counter.0] = done;
    }

    /// The transfer by which fetching leaves a word, and whether a branch comes first or is it.
    pub(super) fn leaves(&self, fetched: &Fetched) -> (Option<Transfer>, bool) {
        let known = self.known.borrow();
        let mut has_branch = false;
        for transfer in known.get(fetched.address >> 2).into_iter().flatten() {
            if transfer.end >= fetched.address {
                has_branch |= transfer.kind == Kind::Branch;
                if transfer.kind != Kind::Branch || fetched.guess {
                    return (Some(*transfer), has_branch);
                }
            }
        }
        (None, has_branch)
    }

    /// What a transfer does to the stack.
    pub(super) fn passes(&mut self, transfer: &Transfer) {
        if transfer.kind == Kind::Return {
            self.returns.pop();
        } else if transfer.calls {
            self.returns.push(transfer.fall_through);
        }
    }
}

impl Transfer {
    /// Where it leads as far as is seen in its word, if the top of the stack is this.
    pub(super) fn leads_to(&self, head: Option<u64>) -> Option<u64> {
        match self.kind {
            Kind::Branch | Kind::Jump => Some(self.target),
            Kind::Return => head,
            Kind::Indirect => None,
        }
    }

    /// As the target buffer has it.
    pub(super) fn entry(&self, target: u64) -> Entry {
        Entry { word: self.end & !3, end: self.end, target, kind: self.kind }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Foreseen;
    use super::{Front, Kind, Predictor, Transfer};

    /// The top of the stack after a return that went elsewhere than expected, so long before it was done.
    fn strayed(cycles: i16, is_held: bool) -> Option<u64> {
        let mut predictor = Predictor::default();
        let at = |kind, pc: u64, calls| Transfer {
            kind,
            end: pc + 2,
            fall_through: pc + 4,
            target: pc + 0x100,
            calls,
        };
        let (outer, inner) = (at(Kind::Jump, 0x100, true), at(Kind::Jump, 0x108, true));
        predictor.know(&outer);
        predictor.know(&inner);
        predictor.see(&outer, true, outer.target);
        // To elsewhere than the stack says, where fetching meets the inner call.
        assert_eq!(predictor.see(&at(Kind::Return, 0x200, false), true, 0x300), Foreseen::Elsewhere);
        predictor.stray(Front::arrived(2 - cycles), 2, |_| is_held);
        predictor.returns.head()
    }

    #[test]
    fn a_call_that_is_fetched_wrongly_leaves_its_return_address() {
        // A cycle is lost, then come 0x104 and the call in 0x108.
        assert_eq!(strayed(2, true), None);
        assert_eq!(strayed(3, true), Some(0x10c));
    }

    #[test]
    fn a_missing_line_leaves_the_stack_alone() {
        assert_eq!(strayed(3, false), None);
    }
}
