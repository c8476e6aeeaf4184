//! What a core is that does one access at a time.

use std::ops::Range;

use hart::pages::Change;

use super::block::Accessing;
use super::cycles::Cycles;
use super::run::{Place, Runs};
use super::touches::Touching;
use crate::core::Event;
use crate::instruction::Instruction;
use crate::memory::Seen;

/// An access of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The fetch of this number.
    Fetch(u64),
    /// That to data at an address, if there is one.
    Data(Option<u64>),
}

/// A core that waits for each of its accesses.
pub trait Serial {
    /// What it keeps of an instruction.
    type Op;
    /// What it keeps of an access to data.
    type Access: Copy;

    /// Something became of pages that no instruction did.
    fn pages_changed(&mut self, change: &Change);

    /// What it needs of an instruction; `before` is the one before it in its block.
    fn prepare(&self, instruction: &Instruction, before: Option<&Self::Op>) -> Self::Op;

    /// What an instruction takes that needs no look; [`Serial::look`] tells by how much others differ.
    fn usual(&self, op: &Self::Op) -> Cycles;

    /// True if it must be looked at.
    fn watches(&self, op: &Self::Op) -> bool;

    /// An execution that begins at a cycle, while no other hart runs; what it takes beyond the usual.
    fn look(&mut self, hart: usize, op: &Self::Op, event: &Event<'_>, cycle: u64) -> Cycles {
        let (fetched, more) = self.look_at_fetch(hart, op, cycle);
        more.and(self.look_at_data(hart, op, event, fetched))
    }

    /// Its fetches: when they are over, and what they take beyond the usual.
    fn look_at_fetch(&mut self, hart: usize, op: &Self::Op, cycle: u64) -> (u64, Cycles);

    /// Its access to data, which begins at a cycle; what that takes beyond the usual.
    fn look_at_data(&mut self, hart: usize, op: &Self::Op, event: &Event<'_>, cycle: u64) -> Cycles;

    /// As long as this is the same, what was looked at while it was may be fetched again in the usual time, which changes
    /// nothing; `None` if that cannot be told.
    fn fetch_changes(&self, hart: usize) -> Option<u64>;

    /// An instruction's access to data.
    fn access_of(&self, op: &Self::Op) -> Option<Self::Access>;

    /// Accesses one after the other, as long as each takes the usual time and changes nothing else; how many are done.
    /// `words` are those of a record.
    fn access_last(&mut self, hart: usize, accessing: &[Accessing<Self::Access>], words: &[u64]) -> usize;

    /// The virtual line of one of its fetches, if [`Serial::touch`] can tell what hits.
    fn line_fetched(&self, op: &Self::Op, fetch: u64) -> Option<u64>;

    /// Touches lines one after the other, as long as each hits in the hart's own caches without any other hart; how many
    /// are done. One that is not may be touched all the same. `words` are those of a record.
    fn touch(&mut self, hart: usize, touches: &[Touching<Self::Access>], words: &[u64]) -> usize;

    /// The bytes of the words that it fetches, where many in a row are worth looking at together; they are so as long as
    /// they are in one page ([`crate::memory::pages::PAGE`]).
    fn span(&self, op: &Self::Op) -> Option<Range<u64>>;

    /// Times runs from a place and a cycle on, until an instruction must be looked at alone, or what it accesses; where
    /// that is. `late` hears which of all instructions that must be looked at take more than the usual time, or less, and
    /// how much.
    fn pass_runs(
        &mut self,
        hart: usize,
        runs: &Runs<'_, Self::Op>,
        place: Place,
        cycle: u64,
        late: impl FnMut(usize, Cycles),
    ) -> Place;

    /// An instruction begins at a cycle, and traps, while no other hart runs; what that takes.
    fn trap(&mut self, hart: usize, op: &Self::Op, cycle: u64) -> Cycles;

    /// Harts that there are.
    fn harts(&self) -> usize;

    /// Fetches of an instruction, one after the other; of one that traps, or that is executed and must be looked at.
    fn fetches(&self, op: &Self::Op, traps: bool) -> u64;

    /// Cycles of one of an instruction's accesses if no other hart can notice it, which it is done with then.
    fn step_alone(&mut self, hart: usize, op: &Self::Op, step: Step) -> Option<u64>;

    /// One of an instruction's accesses that begins at a cycle, and others may notice; the cycle at which it is over.
    fn step(&mut self, hart: usize, op: &Self::Op, step: Step, cycle: u64) -> u64;

    /// Fetches and data accesses of an execution.
    fn accesses(&self, op: &Self::Op) -> [u64; 2];

    /// What the parts of its memory saw, of this many fetches and data accesses.
    fn seen(&self, accesses: [u64; 2]) -> Vec<Seen>;
}

pub const fn both(one: [u64; 2], other: [u64; 2]) -> [u64; 2] {
    [one[0] + other[0], one[1] + other[1]]
}
