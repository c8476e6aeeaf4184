//! Schedules that hold only as long as what the core remembers allows.

use super::{Key, Pipeline, Schedule, Stretch, Unusual, issue_all};
use crate::core::{Core, Relied, Spent};

/// What a schedule relies on, and when that was last found to hold.
pub struct Found {
    on: Box<[u32]>,
    epoch: u64,
}

impl<C: Core> Pipeline<C> {
    /// [`Pipeline::pass`] for a core whose schedules rely on what it remembers.
    pub(super) fn pass_relying(
        &mut self,
        core: &mut C,
        stretch: &Stretch<C>,
        length: usize,
        unusual: &[Unusual],
        again: bool,
        mut tell: impl FnMut(usize, &Spent),
    ) -> u64 {
        if again && self.remembers && length == stretch.ops.len() {
            let key = Key { stretch: stretch.number, before: self.now, code: self.codes.of(unusual) };
            let followed = match self.find(key) {
                Some(place) => self.follow(core, place),
                None => self.schedule_relying(core, stretch, unusual, key),
            };
            if let Some(cycles) = followed {
                return cycles;
            }
        }
        let (mut state, mut cycles) = (self.states[self.now as usize].clone(), 0);
        let issue =
            |state: &mut _, op: &_, outcome, spent: &mut _| core.issue_remembering(state, op, outcome, spent);
        issue_all::<C>(issue, &mut state, &stretch.ops[..length], unusual, |index, spent| {
            cycles += spent.cycles();
            tell(index, spent);
        });
        self.become_state(core, state);
        cycles
    }

    /// Cycles of a schedule if it holds.
    fn follow(&mut self, core: &mut C, place: usize) -> Option<u64> {
        let Found { on, epoch } = &mut self.relied[place];
        if *epoch != core.epoch() {
            if !core.holds(on) {
                return None;
            }
            *epoch = core.epoch();
        }
        core.passed(on);
        Some(self.go(place))
    }

    /// Cycles of a new schedule if it holds now.
    fn schedule_relying(
        &mut self,
        core: &mut C,
        stretch: &Stretch<C>,
        unusual: &[Unusual],
        key: Key,
    ) -> Option<u64> {
        let mut state = self.states[self.now as usize].clone();
        let (mut relied, mut total) = (Relied::default(), Spent::default());
        let issue = |state: &mut _, op: &_, outcome, spent: &mut _| {
            if !relied.broken {
                core.issue_relying(state, op, outcome, spent, &mut relied);
            }
        };
        issue_all::<C>(issue, &mut state, &stretch.ops, unusual, |_, spent: &Spent| total.add(spent, 1));
        if relied.broken {
            return None;
        }
        core.passed(&relied.on);
        let before = self.last;
        let (cycles, after) = (total.cycles(), self.become_state(core, state));
        self.relied.push(Found { on: relied.on.into(), epoch: core.epoch() });
        self.keep(before, Schedule::new(key, after, cycles as u32, self.told), total);
        Some(cycles)
    }
}
