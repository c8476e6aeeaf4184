//! The address space of a process: what is mapped where, under a bound on how much.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use hart::pages::{Change, PAGE, Pages, Rights};
use isa::Xlen;

use crate::errno::Errno;

mod budget;
mod copy;
mod gaps;
mod remap;
mod share;
#[cfg(test)]
mod tests;
pub use budget::{Budget, Share};
use gaps::Gaps;

/// Most areas of a process, as Linux bounds them (`vm.max_map_count`).
const MOST_AREAS: usize = 65_530;
/// Nothing is mapped below (`vm.mmap_min_addr`), so that null pointers fault.
const LOWEST: u64 = 0x1_0000;
/// Size of a 64-bit process's address space: ample, and within what any host reserves.
const SIZE_64: u64 = 64 << 30;
/// Of a 32-bit process's: what Linux leaves it.
const SIZE_32: u64 = 3 << 30;

/// A mapped range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Area {
    end: u64,
    rights: Rights,
    /// It counts against the limit: the guest may have written there, even if it may not now.
    charged: bool,
    /// Children have it in common with their parent, not a copy.
    share: Option<Share>,
}

/// Areas of a process.
pub struct AddressSpace {
    areas: BTreeMap<u64, Area>,
    gaps: Gaps,
    size: u64,
    /// Bytes that the host may have to provide, of those that all processes may have.
    charged: u64,
    budget: Rc<Budget>,
    /// Bytes of areas that are shared.
    shared: u64,
    /// Data segment: from where, to where (`brk`).
    heap: Range<u64>,
}

impl AddressSpace {
    /// An empty address space, whose bytes that may ever have been accessible at a time count against a budget.
    pub fn new(xlen: Xlen, budget: &Rc<Budget>) -> Self {
        let size = match xlen {
            Xlen::Rv32 => SIZE_32,
            Xlen::Rv64 => SIZE_64,
        };
        Self::empty(Gaps::new(size), size, Rc::clone(budget))
    }

    const fn empty(gaps: Gaps, size: u64, budget: Rc<Budget>) -> Self {
        Self { areas: BTreeMap::new(), gaps, size, charged: 0, budget, shared: 0, heap: 0..0 }
    }

    /// Mappings without an address lie one above the other ([`Gaps::upward`]).
    pub const fn map_upward(&mut self) {
        self.gaps.upward();
    }

    /// Its end.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Lets the heap begin at `address`, rounded up to a page.
    pub const fn start_heap(&mut self, address: u64) {
        let start = address.next_multiple_of(PAGE);
        self.heap = start..start;
    }

    /// Maps zero bytes over whatever is in the range.
    ///
    /// # Errors
    /// `EINVAL` for a range out of bounds, `ENOMEM` past a limit.
    pub fn map_at(
        &mut self,
        pages: &mut Pages,
        address: u64,
        bytes: u64,
        rights: Rights,
    ) -> Result<(), Errno> {
        let range = self.range(address, bytes)?;
        if range.start < LOWEST {
            return Err(Errno::EPERM);
        }
        let charged = rights != Rights::NONE;
        self.afford(if charged { range.end - range.start } else { 0 }, self.charged_in(&range))?;
        self.unmap(pages, address, bytes)?;
        if charged {
            pages.set_rights(range.clone(), rights);
        }
        self.insert(range.start, Area { end: range.end, rights, charged, share: None });
        Ok(())
    }

    /// Maps zero bytes where there is room: at `hint` if free, else below the stack. Returns the address.
    ///
    /// # Errors
    /// `EINVAL` for no bytes, `ENOMEM` past a limit.
    pub fn map_anywhere(
        &mut self,
        pages: &mut Pages,
        hint: u64,
        bytes: u64,
        rights: Rights,
    ) -> Result<u64, Errno> {
        let bytes = round(bytes)?;
        let hint = hint & !(PAGE - 1);
        let wanted = hint..hint.saturating_add(bytes);
        let address = if hint >= LOWEST && wanted.end <= self.size && self.is_free(&wanted) {
            hint
        } else {
            self.gaps.find(&self.areas, bytes).ok_or(Errno::ENOMEM)?
        };
        self.map_at(pages, address, bytes, rights)?;
        Ok(address)
    }

    /// Unmaps whatever is in the range.
    ///
    /// # Errors
    /// `EINVAL` for a range out of bounds, `ENOMEM` if that leaves too many areas.
    pub fn unmap(&mut self, pages: &mut Pages, address: u64, bytes: u64) -> Result<(), Errno> {
        let range = self.range(address, bytes)?;
        for (start, area) in self.take(&range)? {
            pages.note(Change::Unmapped(start..area.end));
            if area.rights != Rights::NONE {
                pages.set_rights(start..area.end, Rights::NONE);
            }
            if area.charged {
                pages.discard(start..area.end);
            }
        }
        Ok(())
    }

    /// Changes the rights of a range.
    ///
    /// # Errors
    /// `EINVAL` for a range out of bounds, `ENOMEM` if part of it is not mapped or a limit is passed.
    pub fn protect(
        &mut self,
        pages: &mut Pages,
        address: u64,
        bytes: u64,
        rights: Rights,
    ) -> Result<(), Errno> {
        if bytes == 0 {
            return Ok(());
        }
        let range = self.range(address, bytes)?;
        if !self.is_mapped(&range) {
            return Err(Errno::ENOMEM);
        }
        let accessible = rights != Rights::NONE;
        self.afford(if accessible { range.end - range.start } else { 0 }, self.charged_in(&range))?;
        for (start, area) in self.take(&range)? {
            if area.rights != rights {
                pages.set_rights(start..area.end, rights);
            }
            self.insert(start, Area { rights, charged: accessible || area.charged, ..area });
        }
        Ok(())
    }

    /// Makes the pages of a range zero again without unmapping them (`MADV_DONTNEED`), but for what is shared, which
    /// stays.
    ///
    /// # Errors
    /// `EINVAL` for a range out of bounds, `ENOMEM` if part of it is not mapped.
    pub fn discard(&self, pages: &mut Pages, address: u64, bytes: u64) -> Result<(), Errno> {
        if bytes == 0 {
            return Ok(());
        }
        let range = self.range(address, bytes)?;
        if !self.is_mapped(&range) {
            return Err(Errno::ENOMEM);
        }
        for (start, area) in
            self.areas.range(..range.end).rev().take_while(|(_, area)| area.end > range.start)
        {
            if area.share.is_none() {
                pages.discard(range.start.max(*start)..range.end.min(area.end));
            }
        }
        Ok(())
    }

    /// The pages that the heap loses if its end moves to `wanted`; an empty range if it loses none.
    pub fn released_by_break(&self, wanted: u64) -> Range<u64> {
        let old = self.heap.end.next_multiple_of(PAGE);
        if wanted < self.heap.start || wanted > self.heap.end {
            old..old
        } else {
            wanted.next_multiple_of(PAGE)..old
        }
    }

    /// Moves the end of the heap; returns where it is then, which is where it was if it cannot move.
    pub fn set_break(&mut self, pages: &mut Pages, wanted: u64) -> u64 {
        if wanted < self.heap.start || wanted > self.size {
            return self.heap.end;
        }
        let (old, new) = (self.heap.end.next_multiple_of(PAGE), wanted.next_multiple_of(PAGE));
        let moved = if new > old {
            let grown = old..new;
            if self.is_free(&grown) {
                self.map_at(pages, old, new - old, Rights::READ | Rights::WRITE)
            } else {
                Err(Errno::ENOMEM)
            }
        } else if new < old {
            self.unmap(pages, new, old - new)
        } else {
            Ok(())
        };
        if moved.is_ok() {
            self.heap.end = wanted;
        }
        self.heap.end
    }

    /// True if nothing is mapped in `bytes` from `address`.
    ///
    /// # Errors
    /// `EINVAL` for a range out of bounds.
    pub fn is_free_at(&self, address: u64, bytes: u64) -> Result<bool, Errno> {
        Ok(self.is_free(&self.range(address, bytes)?))
    }

    /// True if every page of a range is mapped.
    pub fn is_mapped(&self, range: &Range<u64>) -> bool {
        let mut at = range.start;
        while at < range.end {
            match self.area_at(at) {
                Some(area) => at = area.end,
                None => return false,
            }
        }
        true
    }

    /// True if any page of a range may be executed.
    pub fn is_executable(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        let areas = self.areas.range(..end).rev().take_while(|(_, area)| area.end > address);
        areas.into_iter().any(|(_, area)| area.rights.include(Rights::EXECUTE))
    }

    fn is_free(&self, range: &Range<u64>) -> bool {
        let before = self.areas.range(..range.end).next_back();
        before.is_none_or(|(_, area)| area.end <= range.start)
    }

    fn area_at(&self, address: u64) -> Option<Area> {
        let (_, &area) = self.areas.range(..=address).next_back()?;
        (area.end > address).then_some(area)
    }

    fn range(&self, address: u64, bytes: u64) -> Result<Range<u64>, Errno> {
        let end = address.checked_add(round(bytes)?).ok_or(Errno::ENOMEM)?;
        if !address.is_multiple_of(PAGE) {
            Err(Errno::EINVAL)
        } else if end > self.size {
            Err(Errno::ENOMEM)
        } else {
            Ok(address..end)
        }
    }

    /// Checks that `wanted` more bytes may count once `freed` ones do not, in two more areas than there are.
    fn afford(&self, wanted: u64, freed: u64) -> Result<(), Errno> {
        let fits = self.budget.affords(wanted, freed) && self.areas.len() + 2 <= MOST_AREAS;
        if fits { Ok(()) } else { Err(Errno::ENOMEM) }
    }

    fn charged_in(&self, range: &Range<u64>) -> u64 {
        let first = self.areas.range(..range.start).next_back().into_iter();
        let overlap = |(&start, area): (&u64, &Area)| {
            let bytes = area.end.min(range.end).saturating_sub(start.max(range.start));
            if area.charged { bytes } else { 0 }
        };
        first.chain(self.areas.range(range.clone())).map(overlap).sum()
    }

    /// Takes the areas of a range out, cut at its ends.
    fn take(&mut self, range: &Range<u64>) -> Result<Vec<(u64, Area)>, Errno> {
        let cuts = [range.start, range.end].into_iter().filter(|&end| self.is_inside_area(end)).count();
        if self.areas.len() + cuts > MOST_AREAS {
            return Err(Errno::ENOMEM);
        }
        self.split(range.start);
        self.split(range.end);
        let starts: Vec<u64> = self.areas.range(range.clone()).map(|(&start, _)| start).collect();
        let areas = starts.into_iter().filter_map(|start| Some((start, self.areas.remove(&start)?)));
        let areas: Vec<(u64, Area)> = areas.collect();
        if let Some((_, last)) = areas.last() {
            self.gaps.freed(&self.areas, last.end);
        }
        let bytes = |is_meant: fn(&Area) -> bool| {
            let meant = areas.iter().filter(|(_, area)| is_meant(area));
            meant.map(|(start, area)| area.end - start).sum::<u64>()
        };
        self.shared -= bytes(|area| area.share.is_some());
        self.release(bytes(|area| area.charged));
        Ok(areas)
    }

    /// Puts an area where none is; the pages' rights are the caller's to set.
    fn insert(&mut self, mut start: u64, mut area: Area) {
        let bytes = area.end - start;
        if area.charged {
            self.charge(bytes);
        }
        if area.share.is_some() {
            self.shared += bytes;
        }
        // Neighbours that are alike become one, so that areas do not pile up.
        if let Some((&before, other)) = self.areas.range(..start).next_back()
            && *other == (Area { end: start, ..area })
        {
            start = before;
        }
        if let Some(&after) = self.areas.get(&area.end)
            && after == (Area { end: after.end, ..area })
        {
            self.areas.remove(&area.end);
            area.end = after.end;
        }
        self.areas.insert(start, area);
    }

    fn is_inside_area(&self, address: u64) -> bool {
        self.areas.range(..address).next_back().is_some_and(|(_, area)| area.end > address)
    }

    fn split(&mut self, address: u64) {
        if let Some((_, area)) = self.areas.range_mut(..address).next_back()
            && area.end > address
        {
            let rest = *area;
            area.end = address;
            self.areas.insert(address, rest);
        }
    }
}

fn round(bytes: u64) -> Result<u64, Errno> {
    match bytes.checked_next_multiple_of(PAGE) {
        Some(0) => Err(Errno::EINVAL),
        Some(rounded) => Ok(rounded),
        None => Err(Errno::ENOMEM),
    }
}
