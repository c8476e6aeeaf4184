//! The address space of a child: a copy of its parent's.

use std::rc::Rc;

use hart::pages::{Pages, Rights};

use super::AddressSpace;
use crate::errno::Errno;

impl AddressSpace {
    /// A copy of it and of its pages. They are copied now, not when one of the two writes there: what was never touched
    /// costs nothing, and a program's accesses stay as cheap as ever.
    ///
    /// # Errors
    /// `ENOMEM` past the limit of all processes together, or if the host refuses.
    pub fn copy(&self, pages: &Pages) -> Result<(Self, Pages), Errno> {
        if !self.budget.affords(self.charged, 0) {
            return Err(Errno::ENOMEM);
        }
        let mut copied = Pages::new(self.size).map_err(|_| Errno::ENOMEM)?;
        for (&start, area) in &self.areas {
            let range = start..area.end;
            if area.rights != Rights::NONE {
                copied.set_rights(range.clone(), area.rights);
            }
            if area.charged {
                copied.take_over(pages, range);
            }
        }
        let mut space = Self {
            areas: self.areas.clone(),
            gaps: self.gaps.clone(),
            size: self.size,
            charged: 0,
            budget: Rc::clone(&self.budget),
            shared: self.shared,
            heap: self.heap.clone(),
        };
        space.charge(self.charged);
        Ok((space, copied))
    }

    /// The address space of a process whose memory another one has.
    pub fn of_nothing(&self) -> Self {
        Self::empty(self.gaps.clone(), self.size, Rc::clone(&self.budget))
    }
}
