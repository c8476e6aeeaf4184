//! Mappings that grow, shrink and move.

use hart::pages::{Change, Pages, Rights};

use super::{AddressSpace, Area, round};
use crate::errno::Errno;

/// Bytes moved at a time, so that the host never holds all of them twice.
const CHUNK: u64 = 1 << 20;

impl AddressSpace {
    /// Moves or resizes a mapping (`mremap`); returns its address.
    ///
    /// # Errors
    /// `EFAULT` if the old range is not one mapping, `ENOMEM` if it can neither grow in place nor move, or is shared.
    pub fn remap(
        &mut self,
        pages: &mut Pages,
        address: u64,
        old_bytes: u64,
        new_bytes: u64,
        may_move: bool,
    ) -> Result<u64, Errno> {
        let old = self.range(address, old_bytes)?;
        let new_bytes = round(new_bytes)?;
        let old_bytes = old.end - old.start;
        let area = self.area_at(address).filter(|area| area.end >= old.end).ok_or(Errno::EFAULT)?;
        if new_bytes <= old_bytes {
            if new_bytes < old_bytes {
                self.unmap(pages, address + new_bytes, old_bytes - new_bytes)?;
            }
            return Ok(address);
        }
        if area.share.is_some() {
            // What is shared ends where it did when it was mapped; beyond, nothing could be accessed.
            return Err(Errno::ENOMEM);
        }
        let grown = old.end..address.saturating_add(new_bytes);
        if grown.end <= self.size && self.is_free(&grown) {
            self.map_at(pages, grown.start, grown.end - grown.start, area.rights)?;
            return Ok(address);
        }
        if !may_move {
            return Err(Errno::ENOMEM);
        }
        let target = self.gaps.find(&self.areas, new_bytes).ok_or(Errno::ENOMEM)?;
        let freed = if area.charged { old_bytes } else { 0 };
        self.afford(if area.charged { new_bytes } else { 0 }, freed)?;
        self.take(&old)?;
        pages.note(Change::Moved(old.clone(), target));
        pages.set_rights(old.clone(), Rights::NONE);
        if area.charged {
            for from in old.clone().step_by(CHUNK as usize) {
                let chunk = from..(from + CHUNK).min(old.end);
                pages.copy(chunk.clone(), target + (from - address));
                pages.discard(chunk);
            }
        }
        let moved = target..target + new_bytes;
        pages.set_rights(moved.clone(), area.rights);
        self.insert(target, Area { end: moved.end, ..area });
        Ok(target)
    }
}
