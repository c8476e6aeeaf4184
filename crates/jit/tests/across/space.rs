//! Where guests are: memory of one length, or pages with rights.

use std::ops::Range;

use hart::pages::{PAGE, Pages, Rights};
use hart::{Address, Memory};

/// Memory of a guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// All of it may be accessed.
    Flat { tohost: bool },
    /// A process's.
    Paged,
}

/// Both kinds.
pub const BOTH: [Space; 2] = [Space::Flat { tohost: false }, Space::Paged];

/// First byte and size of flat memory.
const BASE: u64 = 0x8000_0000;
const SIZE: u64 = 0x6000;
/// The host-target interface's word, if there is one.
pub const TOHOST: u64 = BASE + 0x3100;
/// Page of a process's code.
const CODE: u64 = 1;

/// What a process's pages grant.
fn rights(page: u64) -> Rights {
    match page {
        CODE => Rights::READ | Rights::EXECUTE,
        3..=6 | 12..=13 | 15 => Rights::READ | Rights::WRITE,
        7 | 11 => Rights::READ,
        10 => Rights::WRITE,
        _ => Rights::NONE,
    }
}
const PAGES: u64 = 16;

/// Pages beside each other by what they grant.
pub mod page {
    use hart::pages::PAGE;

    /// Nothing is granted below.
    pub const FIRST: u64 = 3 * PAGE;
    /// Only loads are granted from here on.
    pub const READ_ONLY: u64 = 7 * PAGE;
    /// Nothing is granted from here on.
    pub const END: u64 = 8 * PAGE;
    /// Stores, then loads.
    pub const WRITE_ONLY_END: u64 = 11 * PAGE;
    /// Stores below, loads up to the next, which has both.
    pub const HOLE: u64 = WRITE_ONLY_END;
    /// Loads below, both from here on.
    pub const READ_ONLY_END: u64 = 12 * PAGE;
    /// The address space ends here.
    pub const LAST: u64 = 16 * PAGE;
}

impl Space {
    /// Address of the first instruction.
    pub const fn code(self) -> u64 {
        match self {
            Self::Flat { .. } => BASE,
            Self::Paged => CODE * PAGE,
        }
    }

    pub fn tohost(self) -> Option<Address> {
        (self == Self::Flat { tohost: true }).then_some(Address(TOHOST))
    }

    /// All there is.
    pub const fn range(self) -> Range<u64> {
        match self {
            Self::Flat { .. } => BASE..BASE + SIZE,
            Self::Paged => 0..PAGES * PAGE,
        }
    }

    /// A place where nothing ends for more than a page in both directions.
    pub const fn quiet(self) -> u64 {
        match self {
            Self::Flat { .. } => BASE + 0x4400,
            Self::Paged => 5 * PAGE,
        }
    }

    /// Addresses where something ends or begins.
    pub fn edges(self) -> Vec<u64> {
        match self {
            Self::Flat { tohost } => {
                let mut edges = vec![BASE, BASE + SIZE];
                edges.extend(tohost.then_some(TOHOST));
                edges
            }
            Self::Paged => {
                let pages = [page::FIRST, page::READ_ONLY, page::END, page::WRITE_ONLY_END];
                [&pages[..], &[page::READ_ONLY_END, page::LAST]].concat()
            }
        }
    }

    /// Where upper ends are.
    pub fn end(self) -> u64 {
        match self {
            Self::Flat { .. } => BASE + SIZE,
            Self::Paged => page::END,
        }
    }

    /// The memory, with code in it.
    pub fn memory(self, code: &[u8]) -> Memory {
        match self {
            Self::Flat { .. } => {
                let mut memory = Memory::new(Address(BASE), SIZE as usize).expect("a small memory");
                self.tohost().into_iter().for_each(|tohost| memory.set_tohost(tohost));
                let bytes = memory.slice_mut(Address(BASE), SIZE as usize).expect("all of it");
                fill(bytes);
                bytes[..code.len()].copy_from_slice(code);
                memory
            }
            Self::Paged => {
                let mut pages = Pages::new(PAGES * PAGE).expect("address space");
                fill(pages.raw_mut(0, (PAGES * PAGE) as usize).expect("all of it"));
                pages.raw_mut(CODE * PAGE, code.len()).expect("room").copy_from_slice(code);
                (0..PAGES).for_each(|page| pages.set_rights(page * PAGE..(page + 1) * PAGE, rights(page)));
                Memory::paged(pages).expect("no host memory is needed")
            }
        }
    }
}

fn fill(bytes: &mut [u8]) {
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = (index * 37 + index / 256 + 11) as u8;
    }
}
