//! Which lines a cache of CVA6 holds (c5947082, `cva6_icache.sv`, `wt_dcache_missunit.sv`): a line goes where none is, or
//! replaces one that a linear feedback shift register names (`lfsr.sv` of common_cells).

/// A set-associative cache with random replacement.
pub struct RandomCache {
    /// Line numbers by set and way; `u64::MAX` is none.
    lines: Vec<u64>,
    /// A power of two.
    sets: usize,
    ways: usize,
    line: u32,
    register: u32,
    mask: u32,
    /// Some of the lines that are there, by the last bits of their numbers: a hit changes nothing, so that most need no
    /// look at a set.
    recent: Box<[u64; RECENT]>,
    changes: u64,
}

const RECENT: usize = 256;

impl RandomCache {
    /// An empty cache; sets, ways and bytes of a line are powers of two. `mask` is the register's feedback, whose highest
    /// bit tells its width.
    pub fn new(sets: usize, ways: usize, line_bytes: u64, mask: u32) -> Self {
        let width = mask.ilog2() + 1;
        Self {
            lines: vec![u64::MAX; sets.next_power_of_two() * ways],
            sets: sets.next_power_of_two(),
            ways,
            line: line_bytes.trailing_zeros(),
            register: (1 << width) - 1,
            mask,
            recent: Box::new([u64::MAX; RECENT]),
            changes: 0,
        }
    }

    /// Touches the line of an address; true if it was there.
    #[inline]
    pub fn touch(&mut self, address: u64) -> bool {
        let line = address >> self.line;
        self.recent[line as usize % RECENT] == line || self.touch_set(line)
    }

    fn touch_set(&mut self, line: u64) -> bool {
        let ways = self.ways;
        let place = (line as usize & (self.sets - 1)) * ways;
        let set = &mut self.lines[place..place + ways];
        if set.contains(&line) {
            self.recent[line as usize % RECENT] = line;
            return true;
        }
        let way = set.iter().position(|&held| held == u64::MAX).unwrap_or_else(|| {
            let way = self.register as usize % ways;
            self.register = (self.register >> 1) ^ ((self.register & 1) * self.mask);
            way
        });
        let gone = std::mem::replace(&mut set[way], line);
        let recent = &mut self.recent[gone as usize % RECENT];
        if *recent == gone {
            *recent = u64::MAX;
        }
        self.recent[line as usize % RECENT] = line;
        self.changes += 1;
        false
    }

    /// True if the line of an address is there.
    #[inline]
    pub fn holds(&self, address: u64) -> bool {
        let line = address >> self.line;
        let place = (line as usize & (self.sets - 1)) * self.ways;
        self.recent[line as usize % RECENT] == line || self.lines[place..place + self.ways].contains(&line)
    }

    /// As long as this is the same, so are the lines.
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// Holds nothing any more.
    pub fn clear(&mut self) {
        self.lines.fill(u64::MAX);
        self.recent.fill(u64::MAX);
        self.changes += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::RandomCache;

    #[test]
    fn fills_free_ways_then_replaces_at_random() {
        let mut cache = RandomCache::new(2, 2, 16, 0xc);
        assert!(!cache.touch(0) && !cache.touch(32) && cache.touch(0) && cache.touch(47));
        // The register is all ones at first, so that the last way goes.
        assert!(!cache.touch(64) && cache.touch(0) && !cache.touch(32));
        let changes = cache.changes();
        assert!(cache.touch(32) && cache.holds(32) && !cache.holds(64) && cache.changes() == changes);
        cache.clear();
        assert!(!cache.holds(32) && !cache.touch(0) && cache.changes() == changes + 2);
    }

    #[test]
    fn what_was_replaced_is_not_there() {
        let (mut cache, mut held) = (RandomCache::new(4, 2, 16, 0xc), Vec::new());
        for number in (0..500_u64).map(|step| step * step % 23) {
            let was_there = cache.touch(number * 16);
            assert_eq!(was_there, held.contains(&number));
            held.push(number);
            held.retain(|&number| cache.lines.contains(&number));
            assert!((0..23).all(|number| cache.holds(number * 16) == held.contains(&number)));
        }
    }
}
