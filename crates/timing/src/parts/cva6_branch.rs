//! CVA6's branch prediction (c5947082, `frontend.sv`, `bht.sv`, `btb.sv`, `ras.sv`), in its default configuration: no table
//! has tags, and all are asked when instructions are in the queue's input.

/// Entries of the history table, of the target buffer and of the stack.
const HISTORY: usize = 128;
const TARGETS: usize = 32;
const STACK: usize = 2;

/// What an instruction that may go elsewhere is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A branch, and whether it goes backwards if taken.
    Branch { backwards: bool },
    /// To an address in its word.
    Jump,
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
    pub behind: u64,
    /// Whether it leaves its return address in `ra` or `t0`.
    pub calls: bool,
}

/// What became of a prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predicted {
    /// It goes on at the next address, as predicted.
    Behind,
    /// It goes elsewhere, as predicted.
    Elsewhere,
    /// Something else was fetched.
    Wrong,
}

/// All predictors.
pub struct Predictor {
    /// Two-bit counters of those branches that were there.
    history: [Option<u8>; HISTORY],
    targets: [Option<u64>; TARGETS],
    /// The top first.
    stack: [Option<u64>; STACK],
}

impl Default for Predictor {
    fn default() -> Self {
        Self { history: [None; HISTORY], targets: [None; TARGETS], stack: [None; STACK] }
    }
}

impl Predictor {
    /// Sees a transfer that went on at `next`.
    pub fn see(&mut self, transfer: &Transfer, taken: bool, next: u64) -> Predicted {
        let index = (transfer.pc >> 1) as usize;
        let predicted = match transfer.kind {
            Kind::Branch { backwards } => {
                let counter = &mut self.history[index % HISTORY];
                let foreseen = counter.map_or(backwards, |count| count >= 2);
                let count = counter.unwrap_or(0);
                *counter = Some(if taken { (count + 1).min(3) } else { count.saturating_sub(1) });
                match (foreseen == taken, taken) {
                    (false, _) => Predicted::Wrong,
                    (true, true) => Predicted::Elsewhere,
                    (true, false) => Predicted::Behind,
                }
            }
            Kind::Jump => Predicted::Elsewhere,
            Kind::Return => {
                let foreseen = self.stack[0];
                self.stack.rotate_left(1);
                self.stack[STACK - 1] = None;
                if foreseen == Some(next) { Predicted::Elsewhere } else { Predicted::Wrong }
            }
            Kind::Indirect => {
                let target = &mut self.targets[index % TARGETS];
                if *target == Some(next) {
                    Predicted::Elsewhere
                } else {
                    *target = Some(next);
                    Predicted::Wrong
                }
            }
        };
        if transfer.calls {
            self.stack.rotate_right(1);
            self.stack[0] = Some(transfer.behind);
        }
        predicted
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Predicted, Predictor, Transfer};

    fn transfer(kind: Kind, pc: u64) -> Transfer {
        Transfer { kind, pc, behind: pc + 4, calls: false }
    }

    #[test]
    fn a_branch_is_predicted_by_its_direction_then_by_its_past() {
        let mut predictor = Predictor::default();
        let branch = transfer(Kind::Branch { backwards: true }, 64);
        let seen: Vec<_> = (0..4).map(|_| predictor.see(&branch, true, 32)).collect();
        // The counter begins at "surely not".
        assert_eq!(
            seen,
            [Predicted::Elsewhere, Predicted::Wrong, Predicted::Elsewhere, Predicted::Elsewhere]
        );
    }

    #[test]
    fn the_stack_has_two_entries() {
        let mut predictor = Predictor::default();
        for pc in [0, 16, 32] {
            predictor.see(&Transfer { calls: true, ..transfer(Kind::Jump, pc) }, true, 100);
        }
        let back: Vec<_> =
            [36, 20, 4].map(|next| predictor.see(&transfer(Kind::Return, 200), true, next)).to_vec();
        assert_eq!(back, [Predicted::Elsewhere, Predicted::Elsewhere, Predicted::Wrong]);
    }
}
