//! Where there is room: the highest free range that is large enough, without a look at every area each time.

use std::collections::BTreeMap;

use hart::pages::PAGE;

use super::{Area, LOWEST};

/// Powers of two of pages, up to any address space's.
const CLASSES: usize = 40;

/// What earlier searches have found out.
pub struct Gaps {
    ceiling: u64,
    /// By power of two of pages: no free range of this many lies above, below the ceiling.
    tops: [u64; CLASSES],
}

impl Gaps {
    /// Below `ceiling` everything is free.
    pub const fn new(ceiling: u64) -> Self {
        Self { ceiling, tops: [ceiling; CLASSES] }
    }

    /// The highest free range of `bytes`, a positive multiple of a page.
    pub fn find(&mut self, areas: &BTreeMap<u64, Area>, bytes: u64) -> Option<u64> {
        let class = (bytes / PAGE).ilog2();
        let class_bytes = PAGE << class;
        let known = self.tops.get_mut(class as usize)?;
        let mut top = *known;
        // Of the class, but too small.
        let mut passed = None;
        for (&start, area) in areas.range(..top).rev() {
            let gap = top.saturating_sub(area.end);
            if gap >= bytes {
                break;
            }
            if gap >= class_bytes {
                passed = passed.or(Some(top));
            }
            top = top.min(start);
        }
        *known = passed.unwrap_or(top);
        top.checked_sub(bytes).filter(|&address| address >= LOWEST)
    }

    /// Something that ended at `end` is not mapped any more.
    pub fn freed(&mut self, areas: &BTreeMap<u64, Area>, end: u64) {
        let top = areas.range(end..).next().map_or(self.ceiling, |(&start, _)| start.min(self.ceiling));
        for known in &mut self.tops {
            *known = (*known).max(top);
        }
    }
}
