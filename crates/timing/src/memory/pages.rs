//! Physical pages as gem5 gives them to a process (sim/mem_pool.cc, sim/process.cc, sim/mem_state.cc): the next free one
//! for each page that is loaded, then for each that is touched first, be it by a system call.

use std::ops::Range;

use hart::pages::Change;
use rustc_hash::FxHashMap;

/// Of its bytes, of which it has a power of two.
const BITS: u32 = 12;
/// Bytes that lie one after the other in memory.
pub const PAGE: u64 = 1 << BITS;
/// Translations found without a search.
const RECENT: usize = 64;

/// Where the pages of a process are.
#[derive(Clone, Debug)]
pub struct Pages {
    frames: FxHashMap<u64, u64>,
    /// Frames given so far.
    given: u64,
    /// By the last bits of a page's number: it, and its frame.
    recent: [(u64, u64); RECENT],
    changes: u64,
}

impl Default for Pages {
    fn default() -> Self {
        Self { frames: FxHashMap::default(), given: 0, recent: [(u64::MAX, 0); RECENT], changes: 0 }
    }
}

impl Pages {
    /// The physical address of an address.
    #[inline]
    pub fn physical(&mut self, address: u64) -> u64 {
        let page = address >> BITS;
        let recent = self.recent[page as usize % RECENT];
        let frame = if recent.0 == page { recent.1 } else { self.find(page) };
        frame << BITS | address & (PAGE - 1)
    }

    /// As long as this is the same, pages that have a frame have it still.
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// The same if it was asked for before.
    #[inline]
    pub fn known(&self, address: u64) -> Option<u64> {
        let page = address >> BITS;
        let recent = self.recent[page as usize % RECENT];
        let frame = if recent.0 == page { recent.1 } else { self.frame(page)? };
        Some(frame << BITS | address & (PAGE - 1))
    }

    // Apart, so that nothing is prepared for it where it is not needed.
    #[cold]
    #[inline(never)]
    fn frame(&self, page: u64) -> Option<u64> {
        self.frames.get(&page).copied()
    }

    fn find(&mut self, page: u64) -> u64 {
        let frame = *self.frames.entry(page).or_insert_with(|| {
            self.given += 1;
            self.given - 1
        });
        self.recent[page as usize % RECENT] = (page, frame);
        frame
    }

    /// What the loader or a system call did: pages it writes have frames from then on. An unmapped page has a new one
    /// when it is touched again, as frames are never taken back (sim/mem_state.cc, `unmapRegion`).
    pub fn change(&mut self, change: &Change) {
        match change {
            Change::Written(range) => {
                pages(range).for_each(|page| {
                    self.find(page);
                });
            }
            Change::Unmapped(range) => {
                self.take(range);
            }
            Change::Moved(range, to) => {
                let (from, to) = (range.start >> BITS, to >> BITS);
                let taken = self.take(range);
                self.frames.extend(taken.into_iter().map(|(page, frame)| (page - from + to, frame)));
            }
        }
    }

    /// Takes the frames of the pages of a range.
    fn take(&mut self, range: &Range<u64>) -> Vec<(u64, u64)> {
        let pages = pages(range);
        let taken: Vec<_> = if pages.end - pages.start < self.frames.len() as u64 {
            pages.filter_map(|page| self.frames.remove_entry(&page)).collect()
        } else {
            self.frames.extract_if(|page, _| pages.contains(page)).collect()
        };
        if !taken.is_empty() {
            self.changes += 1;
            self.recent = [(u64::MAX, 0); RECENT];
        }
        taken
    }
}

/// Those that have bytes of a range.
const fn pages(range: &Range<u64>) -> Range<u64> {
    if range.start < range.end { range.start >> BITS..((range.end - 1) >> BITS) + 1 } else { 0..0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames<const N: usize>(pages: &mut Pages, numbers: [u64; N]) -> [u64; N] {
        numbers.map(|number| pages.physical(number << BITS) >> BITS)
    }

    #[test]
    fn system_calls_take_frames_for_what_they_write() {
        let mut pages = Pages::default();
        pages.change(&Change::Written(0..0));
        assert_eq!(frames(&mut pages, [7]), [0]);
        // From the last byte of one page to the first byte of the next but one.
        pages.change(&Change::Written(0x20fff..0x22001));
        assert_eq!(frames(&mut pages, [9, 0x22, 0x20, 0x21, 7]), [4, 3, 1, 2, 0]);
    }

    #[test]
    fn frames_of_unmapped_pages_are_not_given_again() {
        for unmapped in [0x2000..0x3000, 0x2000..u64::MAX >> BITS << BITS] {
            let mut pages = Pages::default();
            assert_eq!(frames(&mut pages, [1, 2]), [0, 1]);
            pages.change(&Change::Unmapped(unmapped));
            assert_eq!(pages.known(0x2000), None);
            assert_eq!(frames(&mut pages, [2, 1]), [2, 0]);
        }
    }

    #[test]
    fn pages_that_move_keep_their_frames() {
        let mut pages = Pages::default();
        assert_eq!(frames(&mut pages, [1, 3, 2]), [0, 1, 2]);
        pages.change(&Change::Moved(0x2000..0x5000, 0x9000));
        assert_eq!(frames(&mut pages, [9, 10, 1]), [2, 1, 0]);
        assert_eq!(frames(&mut pages, [11, 2]), [3, 4]);
    }
}
