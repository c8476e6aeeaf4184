//! Which lines a set-associative cache holds, and which of them were written.

/// Which line of a set goes when another needs its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replacement {
    /// The one that was least recently used.
    Lru,
    /// The one that a tree of bits points to, each away from what was used last.
    TreePlru,
    /// Any, by a linear-feedback shift register.
    Random,
}

/// A line that was held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its address divided by its size.
    pub number: u64,
    /// It differs from what is in the memory below.
    pub written: bool,
}

const NONE: Line = Line { number: u64::MAX, written: false };

/// Where a line was held.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The line's address divided by its size.
    pub number: u64,
    place: u32,
}

impl Held {
    /// No line.
    pub const NOWHERE: Self = Self { number: NONE.number, place: 0 };
}

/// What became of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// The line is there.
    Hit,
    /// It was not, and took a place: a free one, or that of another line.
    Miss(Option<Line>),
}

/// The lines of a write-back cache that allocates on writes.
#[derive(Clone, Debug)]
pub struct Lines {
    /// By set; with [`Replacement::Lru`] the most recent of a set first.
    lines: Vec<Line>,
    /// Of each set, if it has a tree.
    trees: Vec<u64>,
    /// Of each way, if sets have trees: the bits on the way to it, and what they are to be when it was used.
    paths: Vec<(u64, u64)>,
    register: u32,
    replacement: Replacement,
    /// Free places are taken in their order, whatever the replacement says.
    in_order: bool,
    ways: usize,
    sets: u64,
    /// Bits of an address within a line.
    line: u32,
    changes: u64,
}

impl Lines {
    /// No lines; sets and bytes of a line are powers of two, and so are the ways of a tree, 64 at most.
    pub fn new(sets: usize, ways: usize, line_bytes: u64, replacement: Replacement) -> Self {
        let sets = sets.next_power_of_two();
        Self {
            lines: vec![NONE; sets * ways],
            trees: vec![0; if replacement == Replacement::TreePlru { sets } else { 0 }],
            paths: if replacement == Replacement::TreePlru { paths(ways) } else { Vec::new() },
            register: 1,
            replacement,
            in_order: replacement == Replacement::Random,
            ways,
            sets: sets as u64,
            line: line_bytes.next_power_of_two().trailing_zeros(),
            changes: 0,
        }
    }

    /// As long as this is the same, lines that were read while it was may be read again in the same order, which hits and
    /// leaves all as it is.
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// Free places are taken in their order.
    #[must_use]
    pub fn filled_in_order(self) -> Self {
        Self { in_order: true, ..self }
    }

    /// The line of an address.
    pub const fn number(&self, address: u64) -> u64 {
        address >> self.line
    }

    /// The address of a line.
    pub const fn address(&self, number: u64) -> u64 {
        number << self.line
    }

    /// Bytes of a line.
    pub const fn line_bytes(&self) -> u64 {
        1 << self.line
    }

    /// The set of a line.
    pub const fn set(&self, number: u64) -> usize {
        (number & (self.sets - 1)) as usize
    }

    /// Accesses the line of an address, which takes a place if it has none.
    #[inline]
    pub fn touch(&mut self, address: u64, writes: bool) -> Touch {
        let number = self.number(address);
        let set = self.set(number);
        let begin = set * self.ways;
        // What was used last is used again most often.
        if self.lines[begin].number == number && self.replacement == Replacement::Lru {
            self.lines[begin].written |= writes;
            return Touch::Hit;
        }
        self.touch_set(set, number, writes)
    }

    /// Accesses a line if it is the one of its set that was used last, which leaves all but what is written as it is.
    #[inline]
    pub fn touch_last(&mut self, address: u64, writes: bool) -> bool {
        let number = self.number(address);
        let begin = self.set(number) * self.ways;
        let line = &mut self.lines[begin];
        let is_last = line.number == number && self.replacement == Replacement::Lru;
        if is_last {
            line.written |= writes;
        }
        is_last
    }

    /// The set of an address's line, and whether that is written, if it was used last there and decides so what goes.
    pub fn used_last(&self, address: u64) -> Option<(usize, bool)> {
        let number = self.number(address);
        let set = self.set(number);
        let line = self.lines[set * self.ways];
        (line.number == number && self.replacement == Replacement::Lru).then_some((set, line.written))
    }

    fn touch_set(&mut self, set: usize, number: u64, writes: bool) -> Touch {
        let ways = &mut self.lines[set * self.ways..(set + 1) * self.ways];
        let found = ways.iter().position(|held| held.number == number);
        // At random, a hit changes nothing.
        self.changes += u64::from(found.is_none() || self.replacement != Replacement::Random);
        let place = match (self.replacement, found) {
            (Replacement::Lru, _) => {
                ways[..=found.unwrap_or(self.ways - 1)].rotate_right(1);
                0
            }
            (_, Some(place)) => place,
            (_, None) => match ways.iter().position(|held| *held == NONE) {
                Some(free) if self.in_order => free,
                _ => self.victim(set),
            },
        };
        if self.replacement == Replacement::TreePlru {
            self.point_away(set, place);
        }
        let held = &mut self.lines[set * self.ways + place];
        if found.is_some() {
            held.written |= writes;
            return Touch::Hit;
        }
        let gone = std::mem::replace(held, Line { number, written: writes });
        Touch::Miss((gone != NONE).then_some(gone))
    }

    /// The place that a line will take that has none.
    fn victim(&mut self, set: usize) -> usize {
        if self.replacement == Replacement::Random {
            self.register = self.register >> 1 ^ (self.register & 1).wrapping_neg() & 0xb400;
            return self.register as usize % self.ways;
        }
        let tree = self.trees[set];
        let mut node = 0;
        while node < self.ways - 1 {
            node = 2 * node + 1 + (tree >> node & 1) as usize;
        }
        node - (self.ways - 1)
    }

    #[inline]
    fn point_away(&mut self, set: usize, way: usize) {
        let (bits, away) = self.paths[way];
        let tree = &mut self.trees[set];
        *tree = *tree & !bits | away;
    }

    /// Where a line is held of which [`Lines::touch_held`] can tell that it still is.
    #[inline]
    pub fn held(&self, address: u64) -> Option<Held> {
        let number = self.number(address);
        let begin = self.set(number) * self.ways;
        let way = self.lines[begin..begin + self.ways].iter().position(|held| held.number == number)?;
        Some(Held { number, place: (begin + way) as u32 })
    }

    /// Accesses a line that is held still, and may be written if it is to be.
    #[inline]
    pub fn touch_held(&mut self, held: Held, writes: bool) -> bool {
        let set = self.set(held.number);
        let begin = set * self.ways;
        if self.replacement == Replacement::Lru {
            return self.touch_recent(begin, held.number, writes);
        }
        let place = held.place as usize;
        let line = self.lines[place];
        if line.number != held.number || writes && !line.written {
            return false;
        }
        if self.replacement == Replacement::TreePlru {
            let before = self.trees[set];
            self.point_away(set, place - begin);
            self.changes += u64::from(self.trees[set] != before);
        }
        true
    }

    /// The same if lines move within their set.
    #[inline]
    fn touch_recent(&mut self, begin: usize, number: u64, writes: bool) -> bool {
        let ways = &mut self.lines[begin..begin + self.ways];
        let Some(way) = ways.iter().position(|line| line.number == number) else { return false };
        if writes && !ways[way].written {
            return false;
        }
        if way != 0 {
            ways[..=way].rotate_right(1);
            self.changes += 1;
        }
        true
    }

    /// Whether the line is held, and if so, whether it was written.
    #[inline]
    pub fn state(&self, address: u64) -> Option<bool> {
        let number = self.number(address);
        let begin = self.set(number) * self.ways;
        let held = self.lines[begin..begin + self.ways].iter().find(|held| held.number == number);
        held.map(|held| held.written)
    }

    /// The line is held no longer.
    pub fn drop_line(&mut self, address: u64) {
        if let Some(line) = self.find(address) {
            *line = NONE;
            self.changes += 1;
        }
    }

    fn find(&mut self, address: u64) -> Option<&mut Line> {
        let number = self.number(address);
        let begin = self.set(number) * self.ways;
        self.lines[begin..begin + self.ways].iter_mut().find(|held| held.number == number)
    }

    /// The line is as it is in the memory below from now on; whether it was not.
    pub fn take_written(&mut self, address: u64) -> bool {
        self.find(address).is_some_and(|line| std::mem::take(&mut line.written))
    }

    /// The line is held, and was written.
    pub fn set_written(&mut self, address: u64) {
        if let Some(line) = self.find(address) {
            line.written = true;
        }
    }

    /// All that decides about accesses to come.
    #[cfg(test)]
    pub fn contents(&self) -> (&[Line], &[u64], u32) {
        (&self.lines, &self.trees, self.register)
    }

    /// Drops every line.
    pub fn empty(&mut self) {
        self.lines.fill(NONE);
        self.changes += 1;
    }
}

/// [`Lines::paths`] of so many ways.
fn paths(ways: usize) -> Vec<(u64, u64)> {
    let path = |way: usize| {
        let (mut node, mut bits, mut away) = (way + ways - 1, 0, 0);
        while node != 0 {
            let is_right = node.is_multiple_of(2);
            node = (node - 1) / 2;
            bits |= 1 << node;
            away |= u64::from(!is_right) << node;
        }
        (bits, away)
    };
    (0..ways).map(path).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Line, Lines, Replacement, Touch};

    /// Least recently used, by lists.
    fn model(accesses: &[(u64, bool)], sets: u64, ways: usize) -> Vec<Touch> {
        let mut held: Vec<Vec<Line>> = vec![Vec::new(); sets as usize];
        let mut touches = Vec::new();
        for &(number, writes) in accesses {
            let set = &mut held[(number % sets) as usize];
            let before = set.iter().position(|line| line.number == number).map(|at| set.remove(at));
            let written = writes || before.is_some_and(|line| line.written);
            set.push(Line { number, written });
            touches.push(match before {
                Some(_) => Touch::Hit,
                None => Touch::Miss((set.len() > ways).then(|| set.remove(0))),
            });
        }
        touches
    }

    proptest! {
        #[test]
        fn the_least_recently_used_goes(
            accesses in prop::collection::vec((0..40_u64, any::<bool>()), 0..300), bits in 0..3_u32, ways in 1..5_usize,
        ) {
            let mut lines = Lines::new(1 << bits, ways, 64, Replacement::Lru);
            let touches: Vec<_> = accesses.iter().map(|&(number, writes)| lines.touch(number * 64 + 7, writes)).collect();
            prop_assert_eq!(touches, model(&accesses, 1 << bits, ways));
        }

        #[test]
        fn what_changes_nothing_may_be_left_out(
            accesses in prop::collection::vec((0..12_u64, 1..4_u64), 0..200), ways in 0..3_u32, kind in 0..3_u8,
        ) {
            let replacement = [Replacement::Lru, Replacement::TreePlru, Replacement::Random][usize::from(kind)];
            let mut all = Lines::new(4, 1 << ways, 64, replacement);
            let mut some = all.clone();
            let mut seen = std::collections::HashMap::new();
            for (first, count) in accesses {
                let before = some.changes();
                let mut hits = true;
                for number in first..first + count {
                    hits &= all.touch(number * 64, false) == Touch::Hit;
                }
                if seen.get(&(first, count)) == Some(&before) {
                    prop_assert!(hits);
                    continue;
                }
                (first..first + count).for_each(|number| { some.touch(number * 64, false); });
                if some.changes() == before {
                    seen.insert((first, count), before);
                }
            }
            prop_assert_eq!((all.lines, all.trees, all.register), (some.lines, some.trees, some.register));
        }

        #[test]
        fn what_was_just_used_stays(
            accesses in prop::collection::vec(0..99_u64, 2..300), bits in 0..3_u32, ways in 1..4_u32, random: bool,
        ) {
            let replacement = if random { Replacement::Random } else { Replacement::TreePlru };
            let mut lines = Lines::new(1 << bits, 1 << ways, 32, replacement);
            for pair in accesses.windows(2) {
                lines.touch(pair[0] * 32, false);
                prop_assert_eq!(lines.touch(pair[0] * 32, true), Touch::Hit);
                if !random {
                    lines.touch(pair[1] * 32, false);
                    prop_assert_eq!(lines.touch(pair[0] * 32, false), Touch::Hit);
                }
            }
        }
    }

    #[test]
    fn a_tree_fills_its_ways_in_the_order_of_its_bits() {
        let mut lines = Lines::new(1, 4, 64, Replacement::TreePlru);
        // Ways 0, 2, 1, 3: each bit points away from what came last.
        for number in 0..4 {
            assert_eq!(lines.touch(number * 64, false), Touch::Miss(None));
        }
        assert_eq!(lines.touch(4 * 64, false), Touch::Miss(Some(Line { number: 0, written: false })));
        assert_eq!(lines.touch(5 * 64, false), Touch::Miss(Some(Line { number: 1, written: false })));
    }
}
