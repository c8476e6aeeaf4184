//! Physical pages as gem5 gives them to a process (sim/mem_pool.cc, sim/process.cc, sim/mem_state.cc): the next free one
//! for each page that is loaded, then for each that is touched first.

use rustc_hash::FxHashMap;

const PAGE: u32 = 12;
/// Translations found without a search.
const RECENT: usize = 64;

/// Where the pages of a process are.
#[derive(Clone, Debug)]
pub struct Pages {
    frames: FxHashMap<u64, u64>,
    /// By the last bits of a page's number: it, and its frame.
    recent: [(u64, u64); RECENT],
}

impl Default for Pages {
    fn default() -> Self {
        Self { frames: FxHashMap::default(), recent: [(u64::MAX, 0); RECENT] }
    }
}

impl Pages {
    /// The physical address of an address.
    #[inline]
    pub fn physical(&mut self, address: u64) -> u64 {
        let page = address >> PAGE;
        let recent = self.recent[page as usize % RECENT];
        let frame = if recent.0 == page { recent.1 } else { self.find(page) };
        frame << PAGE | address & ((1 << PAGE) - 1)
    }

    /// The same if it was asked for before.
    #[inline]
    pub fn known(&self, address: u64) -> Option<u64> {
        let page = address >> PAGE;
        let recent = self.recent[page as usize % RECENT];
        let frame = if recent.0 == page { recent.1 } else { *self.frames.get(&page)? };
        Some(frame << PAGE | address & ((1 << PAGE) - 1))
    }

    fn find(&mut self, page: u64) -> u64 {
        let next = self.frames.len() as u64;
        let frame = *self.frames.entry(page).or_insert(next);
        self.recent[page as usize % RECENT] = (page, frame);
        frame
    }

    /// The pages of a range have contents before the first instruction.
    pub fn load(&mut self, range: std::ops::Range<u64>) {
        if !range.is_empty() {
            (range.start >> PAGE..=(range.end - 1) >> PAGE).for_each(|page| {
                self.find(page);
            });
        }
    }
}
