//! Accesses of a process, whose pages have rights. Each site in compiled code that accesses memory remembers a range
//! that it was granted, as wide as the same right reaches, and compares with that; outside of it, it leaves for the
//! rights to be looked up. A site that turns out to change between ranges, such as the stack and the heap, is compiled
//! again to compare with the last few.

use std::collections::HashSet;

use hart::fault::Access;
use hart::pages::Pages;

use crate::frame::Frame;

/// Most sites, before all compiled code is dropped.
pub const MOST_SITES: usize = 1 << 16;
/// Of these so many are left for one region.
pub const RESERVE: usize = 1 << 12;
/// Ranges of a site that changes between them; others have one.
pub const RANGES: usize = 3;
/// Ranges that are looked through before the rights are, for loads and for stores.
const RECENT: usize = 4;
/// Changes that cost about as much as compiling a site again, and how many times as many are waited for the next time.
pub const COSTLY: u64 = 1000;
const PATIENCE: u64 = 4;
/// A site changes if it has this part of them.
const PART: u64 = 16;

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

/// A place in compiled code that accesses memory.
pub struct Site {
    /// Address of the instruction.
    pub pc: u64,
    /// What is added to the register.
    pub added: u64,
    /// How many bytes, at least one.
    pub size: u64,
    /// Loads or stores.
    pub access: Access,
    /// How often it was granted another range than before.
    pub changes: u32,
}

/// The sites of a region that is compiled, after those before it.
pub struct Sites<'a> {
    pub all: &'a mut Vec<Site>,
    pub changing: &'a Changing,
}

impl Sites<'_> {
    /// Takes one in; its number and how many ranges it compares with, or `None` if there are too many.
    pub fn add(&mut self, site: Site) -> Option<(usize, usize)> {
        let number = self.all.len();
        let ranges = self.changing.ranges(site.pc);
        (number < MOST_SITES).then(|| self.all.push(site))?;
        Some((number, ranges))
    }
}

/// What is known of sites, also when they are compiled again.
pub struct Changing {
    /// Addresses of the instructions of those that change between ranges.
    sites: HashSet<u64>,
    /// Changes of all sites since this was last extended.
    changes: u64,
    /// Changes of a site, on average, for which all is compiled again.
    most: u64,
}

impl Changing {
    /// Nothing yet; compiles again after more than so many changes of a site.
    pub fn after(most: u64) -> Self {
        Self { sites: HashSet::new(), changes: 0, most }
    }

    /// Changes of a site that are waited for.
    pub const fn most(&self) -> u64 {
        self.most
    }

    /// Ranges that the site of an instruction compares with.
    fn ranges(&self, pc: u64) -> usize {
        if self.sites.contains(&pc) { RANGES } else { 1 }
    }

    /// True if it is time to compile again, since too many of these sites change.
    pub fn is_costly(&mut self, sites: &[Site]) -> bool {
        if self.changes <= self.most * sites.len() as u64 {
            return false;
        }
        let (before, often) = (self.sites.len(), self.most / PART);
        self.sites.extend(sites.iter().filter(|site| u64::from(site.changes) > often).map(|site| site.pc));
        self.changes = 0;
        self.most = self.most.saturating_mul(PATIENCE);
        self.sites.len() > before
    }
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
            for granted in &mut self.granted {
                granted[..sites].fill(Granted::default());
            }
        }
    }

    /// Has the site that asked for rights, if one did, remember where it has them, if they are granted.
    pub fn look_up(&mut self, pages: &Pages, sites: &mut [Site], changing: &mut Changing) {
        let Some(number) = (self.asked.site as usize).checked_sub(1) else { return };
        self.asked.site = 0;
        let Some(site) = sites.get_mut(number) else { return };
        let first = self.asked.register.wrapping_add(site.added);
        let Some((start, end)) = self.recent.find(pages, first, site) else { return };
        if self.granted[0][number].span > 0 {
            site.changes = site.changes.saturating_add(1);
            changing.changes += 1;
        }
        for range in (1..RANGES).rev() {
            self.granted[range][number] = self.granted[range - 1][number];
        }
        let span = end - start - (site.size - 1);
        self.granted[0][number] = Granted { start: start.wrapping_sub(site.added), span };
    }
}
