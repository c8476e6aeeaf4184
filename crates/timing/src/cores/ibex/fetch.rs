//! The fetch side of Ibex: what its second stage sees of it.

use std::hash::Hash;

use crate::parts::ibex_tags::{Lines, Nothing};

/// The instruction that the second stage takes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Its address.
    pub pc: u32,
    /// It has 4 bytes, not 2.
    pub long: bool,
}

impl Wanted {
    /// It begins in the upper half of a word.
    pub const fn upper(self) -> bool {
        self.pc & 2 != 0
    }

    /// It is in two words.
    pub const fn across(self) -> bool {
        self.long && self.upper()
    }
}

/// A redirection to an instruction that is not yet known (`pc_set`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Redirect {
    /// `fence.i`, by which the cache is emptied: cycles for which it asks again.
    pub empties: Option<u32>,
}

/// Cycles of which the fetch side has not been told, as what they are like depends on the next instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Untold {
    /// The first.
    pub redirect: Option<Redirect>,
    /// Those after it, in which the second stage is busy.
    pub busy: u32,
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Cycle {
    /// Fetching goes on there.
    pub to: Option<u32>,
    /// With that the cache is emptied.
    pub empties: Option<u32>,
    /// The second stage takes an instruction if there is one.
    pub ready: bool,
    /// Which, if it is known.
    pub wanted: Option<Wanted>,
}

impl Cycle {
    /// The second stage is busy.
    pub const BUSY: Self = Self { to: None, empties: None, ready: false, wanted: None };
}

/// A fetch side.
pub trait Fetch {
    /// Relative to now.
    type State: Clone + Eq + Hash + Default;

    /// It looks lines up.
    const CACHED: bool = false;

    /// Out of reset, before the redirection to the boot address.
    fn reset(&self) -> Self::State;

    /// The boot code enables the cache in this cycle.
    fn enable(&self, state: &mut Self::State) {
        let _ = state;
    }

    /// What has not been told the fetch side happens, and then cycles go by until the second stage has got what it wants;
    /// the one in which it could take it for the first time counts as none.
    fn take(&self, state: &mut Self::State, untold: Untold, wanted: Wanted, lines: &mut impl Lines) -> u32;

    /// The same of an instruction that redirects as soon as the first stage has it, by prediction: cycles until the
    /// second stage takes it, and cycles from the redirection until then.
    fn take_foreseen(
        &self,
        state: &mut Self::State,
        untold: Untold,
        wanted: Wanted,
        target: u32,
        lines: &mut impl Lines,
    ) -> (u32, u32);

    /// A redirection that will be followed by another.
    fn redirect(&self, state: &mut Self::State, to: u32, lines: &mut impl Lines);

    /// The second stage is busy for some cycles.
    fn busy(&self, state: &mut Self::State, cycles: u32, lines: &mut impl Lines);
}

/// A fetch side that is described cycle by cycle.
pub trait Stepped {
    /// Relative to now.
    type State;

    /// A cycle; true if the second stage takes an instruction.
    fn step(&self, state: &mut Self::State, cycle: Cycle, lines: &mut impl Lines) -> bool;

    /// The second stage is busy, with what it wants next.
    fn step_redirect(
        &self,
        state: &mut Self::State,
        redirect: Option<Redirect>,
        wanted: Wanted,
        lines: &mut impl Lines,
    ) {
        if let Some(Redirect { empties }) = redirect {
            let cycle = Cycle { to: Some(wanted.pc), empties, wanted: Some(wanted), ready: false };
            self.step(state, cycle, lines);
        }
    }

    /// [`Fetch::take`].
    fn step_until_taken(
        &self,
        state: &mut Self::State,
        untold: Untold,
        wanted: Wanted,
        lines: &mut impl Lines,
    ) -> u32 {
        self.step_redirect(state, untold.redirect, wanted, lines);
        let cycle = Cycle { wanted: Some(wanted), ..Cycle::BUSY };
        (0..untold.busy).for_each(|_| {
            self.step(state, cycle, lines);
        });
        let mut waited = 0;
        while !self.step(state, Cycle { ready: true, ..cycle }, lines) {
            waited += 1;
        }
        waited
    }

    /// [`Fetch::take_foreseen`].
    fn step_until_foreseen(
        &self,
        state: &mut Self::State,
        untold: Untold,
        wanted: Wanted,
        target: u32,
        lines: &mut impl Lines,
    ) -> (u32, u32)
    where
        Self::State: Clone,
    {
        self.step_redirect(state, untold.redirect, wanted, lines);
        let cycle = Cycle { wanted: Some(wanted), ..Cycle::BUSY };
        let mut passed = 0;
        // Whether it is there does not depend on what is looked up in the same cycle.
        while !self.step(&mut state.clone(), Cycle { ready: true, ..cycle }, &mut Nothing) {
            self.step(state, cycle, lines);
            passed += 1;
        }
        self.step(state, Cycle { to: Some(target), ..cycle }, lines);
        (u32::saturating_sub(passed, untold.busy), untold.busy.saturating_sub(passed))
    }
}

/// Answers of a pipelined bus that are still to come: cycles until each, in order; 0 is this cycle.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Answers<T> {
    due: std::collections::VecDeque<(u32, T)>,
}

impl<T> Answers<T> {
    /// The answer of this cycle.
    pub fn now(&self) -> Option<&T> {
        self.due.front().filter(|(cycles, _)| *cycles == 0).map(|(_, what)| what)
    }

    /// Those to come, that of this cycle included.
    pub fn outstanding(&self) -> usize {
        self.due.len()
    }

    /// All of them.
    pub fn each(&mut self) -> impl Iterator<Item = &mut T> {
        self.due.iter_mut().map(|(_, what)| what)
    }

    /// A cycle ends, in which this was asked for.
    pub fn go_on(&mut self, asked: Option<T>, latency: u32) {
        if self.now().is_some() {
            self.due.pop_front();
        }
        if let Some(what) = asked {
            self.due.push_back((latency, what));
        }
        for (cycles, _) in &mut self.due {
            *cycles -= 1;
        }
    }
}
