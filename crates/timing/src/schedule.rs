//! Schedules: what a pipeline made of a stretch of instructions, remembered by the state it was in and by the outcomes.

mod relying;

use rustc_hash::FxHashMap;

use crate::core::{Cause, Core, Outcome, Spent, USUAL};

/// Most states and schedules remembered: beyond, all are forgotten, and computed again.
const MOST: usize = 1 << 18;

/// Most instructions of a stretch: what is unusual about one of them is computed anew for all.
pub const STRETCH: usize = 32;

/// An outcome out of the ordinary, and the instruction of the stretch that had it.
pub type Unusual = (u8, Outcome);

/// Instructions of a block that follow each other, as a core sees them.
pub struct Stretch<C: Core> {
    /// Tells it from all others since schedules were last forgotten.
    pub number: u32,
    /// `None` is one that the core does not have.
    pub ops: Vec<Option<C::Op>>,
    /// Those the core watches, with where their words begin and end.
    pub watched: Vec<Watched>,
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

/// What a schedule depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    stretch: u32,
    /// The state before, by its number.
    before: u32,
    code: u64,
}

struct Schedule {
    key: Key,
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
    pub fn new(remembers: bool) -> Self {
        Self::at(C::State::default(), remembers)
    }

    fn at(state: C::State, remembers: bool) -> Self {
        Self {
            now: 0,
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
    pub fn forget(&mut self) {
        *self = Self::at(self.states[self.now as usize].clone(), self.remembers);
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
        if let Some(place) = self.places.find(&self.schedules, key) {
            let schedule = &mut self.schedules[place];
            schedule.times += 1;
            self.now = schedule.after;
            return schedule.cycles.into();
        }
        let mut total = Spent::default();
        let (cycles, after) =
            self.schedule(core, &stretch.ops, unusual, |_, spent: &Spent| total.add(spent, 1));
        self.schedules.push(Schedule { key, after, cycles: cycles as u32, times: 1 });
        self.spent.push(total);
        self.places.keep(&self.schedules);
        cycles
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
        (cycles, self.become_state(state))
    }

    /// The state now.
    pub fn state(&self) -> &C::State {
        &self.states[self.now as usize]
    }

    /// The next instruction traps.
    pub fn trap(&mut self, core: &mut C, op: Option<&C::Op>, outcome: Outcome) -> Spent {
        let (mut state, mut spent) = (self.states[self.now as usize].clone(), Spent::default());
        core.trap_remembering(&mut state, op, outcome, &mut spent);
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

/// Outcomes as numbers, one to one.
#[derive(Default)]
struct Codes {
    /// Those that do not fit into a number, by what is left of it without its mark.
    long: Vec<Box<[Unusual]>>,
    numbers: FxHashMap<Box<[Unusual]>, u64>,
}

impl Codes {
    /// Marks a number that is a place in [`Codes::long`].
    const LONG: u64 = 1 << 63;
    /// Bits of an outcome, and of it with its instruction.
    const OUTCOME: u32 = u8::BITS;
    const BOTH: u32 = Self::OUTCOME + STRETCH.ilog2();
    const FIT: usize = ((u64::BITS - 1) / Self::BOTH) as usize;

    #[inline]
    fn of(&mut self, unusual: &[Unusual]) -> u64 {
        let fit =
            unusual.len() <= Self::FIT && unusual.iter().all(|(_, outcome)| outcome >> Self::OUTCOME == 0);
        if !fit {
            return self.of_long(unusual);
        }
        let one = |&(index, outcome): &Unusual| u64::from(index) << Self::OUTCOME | u64::from(outcome);
        unusual.iter().fold(0, |code, each| code << Self::BOTH | one(each))
    }

    #[cold]
    fn of_long(&mut self, unusual: &[Unusual]) -> u64 {
        if let Some(&number) = self.numbers.get(unusual) {
            return number;
        }
        let number = self.long.len() as u64 | Self::LONG;
        self.long.push(unusual.into());
        self.numbers.insert(unusual.into(), number);
        number
    }

    fn outcomes(&self, code: u64) -> Vec<Unusual> {
        if code & Self::LONG != 0 {
            return self.long[(code & !Self::LONG) as usize].to_vec();
        }
        let each = (0..Self::FIT as u32).rev().map(|at| code >> (at * Self::BOTH) & ((1 << Self::BOTH) - 1));
        // No outcome is 0, which is the usual one.
        each.filter(|&both| both != 0)
            .map(|both| ((both >> Self::OUTCOME) as u8, (both & 0xff) as Outcome))
            .collect()
    }
}

/// Where schedules are, by their keys: linear probing in a table that is at most half full.
#[derive(Default)]
struct Places {
    /// One more than a place; 0 is none.
    table: Vec<u32>,
}

impl Places {
    const LEAST: usize = 1 << 10;

    #[inline]
    fn slot(&self, key: Key) -> usize {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let both = u64::from(key.stretch) << 32 | u64::from(key.before);
        let mixed = (both.wrapping_mul(ODD) ^ key.code.rotate_left(20)).wrapping_mul(ODD);
        (mixed >> 32) as usize & self.table.len().wrapping_sub(1)
    }

    #[inline]
    fn find(&self, schedules: &[Schedule], key: Key) -> Option<usize> {
        if self.table.is_empty() {
            return None;
        }
        let mut slot = self.slot(key);
        loop {
            let place = (self.table[slot] as usize).checked_sub(1)?;
            if schedules[place].key == key {
                return Some(place);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    /// The last schedule is new.
    fn keep(&mut self, schedules: &[Schedule]) {
        if schedules.len() * 2 > self.table.len() {
            self.table = vec![0; Self::LEAST.max(schedules.len() * 4).next_power_of_two()];
            (0..schedules.len()).for_each(|place| self.insert(schedules, place));
        } else {
            self.insert(schedules, schedules.len() - 1);
        }
    }

    fn insert(&mut self, schedules: &[Schedule], place: usize) {
        let mut slot = self.slot(schedules[place].key);
        while self.table[slot] != 0 {
            slot = (slot + 1) & (self.table.len() - 1);
        }
        self.table[slot] = place as u32 + 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Codes, Key, Places, STRETCH, Schedule};

    proptest! {
        #[test]
        fn outcomes_come_back_from_their_code(
            given in prop::collection::btree_map(0..STRETCH as u8, 1..1_u32 << 17, 0..9),
            small: bool,
        ) {
            let given: Vec<_> = given.into_iter().map(|(at, it)| (at, if small { it & 255 | 1 } else { it })).collect();
            let mut codes = Codes::default();
            let code = codes.of(&given);
            prop_assert_eq!(codes.outcomes(code), given.clone());
            prop_assert_eq!(codes.of(&given), code);
        }

        #[test]
        fn each_schedule_has_one_place(keys in prop::collection::hash_set((0..99_u32, 0..9_u32, 0..5_u64), 1..2000)) {
            let (mut places, mut schedules) = (Places::default(), Vec::new());
            for &(stretch, before, code) in &keys {
                let key = Key { stretch, before, code };
                prop_assert_eq!(places.find(&schedules, key), None);
                schedules.push(Schedule { key, after: 0, cycles: 0, times: 0 });
                places.keep(&schedules);
            }
            for (place, schedule) in schedules.iter().enumerate() {
                prop_assert_eq!(places.find(&schedules, schedule.key), Some(place));
            }
        }
    }
}
