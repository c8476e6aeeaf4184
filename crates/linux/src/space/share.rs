//! Memory that processes share (`MAP_SHARED`): what one writes there, the others read.
//!
//! Each process has its own copy, at the same address, since such memory comes to another process by `fork` only and
//! never moves. One process runs at a time; before another does, what it has written goes into the others' copies.

use std::ops::Range;

use hart::pages::{PAGE, Pages};

use super::{AddressSpace, Area, Share};
use crate::errno::Errno;

#[cfg(test)]
mod tests;

impl AddressSpace {
    /// Shares what was just mapped at a range with all children to come.
    ///
    /// # Errors
    /// `ENOMEM` if that leaves too many areas.
    pub fn share(&mut self, address: u64, bytes: u64) -> Result<(), Errno> {
        let range = self.range(address, bytes)?;
        let share = Some(self.budget.next_share());
        for (start, area) in self.take(&range)? {
            self.insert(start, Area { share, ..area });
        }
        Ok(())
    }

    /// What a byte is part of, if it is shared.
    pub fn share_at(&self, address: u64) -> Option<Share> {
        self.area_at(address)?.share
    }

    /// True if any page of a range is shared.
    pub fn is_shared(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        let areas = self.areas.range(..end).rev().take_while(|(_, area)| area.end > address);
        areas.into_iter().any(|(_, area)| area.share.is_some())
    }

    /// Bytes that are shared.
    pub const fn shared_bytes(&self) -> u64 {
        self.shared
    }

    /// Brings what was written to shared memory here into the memory of others. All of them had the same before.
    pub fn publish(&self, pages: &mut Pages, others: &mut [(&Self, &mut Pages)]) {
        if self.shared == 0 {
            return;
        }
        for (&start, area) in &self.areas {
            let Some(share) = area.share else { continue };
            let whole = start..area.end;
            let with = others.iter_mut().map(|(space, pages)| (space.parts_of(share, &whole), &mut **pages));
            let mut with: Vec<(Vec<Range<u64>>, &mut Pages)> =
                with.filter(|(parts, _)| !parts.is_empty()).collect();
            if !with.is_empty() {
                whole.step_by(PAGE as usize).for_each(|page| publish_page(pages, page, &mut with));
            }
        }
    }

    /// The parts of a range that are of a share here.
    fn parts_of(&self, share: Share, range: &Range<u64>) -> Vec<Range<u64>> {
        if self.shared == 0 {
            return Vec::new();
        }
        let meant = |(_, area): &(&u64, &Area)| area.end > range.start;
        let areas = self.areas.range(..range.end).rev().take_while(meant);
        let areas = areas.filter(|(_, area)| area.share == Some(share));
        areas.map(|(&start, area)| start.max(range.start)..area.end.min(range.end)).collect()
    }
}

/// One comparison tells for all, since they had the same.
fn publish_page(pages: &mut Pages, page: u64, with: &mut [(Vec<Range<u64>>, &mut Pages)]) {
    let Some(own) = pages.raw_mut(page, PAGE as usize) else { return };
    let sharers = with.iter_mut().filter(|(parts, _)| parts.iter().any(|part| part.contains(&page)));
    for other in sharers.filter_map(|(_, other)| other.raw_mut(page, PAGE as usize)) {
        if own == other {
            return;
        }
        other.copy_from_slice(own);
    }
}
