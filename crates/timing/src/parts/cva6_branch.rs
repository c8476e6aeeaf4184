//! CVA6's branch prediction (c5947082, `frontend.sv`, `bht.sv`, `btb.sv`, `ras.sv`), in its default configuration: the
//! tables have no tags, and all are looked up when instructions are at the queue's input.
//!
//! Wrong-path fetches are followed as far as instructions are known, that is, were executed before: calls and returns
//! there change the return address stack, and missing lines are requested.

use std::cell::RefCell;

use crate::parts::known::Known;

/// Entries of the history table, of the target buffer and of the stack.
const HISTORY: usize = 128;
const TARGETS: usize = 32;
const STACK: usize = 2;
/// Bytes of a line of instructions.
const LINE: u64 = 16;
/// Cycles from a request for a word until that for the target of a transfer in it.
const TAKEN: usize = 2;
/// Words asked for after a wrong prediction that are looked at, by the cycle of their request; the queue has no room
/// for more.
pub const FOLLOWED: usize = 9;
/// Cycles from a request for a word until the predictors see what is in it.
const TO_PREDICTORS: i16 = 2;
/// Cycles from when a branch is issued until its counter has changed.
const TO_COUNTER: i16 = 2;

/// What an instruction that may go elsewhere is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A branch to this address.
    Branch(u64),
    /// To this address, which its word tells.
    Jump(u64),
    /// To an address in `ra` or `t0`.
    Return,
    /// To an address in another register.
    Indirect,
}

/// An instruction that may go elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// What it is.
    pub kind: Kind,
    /// Its address.
    pub pc: u64,
    /// Address of the instruction after it in memory.
    pub fall_through: u64,
    /// Whether it leaves its return address in `ra` or `t0`.
    pub calls: bool,
}

/// What became of a prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predicted {
    /// It goes on at the next address, as predicted.
    FallThrough,
    /// It goes elsewhere, as predicted.
    Elsewhere,
    /// Something else was fetched.
    Wrong(Missing),
}

/// Lines that were asked for after a wrong prediction, and are not there, the first first.
pub type Missing = [Option<Asked>; 2];

/// A line that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Cycles from the request for the transfer's last word until that for the line, unless another must come before.
    pub after: usize,
    /// Words that come to the queue in between, and its own.
    pub words: usize,
    /// An address in it.
    pub address: u64,
}

/// What came of a transfer in time, as far as it is known when the pipeline has taken it up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// From its issue until the next word is asked for that is executed.
    pub lead: i16,
    /// If it was predicted wrong, from the request for its last word until what was fetched since is dropped.
    pub dropped: i16,
    /// Cycles by which a line that is missing puts off what is asked for after it.
    pub refill: i16,
}

/// A branch whose counter has not changed yet.
#[derive(Clone, Copy)]
struct Late {
    index: usize,
    taken: bool,
    /// The word that is asked for after it, and when.
    word: u64,
    lead: Option<i16>,
}

/// All predictors.
pub struct Predictor {
    /// Two-bit counters, and whether their branches were there.
    history: [(bool, u8); HISTORY],
    targets: [Option<u64>; TARGETS],
    /// The top first.
    stack: [Option<u64>; STACK],
    late: Option<Late>,
    /// What the stack becomes on a wrong path: after how many cycles and missing lines.
    astray: Vec<(i16, i16, [Option<u64>; STACK])>,
    /// Transfers by the word that has their last byte.
    known: RefCell<Known<Vec<Transfer>>>,
}

impl Default for Predictor {
    fn default() -> Self {
        Self {
            history: [(false, 0); HISTORY],
            targets: [None; TARGETS],
            stack: [None; STACK],
            late: None,
            astray: Vec::new(),
            known: RefCell::default(),
        }
    }
}

fn push_and_pop(stack: &mut [Option<u64>; STACK], transfer: &Transfer) {
    if transfer.kind == Kind::Return {
        *stack = [stack[1], None];
    }
    if transfer.calls {
        *stack = [Some(transfer.fall_through), stack[0]];
    }
}

const fn word_after(address: u64) -> u64 {
    (address | 3).wrapping_add(1)
}

impl Predictor {
    /// There is such a transfer.
    pub fn know(&self, transfer: Transfer) {
        let mut known = self.known.borrow_mut();
        let word = known.of(transfer.fall_through.wrapping_sub(1) >> 2);
        word.retain(|other| other.pc != transfer.pc);
        word.push(transfer);
        word.sort_unstable_by_key(|transfer| transfer.pc);
    }

    /// Forgets all, as a trap and the return from one make it.
    pub fn flush(&mut self) {
        // Not what the reset does.
        self.history = [(false, 2); HISTORY];
        self.targets = [None; TARGETS];
        self.stack = [None; STACK];
        self.late = None;
        self.astray.clear();
    }

    /// The pipeline has taken up the transfer that was seen last.
    pub fn settle(&mut self, timing: Timing) {
        let seen = |&&(after, lines, _): &&(i16, i16, _)| {
            after + lines * timing.refill + TO_PREDICTORS <= timing.dropped
        };
        if let Some(&(_, _, stack)) = self.astray.iter().take_while(seen).last() {
            self.stack = stack;
        }
        self.astray.clear();
        if let Some(late) = &mut self.late {
            late.lead.get_or_insert(timing.lead);
        }
    }

    fn count(&mut self, late: Late) {
        let (known, count) = &mut self.history[late.index];
        *known = true;
        *count = if late.taken { (*count + 1).min(3) } else { count.saturating_sub(1) };
    }

    /// Sees a transfer that went on at `next`; `holds` tells whether the cache has the line of an address.
    pub fn see(
        &mut self,
        transfer: &Transfer,
        taken: bool,
        next: u64,
        holds: impl Fn(u64) -> bool,
    ) -> Predicted {
        let word = transfer.fall_through.wrapping_sub(1) >> 2;
        let late = self.late.take();
        let too_late = late.is_some_and(|late| {
            let words = word.wrapping_sub(late.word).min(HISTORY as u64) as i16;
            late.lead.unwrap_or(0) + words + TO_PREDICTORS < TO_COUNTER
        });
        if let Some(late) = late.filter(|_| !too_late) {
            self.count(late);
        }
        let foreseen = self.foresee(transfer, &self.stack);
        push_and_pop(&mut self.stack, transfer);
        if let Some(late) = late.filter(|_| too_late) {
            self.count(late);
        }
        let right = match transfer.kind {
            Kind::Branch(_) => foreseen.is_some() == taken,
            _ => foreseen == Some(next),
        };
        let predicted = match (right, foreseen) {
            (true, Some(_)) => Predicted::Elsewhere,
            (true, None) => Predicted::FallThrough,
            (false, _) => Predicted::Wrong(self.follow(transfer.fall_through, foreseen, holds)),
        };
        let index = (transfer.pc >> 1) as usize;
        match transfer.kind {
            Kind::Branch(_) => {
                // Of a word that is fetched already, the next one's count begins at 0.
                let word = if taken { next >> 2 } else { word };
                self.late = Some(Late { index: index % HISTORY, taken, word, lead: None });
            }
            Kind::Indirect if !right => self.targets[index % TARGETS] = Some(next),
            Kind::Jump(_) | Kind::Return | Kind::Indirect => {}
        }
        predicted
    }

    /// Where fetching goes on, unless it is at the next address.
    fn foresee(&self, transfer: &Transfer, stack: &[Option<u64>; STACK]) -> Option<u64> {
        let index = (transfer.pc >> 1) as usize;
        match transfer.kind {
            Kind::Branch(target) => {
                let (known, count) = self.history[index % HISTORY];
                let taken = if known { count >= 2 } else { target < transfer.pc };
                taken.then_some(target)
            }
            Kind::Jump(target) => Some(target),
            Kind::Return => stack[0],
            Kind::Indirect => self.targets[index % TARGETS],
        }
    }

    /// What is asked for after a wrong prediction, or before the pipeline is emptied: at an address, or else after the transfer, which ends at `fall_through`.
    pub fn follow(
        &mut self,
        fall_through: u64,
        foreseen: Option<u64>,
        holds: impl Fn(u64) -> bool,
    ) -> Missing {
        // The word after a transfer's is asked for, and dropped, which takes a cycle more if it is not there.
        let mut missing = Missing::default();
        let holds = |address: u64, missing: &Missing| {
            holds(address) || missing[0].is_some_and(|line| line.address / LINE == address / LINE)
        };
        let elsewhere = |last: u64, missing: &Missing| TAKEN + usize::from(!holds(word_after(last), missing));
        let last = fall_through.wrapping_sub(1);
        let (mut after, mut address) =
            foreseen.map_or((0, fall_through), |target| (elsewhere(last, &missing), target));
        let mut entry = address;
        if foreseen.is_none() && fall_through.is_multiple_of(4) {
            after = 1;
        }
        let mut words = usize::from(after > 0);
        let mut stack = self.stack;
        self.astray.clear();
        let known = self.known.borrow();
        while after <= FOLLOWED {
            if after > 0 && !holds(address, &missing) {
                let line = Some(Asked { after, words, address });
                match &mut missing {
                    [first @ None, _] => *first = line,
                    [_, second] => {
                        *second = line;
                        return missing;
                    }
                }
            }
            let here = known.get(address >> 2).into_iter().flatten();
            let mut target = None;
            for transfer in here.filter(|transfer| transfer.pc >= entry) {
                target = self.foresee(transfer, &stack);
                let before = stack;
                push_and_pop(&mut stack, transfer);
                if stack != before {
                    self.astray.push((after as i16, i16::from(missing[0].is_some()), stack));
                }
                if target.is_some() {
                    break;
                }
            }
            match target {
                Some(target) => {
                    after += elsewhere(address, &missing);
                    (address, entry) = (target, target);
                }
                None => (after, address) = (after + 1, word_after(address)),
            }
            words += 1;
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, Kind, Predicted, Predictor, Timing, Transfer};

    fn transfer(kind: Kind, pc: u64) -> Transfer {
        Transfer { kind, pc, fall_through: pc + 4, calls: false }
    }

    #[test]
    fn a_branch_is_predicted_by_its_direction_then_by_its_past() {
        let mut predictor = Predictor::default();
        let branch = transfer(Kind::Branch(32), 64);
        let seen: Vec<_> = (0..4).map(|_| predictor.see(&branch, true, 32, |_| true)).collect();
        // The counter begins at "surely not".
        assert_eq!(
            seen,
            [Predicted::Elsewhere, Predicted::Wrong([None; 2]), Predicted::Elsewhere, Predicted::Elsewhere]
        );
    }

    #[test]
    fn the_stack_has_two_entries() {
        let mut predictor = Predictor::default();
        for pc in [0, 16, 32] {
            predictor.see(&Transfer { calls: true, ..transfer(Kind::Jump(100), pc) }, true, 100, |_| true);
        }
        let back: Vec<_> = [36, 20, 4]
            .map(|next| predictor.see(&transfer(Kind::Return, 200), true, next, |_| true))
            .to_vec();
        assert_eq!(back, [Predicted::Elsewhere, Predicted::Elsewhere, Predicted::Wrong([None; 2])]);
    }

    #[test]
    fn a_wrong_path_is_followed_to_the_lines_that_are_missing() {
        let mut predictor = Predictor::default();
        let forwards = transfer(Kind::Branch(96), 8);
        let below = |end: u64| move |address: u64| address < end;
        let line = |(after, words, address)| Some(Asked { after, words, address });
        let missing = |first, then| Predicted::Wrong([line(first), line(then)]);
        // Words 12 and 16 are asked for after it, and those after 16 when its line is there.
        assert_eq!(predictor.see(&forwards, true, 96, below(16)), missing((2, 2, 16), (6, 6, 32)));
        predictor.flush();
        predictor.know(transfer(Kind::Jump(64), 12));
        assert_eq!(predictor.see(&forwards, true, 96, below(64)), missing((3, 2, 64), (7, 6, 80)));
        predictor.flush();
        assert_eq!(predictor.see(&forwards, true, 96, below(16)), missing((4, 2, 64), (8, 6, 80)));
    }

    #[test]
    fn a_wrong_path_changes_the_stack() {
        let mut predictor = Predictor::default();
        predictor.see(&Transfer { calls: true, ..transfer(Kind::Jump(100), 200) }, true, 100, |_| true);
        predictor.know(transfer(Kind::Return, 12));
        predictor.see(&transfer(Kind::Branch(96), 8), true, 96, |_| true);
        // Dropped when the return's word, which was asked for next, has come to the predictors.
        predictor.settle(Timing { lead: 2, dropped: 3, refill: 14 });
        let back = predictor.see(&transfer(Kind::Return, 100), true, 204, |_| true);
        assert_eq!(back, Predicted::Wrong([None; 2]));
    }
}
