//! Which lines Rocket's caches hold, and which of them were written (rocket-chip 1.2.6, `ICache.scala`, `DCache.scala`).

/// What became of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// The line is there.
    Hit,
    /// The line is there, and is written for the first time.
    Dirties,
    /// It was not, and took the place of one that was written, or of another.
    Miss { writes_back: bool },
}

/// A line; the default is none.
#[derive(Clone, Copy)]
struct Line {
    number: u64,
    written: bool,
}

impl Line {
    /// It is there, and accessed.
    const fn access(&mut self, writes: bool) -> Touch {
        let dirties = writes && !self.written;
        self.written |= writes;
        if dirties { Touch::Dirties } else { Touch::Hit }
    }
}

const NONE: Line = Line { number: u64::MAX, written: false };

/// A shift register with feedback that chooses the way to replace, whether or not another is free (`LFSR(16)` of
/// Chisel, `MaxPeriodFibonacciLFSR`): it moves on at each refill, and so the same program leaves the same lines. Its
/// bits are read the last first.
#[derive(Clone, Copy, Debug)]
pub struct Chance {
    state: u16,
    /// The way is read when the refill arrives, after the register has moved on.
    reads_after: bool,
}

impl Chance {
    /// As it is after so many refills since reset.
    pub fn new(refills: u32, reads_after: bool) -> Self {
        let mut chance = Self { state: 1 << 15, reads_after };
        (0..refills).for_each(|_| chance.step());
        chance
    }

    fn step(&mut self) {
        let tap = |bit: u32| self.state >> bit & 1;
        let fed = tap(15) ^ tap(13) ^ tap(12) ^ tap(10);
        self.state = self.state << 1 | fed;
    }

    /// The way, of a power of two of them, that a refill takes.
    fn choose(&mut self, ways: usize) -> usize {
        let before = self.state;
        self.step();
        usize::from(if self.reads_after { self.state } else { before }.reverse_bits()) & (ways - 1)
    }
}

/// A write-back cache that allocates on writes, with random replacement.
pub struct Cache {
    /// By set and way.
    lines: Vec<Line>,
    ways: usize,
    sets: u64,
    line: u32,
    chance: Chance,
    /// Some of the lines that are there, by the last bits of their numbers, with their places: which way a line is in
    /// decides nothing, so that most hits need no look at a set.
    recent: Box<[(u64, u32); RECENT]>,
    changes: u64,
    /// The line that the last miss replaced.
    replaced: u64,
}

const RECENT: usize = 256;

impl Cache {
    /// An empty cache; sets, ways and bytes of a line are powers of two.
    pub fn new(sets: usize, ways: usize, line_bytes: u64, chance: Chance) -> Self {
        let (sets, ways) = (sets.next_power_of_two(), ways.next_power_of_two());
        let line = line_bytes.next_power_of_two().trailing_zeros();
        let recent = Box::new([(NONE.number, 0); RECENT]);
        Self {
            lines: vec![NONE; sets * ways],
            ways,
            sets: sets as u64,
            line,
            chance,
            recent,
            changes: 0,
            replaced: 0,
        }
    }

    /// Address of the line that the last miss replaced.
    pub const fn replaced(&self) -> u64 {
        self.replaced << self.line
    }

    /// As long as this is the same, so are the lines.
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// Accesses the line of an address.
    #[inline]
    pub fn touch(&mut self, address: u64, writes: bool) -> Touch {
        let number = address >> self.line;
        let (recent, place) = self.recent[number as usize % RECENT];
        if recent == number {
            return self.lines[place as usize].access(writes);
        }
        self.touch_set(number, writes)
    }

    fn touch_set(&mut self, number: u64, writes: bool) -> Touch {
        let set = (number & (self.sets - 1)) as usize * self.ways;
        let ways = &mut self.lines[set..set + self.ways];
        let found = ways.iter().position(|held| held.number == number);
        let way = found.unwrap_or_else(|| self.chance.choose(self.ways));
        self.recent[number as usize % RECENT] = (number, (set + way) as u32);
        let held = &mut ways[way];
        if found.is_some() {
            return held.access(writes);
        }
        let replaced = std::mem::replace(held, Line { number, written: writes });
        let recent = &mut self.recent[replaced.number as usize % RECENT];
        if recent.0 == replaced.number {
            recent.0 = NONE.number;
        }
        self.changes += 1;
        self.replaced = replaced.number;
        Touch::Miss { writes_back: replaced.written }
    }

    /// True if the line of an address is there.
    pub fn holds(&self, address: u64) -> bool {
        let number = address >> self.line;
        if self.recent[number as usize % RECENT].0 == number {
            return true;
        }
        let set = (number & (self.sets - 1)) as usize * self.ways;
        self.lines[set..set + self.ways].iter().any(|held| held.number == number)
    }

    /// Drops every line.
    pub fn empty(&mut self) {
        self.lines.fill(NONE);
        self.recent.fill((NONE.number, 0));
        self.changes += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, Chance, Touch};

    #[test]
    fn the_register_comes_round_after_all_its_values() {
        let mut chance = Chance::new(0, false);
        let first = chance.state;
        let period = std::iter::repeat_with(|| chance.step()).take_while({
            let mut other = Chance::new(0, false);
            move |()| {
                other.step();
                other.state != first
            }
        });
        assert_eq!(period.count() + 1, (1 << 16) - 1);
    }

    #[test]
    fn the_first_ways_are_those_of_the_rtl() {
        let mut chance = Chance::new(1, true);
        let ways: Vec<_> = std::iter::repeat_with(|| chance.choose(4)).take(18).collect();
        assert_eq!(ways, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0]);
        let mut chance = Chance::new(0, false);
        let ways: Vec<_> = std::iter::repeat_with(|| chance.choose(4)).take(18).collect();
        assert_eq!(ways, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0]);
    }

    #[test]
    fn lines_leave_as_the_register_says() {
        let (mut cache, mut chance) = (Cache::new(4, 4, 64, Chance::new(1, true)), Chance::new(1, true));
        let mut changes = 0;
        let mut held = [None; 4];
        for number in (0..200_u64).map(|step| step * step % 7) {
            // All in one set.
            let touch = cache.touch(number * 256, false);
            let expected = if held.contains(&Some(number)) {
                Touch::Hit
            } else {
                held[chance.choose(4)] = Some(number);
                changes += 1;
                Touch::Miss { writes_back: false }
            };
            assert_eq!(touch, expected);
            assert!((0..7).all(|number| cache.holds(number * 256) == held.contains(&Some(number))));
        }
        assert_eq!(cache.changes(), changes);
        cache.empty();
        assert_ne!(cache.touch(0, false), Touch::Hit);
    }

    #[test]
    fn a_line_that_was_written_is_written_back_once() {
        let mut cache = Cache::new(1, 1, 64, Chance::new(0, false));
        assert_eq!(cache.touch(0, true), Touch::Miss { writes_back: false });
        assert_eq!(cache.touch(64, false), Touch::Miss { writes_back: true });
        assert_eq!(cache.touch(0, false), Touch::Miss { writes_back: false });
    }
}
