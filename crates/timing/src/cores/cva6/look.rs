//! What CVA6's caches and predictors say of an execution.

use super::op::{Op, Work};
use super::{
    ASKED_SHIFT, Cva6, DATA, ELSEWHERE, FIRST_LINE_MISSING, LINE_MISSING, LINE_SHIFT, MISS, NEEDED,
    NEXT_LINE_MISSING, NEXT_MISSING, THEN_SHIFT, WORDS_SHIFT, WRONG,
};
use crate::core::{Event, Outcome, USUAL};
use crate::parts::cva6_branch::{Kind, Missing, Predicted};
use crate::parts::cva6_divider as divider;
use crate::parts::cva6_stores::REMEMBERED;

impl Cva6 {
    /// Which of the last stores has the same bits of its address, from 1, if it is one of some; 0 is none.
    #[inline]
    fn nearest(&self, some: u16, same: impl Fn(u64) -> bool) -> Outcome {
        let on_their_way = u16::BITS - (self.entering | self.held).leading_zeros();
        for distance in 0..on_their_way {
            let stored = self.stored[(self.newest + distance as usize) % REMEMBERED];
            if same(stored) && stored != u64::MAX {
                return if some >> distance & 1 == 1 { distance + 1 } else { 0 };
            }
        }
        0
    }

    /// Touches the lines that may begin with it: those that are missing.
    pub(super) fn look_at_lines(&mut self, op: &Op) -> Outcome {
        let mut missing = 0;
        if op.first_line.is_some_and(|address| !self.instructions.touch(address)) {
            missing |= FIRST_LINE_MISSING;
        }
        if op.line.is_some_and(|address| !self.instructions.touch(address)) {
            missing |= LINE_MISSING;
        }
        missing
    }

    /// Lines that are asked for and missing after an instruction that empties the pipeline.
    pub(super) fn asked_after(&mut self, op: &Op) -> Outcome {
        let cache = &self.instructions;
        self.asked = self.predictor.follow(op.fall_through, None, |address| cache.holds(address));
        NEEDED | asked(self.asked)
    }

    /// Caches and predictors see an execution, apart from its lines of instructions.
    pub(super) fn see(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        let word = |index: usize| event.words.get(index).copied().unwrap_or(0);
        match op.work {
            Work::Divide { signed, word: narrow } => {
                let extend = |value: u64| match (narrow, signed) {
                    (false, _) => value,
                    (true, true) => value as i32 as u64,
                    (true, false) => u64::from(value as u32),
                };
                let steps = divider::steps(extend(word(0)), extend(word(1)), signed, op.xlen.into());
                steps.map_or(USUAL, |steps| steps + 1)
            }
            Work::Load => {
                // Only the lower 12 bits are compared.
                let same = self.nearest(self.entering, |stored| (stored ^ word(0)) & 0xff8 == 0);
                if self.data.touch(word(0)) {
                    return same;
                }
                let line = self.nearest(self.held, |stored| stored / DATA.2 == word(0) / DATA.2);
                let then = if self.instructions.holds(op.next_line()) { 0 } else { NEXT_LINE_MISSING };
                same | MISS | line << LINE_SHIFT | then
            }
            Work::Store => {
                let shift = if op.xlen == 32 { 2 } else { 3 };
                let same = self.nearest(self.held, |stored| stored >> shift == word(0) >> shift);
                self.newest = (self.newest + REMEMBERED - 1) % REMEMBERED;
                self.stored[self.newest] = word(0);
                (self.entering, self.held) = (self.entering << 1 | 1, self.held << 1 | 1);
                same
            }
            Work::Transfer => {
                let Some((transfer, condition)) = &op.transfer else { return USUAL };
                let taken = !matches!(transfer.kind, Kind::Branch(_)) || condition.holds(event);
                let cache = &self.instructions;
                match self.predictor.see(transfer, taken, event.next, |address| cache.holds(address)) {
                    Predicted::Elsewhere if cache.holds((op.fall_through + 3) & !3) => ELSEWHERE,
                    Predicted::Elsewhere => ELSEWHERE | NEXT_MISSING,
                    Predicted::Wrong(missing) => {
                        self.asked = missing;
                        WRONG | asked(missing)
                    }
                    Predicted::FallThrough => USUAL,
                }
            }
            Work::Fence { instructions: true } => {
                let asked = self.asked_after(op) & !NEEDED;
                self.instructions.clear();
                asked
            }
            Work::Fence { .. }
            | Work::Flush
            | Work::Trap
            | Work::TrapReturn
            | Work::Csr { flushes: true } => {
                let asked = self.asked_after(op);
                if op.work == Work::TrapReturn {
                    self.predictor.flush();
                    return asked & !NEEDED;
                }
                asked
            }
            Work::Plain | Work::Multiply | Work::Csr { .. } => USUAL,
        }
    }
}

/// The first lines that are asked for and missing, as an outcome.
fn asked(missing: Missing) -> Outcome {
    let [first, then] = missing
        .map(|line| line.map_or(0, |line| line.after as Outcome | (line.words as Outcome) << WORDS_SHIFT));
    first << ASKED_SHIFT | then << THEN_SHIFT
}
