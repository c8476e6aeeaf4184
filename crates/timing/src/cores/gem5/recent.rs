//! Lines of a hart's own cache that an access to data finds where it left them, told by virtual addresses: the shortest
//! way through most accesses.

/// Entries, a power of two.
const ENTRIES: usize = 256;
const NONE: u64 = u64::MAX;

/// Virtual lines that were used last in their set of a cache that evicts the least recently used: to read them again
/// leaves everything as it is, and to write them too if they are written.
pub struct Recent {
    /// Bits of an address within a line; none if nothing can be told of the cache.
    line: Option<u32>,
    read: [u64; ENTRIES],
    written: [u64; ENTRIES],
    /// Which entry each set of the cache has.
    of_sets: Vec<u16>,
}

impl Recent {
    /// Of a cache with lines of so many bytes; of none.
    pub fn new(line: Option<u64>) -> Self {
        let line = line.map(u64::trailing_zeros);
        Self { line, read: [NONE; ENTRIES], written: [NONE; ENTRIES], of_sets: Vec::new() }
    }

    /// True if it keeps any.
    pub const fn are_kept(&self) -> bool {
        self.line.is_some()
    }

    /// True if bytes from an address on are of one such line.
    #[inline]
    pub fn has(&self, address: u64, bytes: u8, writes: bool) -> bool {
        let Some(bits) = self.line else { return false };
        let line = address >> bits;
        let known = if writes { &self.written } else { &self.read };
        known[line as usize % ENTRIES] == line && address.wrapping_add(u64::from(bytes) - 1) >> bits == line
    }

    /// What was used last in a set is so no longer.
    fn disturb(&mut self, set: usize) {
        if let Some(&entry) = self.of_sets.get(set) {
            self.read[usize::from(entry)] = NONE;
            self.written[usize::from(entry)] = NONE;
        }
    }

    /// The line of an address is what was used last in its set, and may be written.
    pub fn note(&mut self, set: usize, address: u64, is_written: bool) {
        let Some(bits) = self.line else { return };
        if set >= self.of_sets.len() {
            self.of_sets.resize(set + 1, 0);
        }
        self.disturb(set);
        let line = address >> bits;
        let entry = line as usize % ENTRIES;
        self.of_sets[set] = entry as u16;
        self.read[entry] = line;
        self.written[entry] = if is_written { line } else { NONE };
    }

    /// Addresses have other lines.
    pub fn forget(&mut self) {
        *self = Self { line: self.line, ..Self::new(None) };
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::Recent;
    use crate::memory::lines::{Lines, Replacement};

    pub const LINE: u64 = 64;
    /// Bytes that have their frames together; small, so that several are in use.
    pub const PAGE: u64 = 256;

    /// Frames in another order than pages.
    pub fn physical(address: u64) -> u64 {
        address / PAGE * 7 % 64 * PAGE + address % PAGE
    }

    proptest! {
        #[test]
        fn an_access_that_it_has_leaves_the_cache_as_it_is(
            accesses in prop::collection::vec((0..64 * PAGE - 8, any::<bool>()), 0..400),
            near in any::<bool>(), bits in 0..5_u32, ways in 1..4_usize,
        ) {
            let mut all = Lines::new(1 << bits, ways, LINE, Replacement::Lru);
            let mut some = all.clone();
            let mut recent = Recent::new(Some(LINE));
            for (address, writes) in accesses {
                let address = if near { address % (8 * LINE) } else { address };
                let first = all.touch(physical(address), writes);
                let ends = address + 7;
                if address / LINE == ends / LINE && recent.has(address, 8, writes) {
                    prop_assert_eq!(&format!("{:?}", first), "Hit");
                    continue;
                }
                prop_assert!(address / LINE == ends / LINE || !recent.has(address, 8, writes));
                some.touch(physical(address), writes);
                let (set, written) = some.used_last(physical(address)).unwrap_or_default();
                recent.note(set, address, written);
                prop_assert_eq!(format!("{all:?}"), format!("{some:?}"));
            }
        }

        #[test]
        fn it_has_what_was_noted_until_its_set_has_another(lines in prop::collection::vec(0..100_u64, 1..100)) {
            let mut recent = Recent::new(Some(LINE));
            for line in &lines {
                recent.note((line % 8) as usize, line * LINE, line % 3 == 0);
                prop_assert!(recent.has(line * LINE + 56, 8, false) && !recent.has(line * LINE + 57, 8, false));
                prop_assert_eq!(recent.has(line * LINE, 1, true), line % 3 == 0);
            }
            for set in 0..8 {
                let last = lines.iter().rev().find(|&line| line % 8 == set);
                for line in (0..100).filter(|line| line % 8 == set && Some(line) != last) {
                    prop_assert!(!recent.has(line * LINE, 1, false));
                }
            }
            recent.forget();
            prop_assert!((0..100).all(|line| !recent.has(line * LINE, 1, false)));
        }
    }
}
