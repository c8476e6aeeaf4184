//! Schedules: what a pipeline made of a block, remembered by the state it was in and by the outcomes.

use rustc_hash::FxHashMap;

use crate::core::{Cause, Core, Outcome, Spent, USUAL};

/// Most states and schedules remembered: beyond, all are forgotten, and computed again.
const MOST: usize = 1 << 18;

/// More than these are not looked through one by one.
const FEW: usize = 8;

/// A stretch of a block as a core sees it.
pub struct Known<C: Core> {
    /// Its instructions; `None` is one that the core does not have.
    pub ops: Vec<Option<C::Op>>,
    /// Those the core watches, with where their words begin and end.
    pub watched: Vec<Watched>,
    /// What came of it so far.
    passages: Vec<Passage>,
    /// Their places by their outcomes.
    places: FxHashMap<Box<[Outcome]>, usize>,
    /// Where the last one is.
    last: usize,
}

/// Executions of a stretch with the same outcomes.
struct Passage {
    outcomes: Box<[Outcome]>,
    schedules: Vec<Schedule>,
    /// What each of them spends.
    spent: Vec<Spent>,
    /// Their places by the state before them.
    places: FxHashMap<u32, usize>,
}

/// A watched instruction of a stretch.
pub struct Watched {
    /// Which.
    pub index: usize,
    /// Its words among those of its block.
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

/// The pipeline of a core and what it has made of stretches so far.
pub struct Pipeline<C: Core> {
    /// The state now, by its number.
    now: u32,
    states: Vec<C::State>,
    numbers: FxHashMap<C::State, u32>,
    schedules: usize,
    remembers: bool,
}

impl<C: Core> Pipeline<C> {
    pub fn new(remembers: bool) -> Self {
        let state = C::State::default();
        let numbers = FxHashMap::from_iter([(state.clone(), 0)]);
        Self { now: 0, states: vec![state], numbers, schedules: 0, remembers }
    }

    /// True if all that is known should be forgotten: then call [`Pipeline::forget`], and drop every [`Known`].
    pub fn is_full(&self) -> bool {
        self.schedules + self.states.len() > MOST
    }

    pub fn forget(&mut self) {
        let state = self.states[self.now as usize].clone();
        self.numbers = FxHashMap::from_iter([(state.clone(), 0)]);
        self.states = vec![state];
        self.now = 0;
        self.schedules = 0;
    }

    /// Cycles of the first instructions of a stretch, with these outcomes.
    ///
    /// What is not remembered is told instruction by instruction; of what is, [`Known::replay`] and [`Known::total`]
    /// tell later.
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
        let before = self.now;
        let at = known.passage(outcomes);
        if let Some(schedule) = known.passages[at].schedule(before) {
            schedule.times += 1;
            self.now = schedule.after;
            return schedule.cycles.into();
        }
        let mut total = Spent::default();
        let add = |_, spent: &Spent| total.add(spent, 1);
        let (cycles, after) = self.schedule(core, &known.ops, &known.watched, outcomes, add);
        known.passages[at].keep(Schedule { before, after, cycles: cycles as u32, times: 1 }, total);
        self.schedules += 1;
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
        Self { ops, watched, passages: Vec::new(), places: FxHashMap::default(), last: 0 }
    }

    /// Where the passages with these outcomes are.
    #[inline]
    fn passage(&mut self, outcomes: &[Outcome]) -> usize {
        let is_it = |passage: &Passage| passage.outcomes.iter().eq(outcomes);
        if self.passages.get(self.last).is_some_and(is_it) {
            return self.last;
        }
        let found = if self.passages.len() > FEW {
            self.places.get(outcomes).copied()
        } else {
            self.passages.iter().position(is_it)
        };
        self.last = found.unwrap_or_else(|| {
            let outcomes: Box<[Outcome]> = outcomes.into();
            self.places.insert(outcomes.clone(), self.passages.len());
            self.passages.push(Passage {
                outcomes,
                schedules: Vec::new(),
                spent: Vec::new(),
                places: FxHashMap::default(),
            });
            self.passages.len() - 1
        });
        self.last
    }

    /// Instructions executed as remembered so far, and what they spent together.
    pub fn total(&self) -> (u64, Spent) {
        let (mut executed, mut total) = (0, Spent::default());
        for passage in &self.passages {
            for (schedule, spent) in passage.schedules.iter().zip(&passage.spent) {
                executed += schedule.times * self.ops.len() as u64;
                total.add(spent, schedule.times);
            }
        }
        (executed, total)
    }

    /// For every schedule followed so far: how often, and what each instruction spent in it.
    pub fn replay(&self, core: &C, pipeline: &Pipeline<C>, mut tell: impl FnMut(usize, u64, &Spent)) {
        let all = self
            .passages
            .iter()
            .flat_map(|passage| passage.schedules.iter().map(|schedule| (schedule, &passage.outcomes)));
        for (schedule, outcomes) in all {
            let mut state = pipeline.states[schedule.before as usize].clone();
            for (index, op) in self.ops.iter().enumerate() {
                let at = self.watched.iter().position(|watched| watched.index == index);
                let outcome = at.map_or(USUAL, |at| outcomes[at]);
                let mut spent = Spent::default();
                issue(core, &mut state, op.as_ref(), outcome, &mut spent);
                tell(index, schedule.times, &spent);
            }
        }
    }
}

impl Passage {
    #[inline]
    fn schedule(&mut self, before: u32) -> Option<&mut Schedule> {
        if self.schedules.len() > FEW {
            return self.places.get(&before).map(|&at| &mut self.schedules[at]);
        }
        self.schedules.iter_mut().find(|schedule| schedule.before == before)
    }

    fn keep(&mut self, schedule: Schedule, spent: Spent) {
        self.places.insert(schedule.before, self.schedules.len());
        self.schedules.push(schedule);
        self.spent.push(spent);
    }
}

fn issue<C: Core>(core: &C, state: &mut C::State, op: Option<&C::Op>, outcome: Outcome, spent: &mut Spent) {
    match op {
        Some(op) => core.issue(state, op, outcome, spent),
        None => spent.spend(Cause::Unmodelled, 1),
    }
}
