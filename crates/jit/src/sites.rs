//! The sites of compiled code, and which of them are restless: they access more ranges than a site remembers. A region
//! that loses much time to them is compiled again, and they then look at the rights of pages before they leave.

use std::collections::HashSet;
use std::ops::Range;

use hart::fault::Access;

/// Misses of a region after which it is compiled again: they take a few times as long as that does.
const MANY: u32 = 1 << 15;
/// One part in so many of them makes a site restless.
const SHARE: u32 = 256;

/// A place in the guest's code that accesses memory: its block's address, and the micro-operation.
pub type Spot = (u64, usize);

/// The number, in place of a micro-operation's, of what is checked of a register where a region is entered.
pub const fn early(register: usize, kind: usize) -> usize {
    EARLY + 2 * register + kind
}

/// The first of these numbers, which no micro-operation has.
const EARLY: usize = usize::MAX >> 1;
/// Misses of such a site after which its region is compiled again without it: it checks what may not be accessed after all.
const MANY_EARLY: u32 = 64;

/// A place in compiled code that accesses memory.
pub struct Site {
    /// What is added to the register.
    pub added: u64,
    /// How many bytes, at least one.
    pub size: u64,
    /// Loads or stores.
    pub access: Access,
    /// What it was made from.
    pub spot: Spot,
    region: usize,
    misses: u32,
}

impl Site {
    /// True if it is checked where a region is entered.
    pub const fn is_early(&self) -> bool {
        self.spot.1 >= EARLY
    }
}

/// A region's.
struct Group {
    sites: Range<usize>,
    entries: Range<u32>,
    misses: u32,
}

/// All sites of compiled code.
#[derive(Default)]
pub struct Sites {
    all: Vec<Site>,
    groups: Vec<Group>,
    restless: HashSet<Spot>,
}

impl Sites {
    /// How many there are.
    pub const fn count(&self) -> usize {
        self.all.len()
    }

    /// One of them.
    pub fn get(&self, number: usize) -> Option<&Site> {
        self.all.get(number)
    }

    /// One more, of the region under construction.
    pub fn add(&mut self, added: u64, size: u64, access: Access, spot: Spot) {
        self.all.push(Site { added, size, access, spot, region: self.groups.len(), misses: 0 });
    }

    /// The region under construction is done, with these entries.
    pub fn end_region(&mut self, entries: Range<u32>) {
        let start = self.groups.last().map_or(0, |group| group.sites.end);
        self.groups.push(Group { sites: start..self.all.len(), entries, misses: 0 });
    }

    /// True if what a spot accesses changes among many ranges.
    pub fn is_restless(&self, spot: Spot) -> bool {
        self.restless.contains(&spot)
    }

    /// Counts an access outside of what a site remembers; the entries of its region if that is to be compiled again.
    pub fn missed(&mut self, number: usize) -> Option<Range<u32>> {
        let site = self.all.get_mut(number)?;
        site.misses += 1;
        let group = self.groups.get_mut(site.region)?;
        group.misses += 1;
        let fails = site.is_early() && site.misses % MANY_EARLY == 0;
        if group.misses % MANY != 0 && !fails {
            return None;
        }
        let known = self.restless.len();
        let often = |site: &&Site| site.misses > if site.is_early() { MANY_EARLY / 4 } else { MANY / SHARE };
        self.restless.extend(self.all[group.sites.clone()].iter().filter(often).map(|site| site.spot));
        (self.restless.len() > known && !group.entries.is_empty()).then(|| group.entries.clone())
    }
}
