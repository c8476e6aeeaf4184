//! What is fetched after a transfer that was foreseen wrongly changes the stack of return addresses.

use super::{Kind, Predictor, RETURNS, Transfer};

/// Where fetching went on after a transfer that was foreseen wrongly.
#[derive(Clone, Copy)]
pub struct Astray {
    pub address: u64,
    /// A cycle is lost first.
    pub is_late: bool,
    /// What the first word there sees of the stack.
    pub returns_to: Option<u64>,
}

impl Predictor {
    /// There is such a transfer.
    pub fn know(&self, transfer: &Transfer) {
        let mut known = self.known.borrow_mut();
        let word = known.entry(transfer.end & !3).or_default();
        if word.iter().all(|other| other.end != transfer.end) {
            word.push(*transfer);
            word.sort_by_key(|other| other.end);
        }
    }

    /// Words were fetched for so many cycles after the last transfer, which was foreseen wrongly: calls and returns
    /// among them change the stack, and nothing puts that right (`ras_update` of `Frontend.scala`).
    pub fn stray(&mut self, mut cycles: i16, is_held: impl Fn(u64) -> bool) {
        let Some(Astray { mut address, is_late, mut returns_to }) = self.astray.take() else { return };
        if is_late {
            cycles -= 1;
            returns_to = self.returns.front().copied();
        }
        // A missing line takes longer than it is waited for.
        while cycles > 0 && is_held(address) {
            let head = self.returns.front().copied();
            let fetched = self.look_up(address);
            let foretold = fetched
                .place
                .and_then(|place| self.entries[place])
                .filter(|entry| entry.kind != Kind::Branch || fetched.guess);
            let leads = |transfer: &&Transfer| transfer.kind != Kind::Branch || fetched.guess;
            let found =
                self.known.borrow().get(&(address & !3)).and_then(|word| {
                    word.iter().filter(|transfer| transfer.end >= address).find(leads).copied()
                });
            if let Some(transfer) = found {
                if transfer.kind == Kind::Return {
                    self.returns.pop_front();
                }
                if transfer.calls {
                    self.returns.push_front(transfer.behind);
                    self.returns.truncate(RETURNS);
                }
            }
            let foretold = foretold.map(|entry| match entry.kind {
                Kind::Return => returns_to.unwrap_or(entry.target),
                _ => entry.target,
            });
            let next = match (foretold, found) {
                (Some(target), _) => Some((target, 1)),
                (None, None) => Some(((address & !3).wrapping_add(4), 1)),
                (None, Some(transfer)) => match transfer.kind {
                    Kind::Branch | Kind::Jump => Some((transfer.target, 2)),
                    Kind::Return => head.map(|target| (target, 2)),
                    Kind::Indirect => None,
                },
            };
            let Some((target, took)) = next else { return };
            // A word is looked up while the one before it changes the stack.
            returns_to = if took == 1 { head } else { self.returns.front().copied() };
            (address, cycles) = (target, cycles - took);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Foreseen;
    use super::{Kind, Predictor, Transfer};

    fn strayed(cycles: i16, is_held: bool) -> Vec<u64> {
        let mut predictor = Predictor::default();
        let at =
            |kind, pc: u64, calls| Transfer { kind, end: pc + 2, behind: pc + 4, target: pc + 0x100, calls };
        let (outer, inner) = (at(Kind::Jump, 0x100, true), at(Kind::Jump, 0x108, true));
        predictor.know(&outer);
        predictor.know(&inner);
        predictor.see(&outer, true, outer.target);
        // To elsewhere than the stack says, where fetching meets the inner call.
        assert_eq!(predictor.see(&at(Kind::Return, 0x200, false), true, 0x300), Foreseen::Not);
        predictor.stray(cycles, |_| is_held);
        predictor.returns.into()
    }

    #[test]
    fn a_call_that_is_fetched_wrongly_leaves_its_return_address() {
        // A cycle is lost, then come 0x104 and the call in 0x108.
        assert_eq!(strayed(2, true), []);
        assert_eq!(strayed(3, true), [0x10c]);
    }

    #[test]
    fn a_missing_line_leaves_the_stack_alone() {
        assert_eq!(strayed(3, false), []);
    }
}
