//! How an instruction of Rocket leaves decode (`RocketCore.scala`).

use super::again::Noted;
use super::op::Work;
use super::state::WRITEBACK;
use super::{
    AFTER_FETCH, Accelerator, DIRTIES, FROM_WRITEBACK, LINE_MISSING, Op, ROOM, Rocket, State, TAKEN,
    UNFORESEEN, UNIT,
};
use crate::core::{Cause, Outcome, Spent};
use crate::parts::rocket_branch::Kind;

impl Rocket {
    /// [`Core::issue`], and what is relied on.
    pub(super) fn issue_noting(
        &self,
        state: &mut State,
        op: &Op,
        outcome: Outcome,
        spent: &mut Spent,
        noted: &mut Noted<'_>,
    ) {
        spent.spend(Cause::Issue, 1);
        state.goes_on = false;
        let mut at = self.fetch(state, op, outcome, spent, noted);
        let mut wait_until = |at: &mut i16, until: i16, cause: Cause| {
            if until > *at {
                spent.spend(cause, (until - *at) as u32);
                *at = until;
            }
        };
        // Its operands.
        for register in op.registers {
            state.awaits(register, |until, cause| wait_until(&mut at, until, cause));
        }
        // Its unit.
        if matches!(op.work, Work::Multiply { .. } | Work::Divide { .. }) {
            for late in state.late.iter().filter(|late| late.register != 0 && late.of_unit) {
                wait_until(&mut at, late.at, Cause::Structural);
            }
        }
        let holds = if let Accelerator::Rocc { holds, .. } = self.accelerator { holds } else { 0 };
        while op.work == Work::Accelerator && state.is_backed_up(at + WRITEBACK, holds) {
            // Refused in write-back, where it still takes the port, and fetched again; in decode it waits until the
            // queue has room, which is seen there a cycle later.
            state.put_off(at + WRITEBACK);
            noted.refuse(state, op, at);
            let fetched = at + FROM_WRITEBACK;
            // So does half of it, which is put aside only then.
            wait_until(&mut at, fetched + ROOM + op.second(), Cause::Coprocessor);
            state.fetch_again(fetched, op.words.1, at);
        }
        let outcome = outcome & !LINE_MISSING;
        let accesses = matches!(op.work, Work::Load { .. } | Work::Store { .. });
        if op.work == Work::FlushLines {
            wait_until(&mut at, state.ordered, Cause::System);
        }
        if accesses && (std::mem::replace(&mut state.fenced, op.orders.0) || op.orders.1) {
            wait_until(&mut at, state.ordered, Cause::System);
        }
        if accesses {
            at = self.access(state, op, outcome, at, spent, noted);
        }
        if matches!(op.work, Work::Flush | Work::FlushLines) {
            noted.refuse(state, op, at);
        }
        if op.work == Work::Transfer {
            noted.transfers(state);
            state.ahead = Default::default();
        }
        state.pass(at, op.writes != 0);
        if accesses {
            state.ordered = WRITEBACK + 1;
            state.modifies = matches!(op.work, Work::Load { stores: true, .. });
            state.refuses = if outcome & DIRTIES != 0 { WRITEBACK } else { 0 };
        }
        match op.work {
            Work::Plain(latency, cause) => state.wait_for(op.writes, latency, cause),
            Work::Fence => state.fenced = true,
            Work::Load { slow, stores, .. } => {
                state.wait_for(op.writes, if slow { 3 } else { 2 }, Cause::LoadUse);
                if stores {
                    // What it stores is computed first.
                    state.store(WRITEBACK + 1);
                }
            }
            Work::Store { .. } => state.store(WRITEBACK),
            Work::Multiply { .. } | Work::Divide { .. } => {
                // The port is its own when it is in write-back itself.
                state.expect(op.writes, (UNIT + outcome as i16).max(WRITEBACK + 1), true);
            }
            Work::Accelerator => {
                if let Accelerator::Rocc { latency, .. } = self.accelerator {
                    state.expect(op.writes, latency, false);
                }
            }
            Work::Flush | Work::FlushLines => {
                state.wait_for(op.writes, 3, Cause::System);
                state.fetch_again(FROM_WRITEBACK, 0, 0);
                state.redirected = true;
            }
            Work::Transfer => {
                // The address after an indirect jump is computed where branches are.
                if op.transfer.is_some_and(|(it, _)| matches!(it.kind, Kind::Indirect | Kind::Return)) {
                    state.wait_for(op.writes, 2, Cause::Branch);
                }
                if outcome & (UNFORESEEN | TAKEN) != 0 {
                    state.certain = 0;
                    state.redirected = true;
                }
                if outcome & AFTER_FETCH != 0 {
                    state.front.turn();
                }
                state.strays = outcome & UNFORESEEN != 0;
                state.goes_on = !state.strays && state.front.goes_on();
            }
        }
    }
}
