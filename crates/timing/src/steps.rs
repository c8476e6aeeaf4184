//! Every instruction of a passage through a region, in order, with its cycles.

use rustc_hash::FxHashMap;

use crate::core::Spent;

/// The last passage through a region, instruction by instruction.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    /// Address of each, and the place in [`Steps::spent`] of what it spent.
    pub each: Vec<(u64, u32)>,
    /// What instructions spent, each once.
    pub spent: Vec<Spent>,
    places: FxHashMap<Spent, u32>,
    most: usize,
    /// There were more than fit.
    pub is_cut: bool,
}

impl Steps {
    /// Room for so many instructions.
    pub fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// An instruction was executed.
    pub fn push(&mut self, pc: u64, spent: &Spent) {
        if self.each.len() == self.most {
            self.is_cut = true;
            return;
        }
        let fresh = self.spent.len() as u32;
        let place = *self.places.entry(spent.clone()).or_insert(fresh);
        if place == fresh {
            self.spent.push(spent.clone());
        }
        self.each.push((pc, place));
    }
}
