//! Schedules: what a pipeline made of a stretch of instructions, remembered by the state it was in and by the outcomes.

mod codes;
mod places;
mod relying;

use std::cell::Cell;
use std::hint::black_box;

use rustc_hash::FxHashMap;

use crate::core::{Cause, Core, Outcome, Spent, UNTOLD, USUAL};
use codes::Codes;
pub use codes::{STRETCH, Unusual};
use places::Places;

/// Most states and schedules remembered: beyond, all are forgotten, and computed again.
const MOST: usize = 1 << 18;

/// Instructions of a block that follow each other, as a core sees them.
pub struct Stretch<C: Core> {
    /// Tells it from all others since schedules were last forgotten.
    pub number: u32,
    /// `None` is one that the core does not have.
    pub ops: Vec<Option<C::Op>>,
    /// Those the core watches.
    pub watched: Vec<Watched<C::Op>>,
    /// Those of them that it watches even if the lines of all are there.
    pub worked: Vec<Watched<C::Op>>,
    /// [`Core::lines`] when these were last seen to be there.
    pub there: u64,
}

/// A watched instruction of a stretch.
pub struct Watched<Op> {
    /// What the core keeps of it, once more: those that are looked at lie together.
    pub op: Op,
    /// Which.
    pub index: u8,
    /// It is the last one of its block.
    pub is_last: bool,
    /// Its words among those of its block: where they begin, and how many there are.
    pub words: (u16, u8),
    /// Address of the instruction after it in the block.
    pub next: u64,
}

/// What a schedule depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    stretch: u32,
    /// The state before, by its number.
    before: u32,
    code: u64,
}

impl Key {
    /// What tells most keys with the same state apart.
    #[inline]
    const fn tag(self) -> u16 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        ((self.code ^ (self.stretch as u64) << 40).wrapping_mul(ODD) >> 48) as u16
    }
}

/// Schedules that followed another one, the latest first: tags of their keys, and their places.
#[derive(Clone, Copy)]
struct Links {
    tags: [u16; LINKS],
    places: [u32; LINKS],
}

const LINKS: usize = 4;

/// No place.
const NONE: u32 = u32::MAX;

/// A schedule; all that following it takes is in one of the host's lines.
#[repr(align(64))]
struct Schedule {
    key: Key,
    after: u32,
    cycles: u32,
    times: u64,
    /// What the core tells of the state after it ([`Core::tells`]).
    told: u64,
    links: Links,
}

impl Schedule {
    /// Followed once.
    const fn new(key: Key, after: u32, cycles: u32, told: u64) -> Self {
        Self { key, after, cycles, times: 1, told, links: Links { tags: [0; LINKS], places: [NONE; LINKS] } }
    }

    /// Where the schedule of a key may be that followed this one before.
    #[inline]
    fn linked(&self, tag: u16) -> Option<usize> {
        let link = self.links.tags.iter().position(|&each| each == tag)?;
        Some(self.links.places[link] as usize)
    }
}

/// The pipeline of a core and what it has made of stretches so far.
pub struct Pipeline<C: Core> {
    /// The state now, by its number.
    now: u32,
    /// What the core tells of it.
    told: u64,
    /// The schedule that led to it; [`NONE`] if none did.
    last: u32,
    states: Vec<C::State>,
    numbers: FxHashMap<C::State, u32>,
    schedules: Vec<Schedule>,
    /// What each of them spends.
    spent: Vec<Spent>,
    /// What each relies on, if [`Core::RELIES`].
    relied: Vec<relying::Found>,
    places: Places,
    codes: Codes,
    remembers: bool,
}

impl<C: Core> Pipeline<C> {
    pub fn new(core: &C, remembers: bool) -> Self {
        Self::at(core, C::State::default(), remembers)
    }

    fn at(core: &C, state: C::State, remembers: bool) -> Self {
        Self {
            now: 0,
            told: core.tells(&state),
            last: NONE,
            numbers: FxHashMap::from_iter([(state.clone(), 0)]),
            states: vec![state],
            schedules: Vec::new(),
            spent: Vec::new(),
            relied: Vec::new(),
            places: Places::default(),
            codes: Codes::default(),
            remembers,
        }
    }

    /// True if all that is known should be forgotten: then call [`Pipeline::forget`].
    pub const fn is_full(&self) -> bool {
        self.schedules.len() + self.states.len() > MOST
    }

    /// Keeps the state, and nothing else: stretches have other numbers from now on.
    pub fn forget(&mut self, core: &C) {
        *self = Self::at(core, self.states[self.now as usize].clone(), self.remembers);
    }

    /// Tells the core what became of what it looked at so far.
    #[inline]
    pub fn settle(&self, core: &mut C) {
        if self.told == UNTOLD {
            core.settle(self.state());
        } else {
            core.settle_by(self.told);
        }
    }

    /// Cycles of the first instructions of a stretch, with these outcomes; the others are [`USUAL`].
    ///
    /// What is not remembered is told instruction by instruction; of what is, [`Pipeline::totals`] and
    /// [`Pipeline::replay`] tell later. `again` says that the stretch may be executed again.
    pub fn pass(
        &mut self,
        core: &mut C,
        stretch: &Stretch<C>,
        length: usize,
        unusual: &[Unusual],
        again: bool,
        tell: impl FnMut(usize, &Spent),
    ) -> u64 {
        if C::RELIES {
            return self.pass_relying(core, stretch, length, unusual, again, tell);
        }
        if !(again && self.remembers && length == stretch.ops.len()) {
            return self.schedule(core, &stretch.ops[..length], unusual, tell).0;
        }
        let key = Key { stretch: stretch.number, before: self.now, code: self.codes.of(unusual) };
        if let Some(place) = self.find(key) {
            return self.go(place);
        }
        let before = self.last;
        let mut total = Spent::default();
        let (cycles, after) =
            self.schedule(core, &stretch.ops, unusual, |_, spent: &Spent| total.add(spent, 1));
        self.keep(before, Schedule::new(key, after, cycles as u32, self.told), total);
        cycles
    }

    /// Where the schedule of a key is, which is that of the state now.
    #[inline]
    fn find(&mut self, key: Key) -> Option<usize> {
        let tag = key.tag();
        if let Some(last) = self.schedules.get(self.last as usize)
            && let Some(place) = last.linked(tag)
            && self.schedules.get(place).is_some_and(|schedule| schedule.key == key)
        {
            return Some(place);
        }
        self.find_unlinked(key)
    }

    #[inline(never)]
    fn find_unlinked(&mut self, key: Key) -> Option<usize> {
        let place = self.places.find(&self.schedules, key)?;
        self.link(self.last, place);
        Some(place)
    }

    fn link(&mut self, before: u32, place: usize) {
        let tag = self.schedules[place].key.tag();
        if let Some(Schedule { links: Links { tags, places }, .. }) = self.schedules.get_mut(before as usize)
        {
            (*tags, *places) =
                ([tag, tags[0], tags[1], tags[2]], [place as u32, places[0], places[1], places[2]]);
        }
    }

    /// Follows a schedule; its cycles.
    #[inline]
    fn go(&mut self, place: usize) -> u64 {
        let schedule = &mut self.schedules[place];
        schedule.times += 1;
        (self.now, self.told, self.last) = (schedule.after, schedule.told, place as u32);
        let (cycles, next) = (schedule.cycles, schedule.links.places[0]);
        // Most likely followed next: its line is on its way to the host's cache while the core looks at executions.
        black_box(self.schedules.get(next as usize).map(|schedule| schedule.key.code));
        cycles.into()
    }

    /// Remembers a schedule that was followed after another one.
    fn keep(&mut self, before: u32, schedule: Schedule, spent: Spent) {
        let place = self.schedules.len();
        self.schedules.push(schedule);
        self.spent.push(spent);
        self.places.keep(&self.schedules);
        self.link(before, place);
        self.last = place as u32;
    }

    fn schedule(
        &mut self,
        core: &C,
        ops: &[Option<C::Op>],
        unusual: &[Unusual],
        mut tell: impl FnMut(usize, &Spent),
    ) -> (u64, u32) {
        let mut state = self.states[self.now as usize].clone();
        let mut cycles = 0;
        let issue = |state: &mut _, op: &_, outcome, spent: &mut _| core.issue(state, op, outcome, spent);
        issue_all::<C>(issue, &mut state, ops, unusual, |index, spent| {
            cycles += spent.cycles();
            tell(index, spent);
        });
        (cycles, self.become_state(core, state))
    }

    /// Cycles of instructions about some of which the memory is asked, each at its time; `now` is when they begin.
    pub fn ask(
        &mut self,
        core: &mut C,
        ops: &[Option<C::Op>],
        unusual: &[Unusual],
        now: u64,
        mut tell: impl FnMut(usize, &Spent),
    ) -> u64 {
        let mut state = self.states[self.now as usize].clone();
        let cycles = Cell::new(0);
        let issue = |state: &mut C::State, op: &C::Op, outcome, spent: &mut Spent| {
            core.ask(state, op, outcome, now + cycles.get());
            core.issue_remembering(state, op, outcome, spent);
        };
        issue_all::<C>(issue, &mut state, ops, unusual, |index, spent| {
            cycles.set(cycles.get() + spent.cycles());
            tell(index, spent);
        });
        self.become_state(core, state);
        cycles.get()
    }

    /// The state now.
    pub fn state(&self) -> &C::State {
        &self.states[self.now as usize]
    }

    /// The next instruction traps, at a cycle.
    pub fn trap(&mut self, core: &mut C, op: Option<&C::Op>, outcome: Outcome, now: u64) -> Spent {
        let (mut state, mut spent) = (self.states[self.now as usize].clone(), Spent::default());
        if let Some(op) = op.filter(|_| core.awaits()) {
            core.ask(&state, op, outcome, now);
        }
        core.trap_remembering(&mut state, op, outcome, &mut spent);
        self.become_state(core, state);
        spent
    }

    /// The state now; its number.
    fn become_state(&mut self, core: &C, state: C::State) -> u32 {
        self.told = core.tells(&state);
        self.last = NONE;
        self.now = if let Some(&number) = self.numbers.get(&state) {
            number
        } else {
            let fresh = self.states.len() as u32;
            self.states.push(state.clone());
            self.numbers.insert(state, fresh);
            fresh
        };
        self.now
    }

    /// For every schedule followed so far: the number of its stretch, how often, and what the stretch spends in it.
    pub fn totals(&self) -> impl Iterator<Item = (u32, u64, &Spent)> {
        self.schedules.iter().zip(&self.spent).map(|(it, spent)| (it.key.stretch, it.times, spent))
    }

    /// For every schedule followed so far of a stretch that `stretch` finds by its number: how often, and what each
    /// instruction spent in it.
    pub fn replay<'s>(
        &self,
        core: &C,
        stretch: impl Fn(u32) -> Option<&'s Stretch<C>>,
        mut tell: impl FnMut(u32, usize, u64, &Spent),
    ) where
        C: 's,
    {
        for Schedule { key, times, .. } in &self.schedules {
            let Some(found) = stretch(key.stretch) else { continue };
            let mut state = self.states[key.before as usize].clone();
            let unusual = self.codes.outcomes(key.code);
            let issue = |state: &mut _, op: &_, outcome, spent: &mut _| core.issue(state, op, outcome, spent);
            issue_all::<C>(issue, &mut state, &found.ops, &unusual, |index, spent| {
                tell(key.stretch, index, *times, spent);
            });
        }
    }
}

fn issue_all<C: Core>(
    mut issue: impl FnMut(&mut C::State, &C::Op, Outcome, &mut Spent),
    state: &mut C::State,
    ops: &[Option<C::Op>],
    unusual: &[Unusual],
    mut tell: impl FnMut(usize, &Spent),
) {
    let mut unusual = unusual.iter().peekable();
    for (index, op) in ops.iter().enumerate() {
        let outcome =
            unusual.next_if(|(at, _)| usize::from(*at) == index).map_or(USUAL, |&(_, outcome)| outcome);
        let mut spent = Spent::default();
        match op {
            Some(op) => issue(state, op, outcome, &mut spent),
            None => spent.spend(Cause::Unmodelled, 1),
        }
        tell(index, &spent);
    }
}
