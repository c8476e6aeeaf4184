//! Schedules: what a pipeline made of a block, remembered by the state it was in and by the outcomes.

use std::collections::HashMap;

use crate::core::{Cause, Core, Outcome, Spent, USUAL};

/// Most states and schedules remembered: beyond, all are forgotten, and computed again.
const MOST: usize = 1 << 18;

/// A block as a core sees it.
pub struct Known<C: Core> {
    /// Its instructions; `None` is one that the core does not have.
    pub ops: Vec<Option<C::Op>>,
    /// Those the core watches, with where their words begin and end.
    pub watched: Vec<Watched>,
    /// Schedules with the usual outcomes only.
    usual: Vec<Schedule>,
    /// The others, by state and outcomes.
    unusual: HashMap<(u32, Box<[Outcome]>), Schedule>,
}

/// A watched instruction of a block.
pub struct Watched {
    /// Which.
    pub index: usize,
    /// Its words among those of the block.
    pub words: std::ops::Range<usize>,
    /// Address of the instruction after it in the block; `None` for the last.
    pub next: Option<u64>,
}

#[derive(Clone, Copy)]
struct Schedule {
    before: u32,
    after: u32,
    cycles: u32,
    times: u64,
}

/// The pipeline of a core and what it has made of blocks so far.
pub struct Pipeline<C: Core> {
    /// The state now, by its number.
    now: u32,
    states: Vec<C::State>,
    numbers: HashMap<C::State, u32>,
    schedules: usize,
    remembers: bool,
}

impl<C: Core> Pipeline<C> {
    pub fn new(remembers: bool) -> Self {
        let state = C::State::default();
        let numbers = HashMap::from([(state.clone(), 0)]);
        Self { now: 0, states: vec![state], numbers, schedules: 0, remembers }
    }

    /// True if all that is known should be forgotten: then call [`Pipeline::forget`], and drop every [`Known`].
    pub fn is_full(&self) -> bool {
        self.schedules + self.states.len() > MOST
    }

    pub fn forget(&mut self) {
        let state = self.states[self.now as usize].clone();
        self.numbers = HashMap::from([(state.clone(), 0)]);
        self.states = vec![state];
        self.now = 0;
        self.schedules = 0;
    }

    /// Cycles of the first instructions of a block, with these outcomes.
    ///
    /// What is not remembered is told instruction by instruction; of what is, [`Known::replay`] tells later.
    pub fn pass(
        &mut self,
        core: &C,
        known: &mut Known<C>,
        length: usize,
        outcomes: &[Outcome],
        tell: impl FnMut(usize, &Spent),
    ) -> u64 {
        let whole = length == known.ops.len() && self.remembers;
        if !whole {
            return self.schedule(core, &known.ops[..length], &known.watched, outcomes, tell).0;
        }
        let now = self.now;
        let found = if outcomes.iter().all(|&outcome| outcome == USUAL) {
            known.usual.iter_mut().find(|schedule| schedule.before == now)
        } else {
            // Only what is not found is copied.
            known.unusual.get_mut(&(now, Box::from(outcomes)))
        };
        if let Some(schedule) = found {
            schedule.times += 1;
            self.now = schedule.after;
            return schedule.cycles.into();
        }
        let (cycles, after) = self.schedule(core, &known.ops, &known.watched, outcomes, |_, _| ());
        let schedule = Schedule { before: now, after, cycles: cycles as u32, times: 1 };
        self.schedules += 1;
        if outcomes.iter().all(|&outcome| outcome == USUAL) {
            known.usual.push(schedule);
        } else {
            known.unusual.insert((now, Box::from(outcomes)), schedule);
        }
        cycles
    }

    fn schedule(
        &mut self,
        core: &C,
        ops: &[Option<C::Op>],
        watched: &[Watched],
        outcomes: &[Outcome],
        mut tell: impl FnMut(usize, &Spent),
    ) -> (u64, u32) {
        let mut state = self.states[self.now as usize].clone();
        let mut cycles = 0;
        let mut watched = watched.iter().zip(outcomes).peekable();
        for (index, op) in ops.iter().enumerate() {
            let outcome = watched.next_if(|(watched, _)| watched.index == index).map_or(USUAL, |(_, &it)| it);
            let mut spent = Spent::default();
            issue(core, &mut state, op.as_ref(), outcome, &mut spent);
            cycles += spent.cycles();
            tell(index, &spent);
        }
        (cycles, self.become_state(state))
    }

    /// Where it is now.
    pub fn state(&self) -> &C::State {
        &self.states[self.now as usize]
    }

    /// The next instruction traps.
    pub fn trap(&mut self, core: &C) -> Spent {
        let (mut state, mut spent) = (self.states[self.now as usize].clone(), Spent::default());
        core.trap(&mut state, &mut spent);
        self.become_state(state);
        spent
    }

    /// The state now; its number.
    fn become_state(&mut self, state: C::State) -> u32 {
        let fresh = self.states.len() as u32;
        let number = *self.numbers.entry(state.clone()).or_insert(fresh);
        if number == fresh {
            self.states.push(state);
        }
        self.now = number;
        number
    }
}

impl<C: Core> Known<C> {
    pub fn new(ops: Vec<Option<C::Op>>, watched: Vec<Watched>) -> Self {
        Self { ops, watched, usual: Vec::new(), unusual: HashMap::new() }
    }

    /// For every schedule followed so far: how often, and what each instruction spent in it.
    pub fn replay(&self, core: &C, pipeline: &Pipeline<C>, mut tell: impl FnMut(usize, u64, &Spent)) {
        let usual = self.usual.iter().map(|schedule| (schedule, None));
        let unusual = self.unusual.iter().map(|((_, outcomes), schedule)| (schedule, Some(outcomes)));
        for (schedule, outcomes) in usual.chain(unusual) {
            let mut state = pipeline.states[schedule.before as usize].clone();
            for (index, op) in self.ops.iter().enumerate() {
                let at = self.watched.iter().position(|watched| watched.index == index);
                let outcome = at.and_then(|at| outcomes.map(|outcomes| outcomes[at])).unwrap_or(USUAL);
                let mut spent = Spent::default();
                issue(core, &mut state, op.as_ref(), outcome, &mut spent);
                tell(index, schedule.times, &spent);
            }
        }
    }
}

fn issue<C: Core>(core: &C, state: &mut C::State, op: Option<&C::Op>, outcome: Outcome, spent: &mut Spent) {
    match op {
        Some(op) => core.issue(state, op, outcome, spent),
        None => spent.spend(Cause::Unmodelled, 1),
    }
}
