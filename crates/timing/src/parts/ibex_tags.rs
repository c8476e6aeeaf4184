//! Which lines Ibex's instruction cache holds: 4 KiB in two ways of 8-byte lines (`ibex_pkg.sv`, `IC_*`).
//!
//! Which line is looked up, and when, depends on how far fetching has proceeded, so fetch sides look up lines themselves.

use crate::core::Relied;

const SETS: u32 = 256;
const WAYS: usize = 2;
/// No line has this number.
const NONE: u32 = u32::MAX;
/// Bytes of a line, as a shift.
const LINE: u32 = 3;

/// The number of an address's line.
pub const fn line(address: u32) -> u32 {
    address >> LINE
}

/// A lookup's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Looked {
    /// The line is there.
    pub hit: bool,
    /// The way it is put in if it is not.
    pub way: u8,
}

/// The tags, as a fetch side sees them.
pub trait Lines {
    /// A lookup.
    fn look(&mut self, line: u32) -> Looked;

    /// A line that was missing has come.
    fn put(&mut self, line: u32, way: u8);

    /// All lines are dropped.
    fn empty(&mut self);
}

/// The tags themselves.
#[derive(Clone)]
pub struct Tags {
    sets: Vec<[u32; WAYS]>,
    /// The way that is replaced next if both hold a line: `round_robin_way_q`, which every lookup advances.
    turn: u8,
    /// Changes whenever a line leaves.
    epoch: u64,
}

impl Default for Tags {
    fn default() -> Self {
        Self { sets: vec![[NONE; WAYS]; SETS as usize], turn: 0, epoch: 0 }
    }
}

impl Tags {
    fn set(&mut self, line: u32) -> &mut [u32; WAYS] {
        &mut self.sets[(line % SETS) as usize]
    }

    /// True if it has all of these lines.
    pub fn hold(&self, lines: &[u32]) -> bool {
        lines.iter().all(|line| self.sets[(line % SETS) as usize].contains(line))
    }

    /// This many lines were looked up and present.
    pub const fn pass(&mut self, lookups: usize) {
        self.turn ^= (lookups % WAYS) as u8;
    }

    /// While it is unchanged, no line has left.
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }
}

impl Lines for Tags {
    fn look(&mut self, line: u32) -> Looked {
        let turn = self.turn;
        let set = self.set(line);
        let free = set.iter().position(|&held| held == NONE);
        let looked = Looked { hit: set.contains(&line), way: free.map_or(turn, |way| way as u8) };
        self.pass(1);
        looked
    }

    fn put(&mut self, line: u32, way: u8) {
        let place = &mut self.set(line)[usize::from(way)];
        let left = std::mem::replace(place, line);
        self.epoch += u64::from(left != NONE && left != line);
    }

    fn empty(&mut self) {
        self.sets.fill([NONE; WAYS]);
        self.epoch += 1;
    }
}

/// Assumes that all lines are present, and checks the tags.
pub struct Relying<'t> {
    /// None says that they are.
    pub tags: Option<&'t Tags>,
    /// Those looked up.
    pub relied: &'t mut Relied,
}

impl Lines for Relying<'_> {
    fn look(&mut self, line: u32) -> Looked {
        self.relied.on.push(line);
        self.relied.broken |= self.tags.is_some_and(|tags| !tags.hold(&[line]));
        Looked { hit: true, way: 0 }
    }

    fn put(&mut self, _: u32, _: u8) {
        self.relied.broken = true;
    }

    fn empty(&mut self) {
        self.relied.broken = true;
    }
}

/// For a fetch side without a cache.
pub struct Nothing;

impl Lines for Nothing {
    fn look(&mut self, _: u32) -> Looked {
        Looked { hit: false, way: 0 }
    }

    fn put(&mut self, _: u32, _: u8) {}

    fn empty(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::{Lines, Looked, SETS, Tags};

    #[test]
    fn invalid_ways_come_first_and_then_ways_take_turns() {
        let mut tags = Tags::default();
        let [a, b, c] = [7, 7 + SETS, 7 + 2 * SETS];
        assert_eq!(tags.look(a), Looked { hit: false, way: 0 });
        tags.put(a, 0);
        assert_eq!(tags.look(b), Looked { hit: false, way: 1 });
        tags.put(b, 1);
        assert_eq!(tags.epoch(), 0);
        assert_eq!(tags.look(c), Looked { hit: false, way: 0 });
        // Every lookup passes the turn on, a hit as well.
        assert!(tags.look(a).hit);
        assert_eq!(tags.look(c), Looked { hit: false, way: 0 });
        assert_eq!(tags.look(c), Looked { hit: false, way: 1 });
        tags.put(c, 1);
        assert_eq!(tags.epoch(), 1);
        assert!(tags.hold(&[a, c]) && !tags.hold(&[b]));
        tags.empty();
        assert!(!tags.hold(&[a]));
    }
}
