//! Where there is room: the highest free range that is large enough, without a look at every area each time.

use std::collections::BTreeMap;

use hart::pages::PAGE;

use super::{Area, LOWEST};

/// Room that the stack may grow into and nothing else is put into, above mappings made without an address.
pub const STACK_GAP: u64 = 256 << 20;
/// Where mappings begin that lie one above the other: of half of either address space.
const UPWARD_32: u64 = 1 << 30;
const UPWARD_64: u64 = 32 << 30;

/// Powers of two of pages, up to any address space's.
const CLASSES: usize = 40;

/// What earlier searches have found out.
#[derive(Clone)]
pub struct Gaps {
    ceiling: u64,
    /// By power of two of pages: no free range of this many lies above, below the ceiling.
    tops: [u64; CLASSES],
    /// Where the next one begins, if each lies above the one before it.
    next: Option<u64>,
}

impl Gaps {
    /// All of an address space of this size is free.
    pub const fn new(size: u64) -> Self {
        let ceiling = size - STACK_GAP;
        Self { ceiling, tops: [ceiling; CLASSES], next: None }
    }

    /// Each lies above the one before it, as gem5 maps (sim/mem_state.cc, `extendMmap`; arch/riscv/process.hh,
    /// `mmapGrowsDown`). It begins at 2^62, which no host reserves, but where is seen by its lower bits only.
    pub const fn upward(&mut self) {
        self.next = Some(if self.ceiling > UPWARD_64 { UPWARD_64 } else { UPWARD_32 });
    }

    /// A free range of `bytes`, a positive multiple of a page: the highest, unless they go upward.
    pub fn find(&mut self, areas: &BTreeMap<u64, Area>, bytes: u64) -> Option<u64> {
        self.above(areas, bytes).or_else(|| self.highest(areas, bytes))
    }

    fn above(&mut self, areas: &BTreeMap<u64, Area>, bytes: u64) -> Option<u64> {
        let mut start = self.next?;
        let mut end = start.checked_add(bytes)?;
        while let Some((_, area)) = areas.range(..end).next_back().filter(|(_, area)| area.end > start) {
            start = area.end;
            end = start.checked_add(bytes)?;
        }
        if end > self.ceiling {
            return None;
        }
        self.next = Some(end);
        Some(start)
    }

    fn highest(&mut self, areas: &BTreeMap<u64, Area>, bytes: u64) -> Option<u64> {
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
