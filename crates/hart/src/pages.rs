//! Memory of a process: one reservation of the host's address space, guest address 0 at its start, and
//! rights page by page. A guest reaches only what was mapped for it.

use std::io;
use std::ops::{BitOr, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{MmapMut, MmapOptions};

use crate::fault::{Access, MemoryFault};
use crate::memory::Address;

/// Bytes of a page.
pub const PAGE: u64 = 1 << PAGE_BITS;
/// Its logarithm.
pub const PAGE_BITS: u32 = 12;

/// Pages whose rights [`Pages::reach`] looks at.
const LOOK: usize = size_of::<u128>();

/// What a guest may do with a page.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rights(u8);

impl Rights {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Load.
    pub const READ: Self = Self(1);
    /// Store.
    pub const WRITE: Self = Self(2);
    /// Fetch instructions.
    pub const EXECUTE: Self = Self(4);

    /// True if every right of `other` is among these.
    pub const fn include(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// As [`Pages::rights`] has them.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The one that an access takes.
    pub const fn of(access: Access) -> Self {
        match access {
            Access::Fetch => Self::EXECUTE,
            Access::Load => Self::READ,
            Access::Store => Self::WRITE,
        }
    }
}

impl BitOr for Rights {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What became of a process's pages without an access of a hart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// The kernel or the loader wrote bytes of a range.
    Written(Range<u64>),
    /// Nothing is at the pages of a range any more.
    Unmapped(Range<u64>),
    /// The pages of a range are at another address now, the first of them at this one.
    Moved(Range<u64>, u64),
}

/// Pages of a process.
pub struct Pages {
    /// Committed by the host as it is touched.
    bytes: MmapMut,
    /// One [`Rights`] a page.
    rights: MmapMut,
    /// See [`Pages::generation`].
    generation: u64,
    /// Since they were last asked for.
    changes: Vec<Change>,
}

impl Pages {
    /// An address space of `size` bytes, a multiple of [`PAGE`], with nothing in it.
    ///
    /// # Errors
    /// The host's, if it cannot give so much address space.
    pub fn new(size: u64) -> io::Result<Self> {
        let reserve = |bytes: u64| {
            let bytes = usize::try_from(bytes).map_err(io::Error::other)?;
            MmapOptions::new().len(bytes).no_reserve_swap().map_anon()
        };
        let (bytes, rights) = (reserve(size)?, reserve(size >> PAGE_BITS)?);
        Ok(Self { bytes, rights, generation: next_generation(), changes: Vec::new() })
    }

    /// End of the address space.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Where the bytes are, for code that checks its accesses itself.
    pub fn pointer(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr()
    }

    /// Where the rights of all pages are, a byte each ([`Rights::bits`]), for the same.
    pub fn rights(&self) -> *const u8 {
        self.rights.as_ptr()
    }

    /// A number that changes whenever a page loses a right, and that no other pages have: what was granted before
    /// still is while it stays the same.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Keeps a change for [`Pages::changes`].
    pub fn note(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Changes noted since they were last asked for.
    pub fn changes(&mut self) -> impl Iterator<Item = Change> {
        self.changes.drain(..)
    }

    /// Gives the pages of a range these rights. Its ends are multiples of [`PAGE`] within the address space.
    pub fn set_rights(&mut self, range: Range<u64>, rights: Rights) {
        let pages = &mut self.rights[(range.start >> PAGE_BITS) as usize..(range.end >> PAGE_BITS) as usize];
        if pages.iter().any(|&before| !rights.include(Rights(before))) {
            self.generation = next_generation();
        }
        pages.fill(rights.0);
    }

    /// Makes the pages of a range zero again and gives them back to the host.
    pub fn discard(&mut self, range: Range<u64>) {
        let bytes = range.start as usize..range.end as usize;
        if bytes.is_empty() {
            return;
        }
        #[cfg(target_os = "linux")]
        {
            use memmap2::UncheckedAdvice;
            // SAFETY: the mapping is private, anonymous and borrowed mutably; no reference into it lives,
            // and what "don't need" leaves behind is zeros.
            #[allow(unsafe_code, reason = "guest memory")]
            let advised = unsafe {
                self.bytes.unchecked_advise_range(UncheckedAdvice::DontNeed, bytes.start, bytes.len())
            };
            if advised.is_ok() {
                return;
            }
        }
        self.bytes[bytes].fill(0);
    }

    /// True if all of `size` bytes from `address` grant `access`.
    pub fn permits(&self, address: u64, size: usize, access: Access) -> bool {
        self.range(address, size, access).is_some()
    }

    /// Where `size` bytes from `address` lie, if all of them grant `access`.
    #[inline(always)]
    fn range(&self, address: u64, size: usize, access: Access) -> Option<Range<usize>> {
        let right = Rights::of(access);
        let end = address.checked_add(size as u64)?;
        let first = (address >> PAGE_BITS) as usize;
        let last = (end.saturating_sub(1).max(address) >> PAGE_BITS) as usize;
        let pages = self.rights.get(first..=last)?;
        let granted = pages.iter().all(|&page| Rights(page).include(right));
        granted.then_some(address as usize..end as usize)
    }

    /// The widest range around `size` bytes from `address` all of which grants `access`; `None` if those bytes do not.
    pub fn granted(&self, address: u64, size: usize, access: Access) -> Option<Range<u64>> {
        let bytes = self.range(address, size, access)?;
        let right = Rights::of(access);
        let grant = |page: &&u8| Rights(**page).include(right);
        let (first, last) = (bytes.start >> PAGE_BITS, bytes.end.div_ceil(PAGE as usize));
        let below = self.rights[..first].iter().rev().take_while(grant).count();
        let above = self.rights[last..].iter().take_while(grant).count();
        Some(((first - below) as u64) << PAGE_BITS..((last + above) as u64) << PAGE_BITS)
    }

    /// Where `size` bytes from `address` lie, if they are of one page that grants `access`: what nearly
    /// every access is.
    #[inline(always)]
    fn within_page(&self, address: u64, size: usize, access: Access) -> Option<Range<usize>> {
        let rights = self.rights.get((address >> PAGE_BITS) as usize)?;
        let fits = address % PAGE <= PAGE - size as u64;
        let granted = fits && Rights(*rights).include(Rights::of(access));
        granted.then_some(address as usize..address as usize + size)
    }

    /// Reads `N` bytes.
    ///
    /// # Errors
    /// [`MemoryFault`] if the guest may not.
    #[inline(always)]
    pub fn read<const N: usize>(&self, address: u64, access: Access) -> Result<[u8; N], MemoryFault> {
        match self.within_page(address, N, access).and_then(|range| self.bytes.get(range)) {
            Some(bytes) if let Ok(bytes) = bytes.try_into() => Ok(bytes),
            _ => self.read_across(address, access),
        }
    }

    #[cold]
    fn read_across<const N: usize>(&self, address: u64, access: Access) -> Result<[u8; N], MemoryFault> {
        match self.slice(address, N, access) {
            Some(bytes) if let Ok(bytes) = bytes.try_into() => Ok(bytes),
            _ => Err(MemoryFault { access, address: Address(address) }),
        }
    }

    /// Writes `N` bytes.
    ///
    /// # Errors
    /// [`MemoryFault`] if the guest may not, and then none is written.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), MemoryFault> {
        let range = self.within_page(address, N, Access::Store);
        match range.and_then(|range| self.bytes.get_mut(range)) {
            Some(target) => target.copy_from_slice(&bytes),
            None => return self.write_across(address, bytes),
        }
        Ok(())
    }

    #[cold]
    fn write_across<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), MemoryFault> {
        let fault = MemoryFault { access: Access::Store, address: Address(address) };
        self.slice_mut(address, N).ok_or(fault)?.copy_from_slice(&bytes);
        Ok(())
    }

    /// How many bytes from `address` on grant `access`, as far as a look at the rights of [`LOOK`] pages goes; `None` if
    /// not the first of them.
    #[inline]
    pub fn reach(&self, address: u64, access: Access) -> Option<usize> {
        let right = Rights::of(access);
        let first = usize::try_from(address >> PAGE_BITS).ok()?;
        let rights = self.rights.get(first..)?.first_chunk::<LOOK>()?;
        let all = u128::from_ne_bytes([right.0; LOOK]);
        let missing = u128::from_le_bytes(*rights) & all ^ all;
        let pages = u64::from(missing.trailing_zeros() / u8::BITS);
        let bytes = (pages << PAGE_BITS).checked_sub(address % PAGE).filter(|&bytes| bytes != 0)?;
        usize::try_from(bytes).ok()
    }

    /// Guest memory from `address` on that grants `access`, as far as [`Self::reach`] looks.
    #[inline]
    pub fn window(&self, address: u64, access: Access) -> Option<&[u8]> {
        let size = self.reach(address, access)?;
        self.bytes.get(usize::try_from(address).ok()?..)?.get(..size)
    }

    /// The same that the guest may write.
    #[inline]
    pub fn window_mut(&mut self, address: u64) -> Option<&mut [u8]> {
        let size = self.reach(address, Access::Store)?;
        self.bytes.get_mut(usize::try_from(address).ok()?..)?.get_mut(..size)
    }

    /// A slice of guest memory that grants `access`; `None` if not all of it does.
    pub fn slice(&self, address: u64, size: usize, access: Access) -> Option<&[u8]> {
        self.bytes.get(self.range(address, size, access)?)
    }

    /// A slice of guest memory that the guest may write; `None` if not all of it may be.
    pub fn slice_mut(&mut self, address: u64, size: usize) -> Option<&mut [u8]> {
        let range = self.range(address, size, Access::Store)?;
        self.bytes.get_mut(range)
    }

    /// Copies the bytes of a range to `target`, whatever the rights; both lie within the address space.
    pub fn copy(&mut self, range: Range<u64>, target: u64) {
        self.bytes.copy_within(range.start as usize..range.end as usize, target as usize);
    }

    /// Takes over what another process has in a range, whatever the rights; nothing was there so far. The range lies
    /// within both address spaces.
    pub fn take_over(&mut self, other: &Self, range: Range<u64>) {
        const ZEROS: [u8; PAGE as usize] = [0; PAGE as usize];
        for start in (range.start as usize..range.end as usize).step_by(ZEROS.len()) {
            let page = start..start + ZEROS.len();
            // Reading what was never touched takes the host no memory; writing zeros would.
            if other.bytes[page.clone()] != ZEROS {
                self.bytes[page.clone()].copy_from_slice(&other.bytes[page]);
            }
        }
    }

    /// A slice for the loader, whatever the rights; `None` past the end of the address space.
    pub fn raw_mut(&mut self, address: u64, size: usize) -> Option<&mut [u8]> {
        let start = usize::try_from(address).ok()?;
        self.bytes.get_mut(start..start.checked_add(size)?)
    }
}

fn next_generation() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}
