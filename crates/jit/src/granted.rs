//! Accesses of a process, whose pages have rights. Each site in compiled code that accesses memory remembers the last
//! two ranges that it was granted, as wide as the same right reaches, and compares with these; outside of them, it
//! leaves for the rights to be looked up. Those that do so too often look at the rights of pages first ([`crate::sites`]).

use hart::fault::Access;
use hart::pages::Pages;

use crate::frame::Frame;
use crate::sites::{Site, Sites};

/// Most sites, before all compiled code is dropped.
pub const MOST_SITES: usize = 1 << 16;
/// Of these so many are left for one region.
pub const RESERVE: usize = 1 << 12;
/// Ranges that a site remembers: many change between two, such as the stack and the heap.
pub const RANGES: usize = 2;
/// How often a restless site that has as many ranges as it remembers looks at the rights of pages before it leaves for another.
const PATIENCE: u32 = 64;
/// Ranges that are looked through before the rights are, for loads and for stores.
const RECENT: usize = 4;

/// A range that a site was granted.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Granted {
    /// The least register that reaches into it.
    pub start: u64,
    /// How many from there do; none at first.
    pub span: u64,
}

/// What compiled code asks for as it leaves.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Asked {
    /// The register of the address.
    pub register: u64,
    /// One more than the number of the site; zero if nothing is asked for.
    pub site: u64,
}

/// What was granted last, and at which generation of the pages.
#[derive(Clone, Copy, Default)]
pub struct Recent {
    generation: u64,
    /// First byte and the one past the last, of loads and of stores.
    ranges: [[(u64, u64); RECENT]; 2],
    next: usize,
}

impl Recent {
    /// A range around what a site accesses from `first` that is granted.
    fn find(&mut self, pages: &Pages, first: u64, site: &Site) -> Option<(u64, u64)> {
        let ranges = &mut self.ranges[usize::from(site.access == Access::Store)];
        let fits = |&&(start, end): &&(u64, u64)| start <= first && first < end && end - first >= site.size;
        if let Some(&known) = ranges.iter().find(fits) {
            return Some(known);
        }
        let found = pages.granted(first, site.size as usize, site.access)?;
        ranges[self.next % RECENT] = (found.start, found.end);
        self.next += 1;
        Some((found.start, found.end))
    }
}

impl Frame {
    /// Forgets what the first `sites` were granted if rights were taken away since.
    pub fn forget_outdated(&mut self, pages: &Pages, sites: usize) {
        if self.recent.generation != pages.generation() {
            self.recent = Recent { generation: pages.generation(), ..Recent::default() };
            self.forget(sites);
        }
    }

    /// Forgets what the first `sites` were granted.
    pub fn forget(&mut self, sites: usize) {
        self.granted[..sites].fill([Granted::default(); RANGES]);
        self.patience[..sites].fill(0);
    }

    /// Has the site that asked for rights, if one did, remember where it has them; its number, if they are granted, or if
    /// it need not have asked.
    pub fn look_up(&mut self, pages: &Pages, sites: &Sites) -> Option<usize> {
        let number = (self.asked.site as usize).checked_sub(1)?;
        self.asked.site = 0;
        let site = sites.get(number)?;
        let first = self.asked.register.wrapping_add(site.added);
        let Some((start, end)) = self.recent.find(pages, first, site) else {
            return site.is_early().then_some(number);
        };
        let granted = Granted { start: start.wrapping_sub(site.added), span: end - start - (site.size - 1) };
        if self.granted[number][RANGES - 1].span != 0 {
            self.patience[number] = PATIENCE;
        }
        self.granted[number].rotate_right(1);
        self.granted[number][0] = granted;
        Some(number)
    }
}
