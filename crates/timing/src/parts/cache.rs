//! Which lines a set-associative cache holds, and which of them were written.

/// What became of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// The line is there.
    Hit,
    /// It was not, and took the place of one that was written, or of another.
    Miss { writes_back: bool },
}

/// A line; the default is none.
#[derive(Clone, Copy)]
struct Line {
    number: u64,
    written: bool,
}

const NONE: Line = Line { number: u64::MAX, written: false };

/// A write-back cache that allocates on writes, with least-recently-used replacement.
pub struct Cache {
    /// The most recent of a set first.
    lines: Vec<Line>,
    ways: usize,
    sets: u64,
    line: u32,
}

impl Cache {
    /// An empty cache; sets and bytes of a line are powers of two.
    pub fn new(sets: usize, ways: usize, line_bytes: u64) -> Self {
        let sets = sets.next_power_of_two();
        let line = line_bytes.next_power_of_two().trailing_zeros();
        Self { lines: vec![NONE; sets * ways], ways, sets: sets as u64, line }
    }

    /// Accesses the line of an address.
    pub fn touch(&mut self, address: u64, writes: bool) -> Touch {
        let number = address >> self.line;
        let set = (number & (self.sets - 1)) as usize * self.ways;
        let ways = &mut self.lines[set..set + self.ways];
        if ways[0].number == number {
            ways[0].written |= writes;
            return Touch::Hit;
        }
        let found = ways.iter().position(|held| held.number == number);
        ways[..=found.unwrap_or(self.ways - 1)].rotate_right(1);
        if found.is_some() {
            ways[0].written |= writes;
            return Touch::Hit;
        }
        let writes_back = ways[0].written;
        ways[0] = Line { number, written: writes };
        Touch::Miss { writes_back }
    }

    /// Drops every line.
    pub fn empty(&mut self) {
        self.lines.fill(NONE);
    }
}
