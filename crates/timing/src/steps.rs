//! Every instruction of a passage through a region, in order, with its cycles.

use rustc_hash::FxHashMap;

use crate::core::Spent;

/// The last passage through a region, instruction by instruction.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    /// The address of each, and the index of its cycles in [`Steps::spent`].
    pub each: Vec<(u64, u32)>,
    /// The distinct accounts of instructions' cycles.
    pub spent: Vec<Spent>,
    places: FxHashMap<Spent, u32>,
    /// Before the first instruction.
    early: Spent,
    most: usize,
    /// True if there were more than fit.
    pub is_cut: bool,
}

impl Steps {
    /// Room for this many instructions.
    pub fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// An instruction was executed.
    pub fn push(&mut self, pc: u64, spent: &Spent) {
        if self.each.len() == self.most {
            self.is_cut = true;
            return;
        }
        let mut spent = spent.clone();
        spent.add(&std::mem::take(&mut self.early), 1);
        let place = self.place(spent);
        self.each.push((pc, place));
    }

    /// An instruction trapped and did not retire: its cycles count for the one before it.
    pub fn push_trap(&mut self, spent: &Spent) {
        if self.is_cut {
            return;
        }
        let Some(&(_, place)) = self.each.last() else { return self.early.add(spent, 1) };
        let mut both = self.spent[place as usize].clone();
        both.add(spent, 1);
        let place = self.place(both);
        if let Some((_, last)) = self.each.last_mut() {
            *last = place;
        }
    }

    fn place(&mut self, spent: Spent) -> u32 {
        let fresh = self.spent.len() as u32;
        let place = *self.places.entry(spent.clone()).or_insert(fresh);
        if place == fresh {
            self.spent.push(spent);
        }
        place
    }
}

/// The steps that are or were kept.
#[derive(Default, Debug)]
pub struct Kept {
    steps: Option<Steps>,
    is_open: bool,
}

impl Kept {
    /// Starts to keep what is executed, and drops what was kept before.
    pub fn begin(&mut self, most: usize) {
        *self = Self { steps: Some(Steps::new(most)), is_open: true };
    }

    /// Stops keeping.
    pub const fn end(&mut self) {
        self.is_open = false;
    }

    /// True if what is executed is kept.
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Where to keep it, if it is to be kept.
    pub fn open(&mut self) -> Option<&mut Steps> {
        self.steps.as_mut().filter(|_| self.is_open)
    }

    /// What was kept.
    pub const fn take(&mut self) -> Option<Steps> {
        self.steps.take()
    }
}
