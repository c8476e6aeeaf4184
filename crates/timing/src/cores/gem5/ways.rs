//! Where harts' own caches hold their lines, told by virtual addresses: the shortest way through accesses that hit and
//! that no other hart can notice.

use crate::memory::lines::{Held, Lines};

/// Entries of a hart, a power of two.
const ENTRIES: usize = 512;
const NOWHERE: (u64, Held) = (u64::MAX, Held::NOWHERE);

/// By cache and by the last bits of a virtual line: the line, and where it was held.
pub struct Ways {
    /// Bits of an address within a line; none if nothing is kept.
    line: Option<u32>,
    harts: usize,
    entries: Vec<(u64, Held)>,
}

impl Ways {
    /// Of caches of several harts, one or two each, with lines of so many bytes; of none.
    pub fn new(line: Option<u64>, harts: usize) -> Self {
        let entries = if line.is_some() { vec![NOWHERE; 2 * ENTRIES * harts] } else { Vec::new() };
        Self { line: line.map(u64::trailing_zeros), harts, entries }
    }

    /// True if it keeps any.
    pub const fn are_kept(&self) -> bool {
        self.line.is_some()
    }

    /// The number of a hart's cache of data; that of what it fetches from has the hart's.
    pub const fn data_of(&self, hart: usize, is_another: bool) -> usize {
        if is_another { self.harts + hart } else { hart }
    }

    /// The line of a virtual address, which has a physical one, was accessed.
    #[inline]
    pub fn note(&mut self, cache: usize, address: u64, lines: &Lines, physical: u64) {
        if let Some(bits) = self.line
            && let Some(held) = lines.held(physical)
        {
            let line = address >> bits;
            self.entries[cache * ENTRIES + line as usize % ENTRIES] = (line, held);
        }
    }

    /// Accesses bytes from an address on if they are of one line, and that is where it was; the line's physical number.
    #[inline]
    pub fn touch(
        &self,
        cache: usize,
        address: u64,
        bytes: u8,
        lines: &mut Lines,
        writes: bool,
    ) -> Option<u64> {
        let bits = self.line?;
        let line = address >> bits;
        let (known, held) = self.entries[cache * ENTRIES + line as usize % ENTRIES];
        let is_one = address.wrapping_add(u64::from(bytes) - 1) >> bits == line;
        (known == line && is_one && lines.touch_held(held, writes)).then_some(held.number)
    }

    /// Addresses have other lines.
    pub fn forget(&mut self) {
        self.entries.fill(NOWHERE);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Ways;
    use crate::cores::gem5::recent::tests::{LINE, PAGE, physical};
    use crate::memory::lines::{Lines, Replacement, Touch};

    fn kind() -> impl Strategy<Value = Replacement> {
        prop::sample::select(vec![Replacement::Lru, Replacement::TreePlru, Replacement::Random])
    }

    proptest! {
        #[test]
        fn an_access_by_its_place_leaves_the_cache_as_one_by_its_address_does(
            accesses in prop::collection::vec((0..64 * PAGE - 8, any::<bool>(), 0..8_u8), 0..400),
            bits in 0..4_u32, ways in 0..4_u32, kind in kind(),
        ) {
            let mut all = Lines::new(1 << bits, 1 << ways, LINE, kind);
            let mut some = all.clone();
            let mut known = Ways::new(Some(LINE), 1);
            for (address, writes, what) in accesses {
                // Most near each other, and now and then what another hart does to a line.
                let address = if what < 6 { address % (12 * LINE) } else { address };
                if what == 0 {
                    all.drop_line(physical(address));
                    some.drop_line(physical(address));
                } else if what == 1 {
                    prop_assert_eq!(all.take_written(physical(address)), some.take_written(physical(address)));
                }
                let was = some.state(physical(address));
                let done = known.touch(0, address, 1, &mut some, writes);
                if let Some(number) = done {
                    prop_assert_eq!(number, all.number(physical(address)));
                    prop_assert!(was == Some(true) || was == Some(false) && !writes);
                }
                let touch = all.touch(physical(address), writes);
                if done.is_some() {
                    prop_assert_eq!(touch, Touch::Hit);
                } else {
                    prop_assert_eq!(touch, some.touch(physical(address), writes));
                    known.note(0, address, &some, physical(address));
                }
                prop_assert_eq!(all.contents(), some.contents());
            }
        }
    }

    #[test]
    fn harts_have_their_own_and_bytes_of_two_lines_are_nobodys() {
        let mut lines = Lines::new(4, 2, LINE, Replacement::TreePlru);
        lines.touch(0x140, true);
        let mut known = Ways::new(Some(LINE), 2);
        known.note(1, 0x9140, &lines, 0x140);
        assert_eq!(known.touch(1, 0x9178, 8, &mut lines, true), Some(5));
        assert_eq!(known.touch(1, 0x9179, 8, &mut lines, true), None);
        assert_eq!(known.touch(0, 0x9178, 8, &mut lines, true), None);
        lines.take_written(0x140);
        assert_eq!(known.touch(1, 0x9178, 8, &mut lines, true), None);
        assert_eq!(known.touch(1, 0x9178, 8, &mut lines, false), Some(5));
        known.forget();
        assert_eq!(known.touch(1, 0x9178, 8, &mut lines, false), None);
        assert!(!Ways::new(None, 2).are_kept());
    }
}
