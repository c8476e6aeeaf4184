//! Guest memory: flat regions of a bare-metal machine, or the pages of a process; every access checked,
//! nothing of the host reachable.

use std::io;
use std::ops::Range;

use memmap2::MmapMut;

use crate::fault::{Access, MemoryFault};
use crate::pages::Pages;
pub use crate::reservation::Reservation;

/// Guest physical address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Address(pub u64);

/// A memory access of one instruction, for traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// Address.
    pub address: Address,
    /// Size in bytes.
    pub size: u8,
    /// The stored value; `None` for a load.
    pub stored: Option<u64>,
}

/// A contiguous range of guest memory.
struct Region {
    base: u64,
    /// Pages of the host, committed as they are touched.
    bytes: MmapMut,
}

/// Eight bytes from here wrap around the address space, where nothing is ever mapped.
const NO_TOHOST: u64 = u64::MAX - 7;

/// The benches' device (`bench.h`): a byte for the console, and 8 bytes on the status that ends the run.
#[derive(Clone, Copy, Default)]
struct Mailbox {
    address: Option<u64>,
    /// Offset, and the word there.
    written: Option<(u64, u32)>,
}

/// Bytes of its registers.
const MAILBOX: u64 = 16;

/// What a store leads to other than a plain write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteEvent {
    /// Nothing was written.
    Fault(MemoryFault),
    /// The host-target interface's word was written.
    Host,
}

/// Memory of one guest.
///
/// The first region is found without a search: it is the one programs run in.
pub struct Memory {
    main: Region,
    others: Vec<Region>,
    /// A process's memory; the main region is then empty.
    pages: Option<Pages>,
    /// Address of the host-target interface's word; without one, an address no store begins at.
    tohost: u64,
    /// Which bytes of `tohost` were written since the machine last looked, as a mask.
    tohost_bytes: u8,
    /// Registers outside memory that the guest writes to, and what it wrote since the machine last looked.
    mailbox: Mailbox,
    /// What a load-reserved has claimed. It is kept here so that other writers than the hart that made it find it.
    pub reservation: Reservation,
}

/// Where guest memory is, for code that checks its accesses itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Guest address of the first byte.
    pub base: u64,
    /// The bytes.
    pub bytes: *mut u8,
    /// How many.
    pub length: u64,
    /// True of a process, whose pages have rights ([`Pages::granted`]).
    pub paged: bool,
    /// Guest address of the host-target interface's word; a store that begins in its eight bytes is an event.
    pub tohost: Option<u64>,
}

impl Memory {
    /// Where the main region or a process's memory is. What it says stays true while this memory lives.
    pub fn layout(&mut self) -> Layout {
        let tohost = (self.tohost != NO_TOHOST).then_some(self.tohost);
        match &mut self.pages {
            Some(pages) => {
                Layout { base: 0, bytes: pages.pointer(), length: pages.size(), paged: true, tohost: None }
            }
            None => {
                let length = self.main.bytes.len() as u64;
                Layout {
                    base: self.main.base,
                    bytes: self.main.bytes.as_mut_ptr(),
                    length,
                    paged: false,
                    tohost,
                }
            }
        }
    }

    /// Memory of one region of `size` zero bytes at `base`.
    ///
    /// # Errors
    /// The host's, if it cannot give so much address space.
    pub fn new(base: Address, size: usize) -> io::Result<Self> {
        Ok(Self::of(Region::new(base, size)?, None))
    }

    /// Memory of a process.
    ///
    /// # Errors
    /// The host's.
    pub fn paged(pages: Pages) -> io::Result<Self> {
        Ok(Self::of(Region::new(Address(u64::MAX), 0)?, Some(pages)))
    }

    const fn of(main: Region, pages: Option<Pages>) -> Self {
        Self {
            main,
            others: Vec::new(),
            pages,
            tohost: NO_TOHOST,
            tohost_bytes: 0,
            mailbox: Mailbox { address: None, written: None },
            reservation: Reservation::NONE,
        }
    }

    /// True if this is a process's memory.
    pub const fn is_paged(&self) -> bool {
        self.pages.is_some()
    }

    /// A process's pages.
    pub const fn pages_mut(&mut self) -> Option<&mut Pages> {
        self.pages.as_mut()
    }

    /// Adds a region of zero bytes; it must not overlap another.
    ///
    /// # Errors
    /// The host's, if it cannot give so much address space.
    pub fn add_region(&mut self, base: Address, size: usize) -> io::Result<()> {
        self.others.push(Region::new(base, size)?);
        Ok(())
    }

    /// True if the guest may read all of `size` bytes from `address`.
    pub fn contains(&self, address: Address, size: usize) -> bool {
        self.slice(address, size).is_some()
    }

    /// Watches the host-target interface's word.
    pub const fn set_tohost(&mut self, address: Address) {
        self.tohost = address.0;
    }

    /// Which bytes of `tohost` were written since the last call, as a mask.
    pub const fn take_tohost_bytes(&mut self) -> u8 {
        std::mem::replace(&mut self.tohost_bytes, 0)
    }

    /// Watches stores to a mailbox, which lies outside memory.
    pub const fn set_mailbox(&mut self, address: Address) {
        self.mailbox.address = Some(address.0);
    }

    /// Offset and word of the last store to the mailbox, if there was one since the last call.
    pub const fn take_mail(&mut self) -> Option<(u64, u32)> {
        self.mailbox.written.take()
    }

    /// True if `tohost` or the mailbox was written since it was last taken.
    pub const fn host_touched(&self) -> bool {
        self.tohost_bytes != 0 || self.mailbox.written.is_some()
    }

    /// Reserves bytes for a store-conditional, in place of what was reserved before.
    pub const fn reserve(&mut self, address: Address, bytes: u64) {
        self.reservation = Reservation { first: address.0, bytes };
    }

    /// Ends the reservation; true if there was one, of the byte at `address`, too.
    pub const fn take_reservation(&mut self, address: Address) -> bool {
        let covers = self.reservation.covers(address.0);
        self.reservation = Reservation::NONE;
        covers
    }

    /// True if there is a reservation.
    pub const fn is_reserved(&self) -> bool {
        self.reservation.bytes != 0
    }

    /// Forgets the reservation, as a kernel does on its way back to a process: what ran in between may have written
    /// there.
    pub const fn drop_reservation(&mut self) {
        self.reservation = Reservation::NONE;
    }

    fn regions(&self) -> impl Iterator<Item = &Region> {
        std::iter::once(&self.main).chain(&self.others)
    }

    /// Reads `N` bytes, little-endian order.
    ///
    /// # Errors
    /// [`MemoryFault`] if any of them does not exist.
    #[inline(always)]
    pub fn read<const N: usize>(&self, address: Address, access: Access) -> Result<[u8; N], MemoryFault> {
        let offset = address.0.wrapping_sub(self.main.base) as usize;
        match self.main.bytes.get(offset..offset.wrapping_add(N)) {
            Some(bytes) if let Ok(bytes) = bytes.try_into() => Ok(bytes),
            _ => match &self.pages {
                Some(pages) => pages.read(address.0, access),
                None => self.read_elsewhere(address, access),
            },
        }
    }

    #[cold]
    fn read_elsewhere<const N: usize>(
        &self,
        address: Address,
        access: Access,
    ) -> Result<[u8; N], MemoryFault> {
        for region in &self.others {
            if let Some(offset) = region.offset(address.0, N)
                && let Ok(bytes) = region.bytes[offset..offset + N].try_into()
            {
                return Ok(bytes);
            }
        }
        Err(MemoryFault { access, address })
    }

    /// Writes `N` bytes.
    ///
    /// # Errors
    /// [`WriteEvent::Fault`] if any of them does not exist, and then none is written;
    /// [`WriteEvent::Host`] after a write into `tohost` or the mailbox.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, address: Address, bytes: [u8; N]) -> Result<(), WriteEvent> {
        let offset = address.0.wrapping_sub(self.main.base) as usize;
        match self.main.bytes.get_mut(offset..offset.wrapping_add(N)) {
            Some(target) => target.copy_from_slice(&bytes),
            None => match &mut self.pages {
                // A process has no host-target interface.
                Some(pages) => return pages.write(address.0, bytes).map_err(WriteEvent::Fault),
                None => self.write_elsewhere(address, bytes)?,
            },
        }
        if address.0.wrapping_sub(self.tohost) < 8 { Err(self.note_tohost(address, N)) } else { Ok(()) }
    }

    /// Writes bytes; false if the guest may not write all of them, and then none is written.
    #[inline]
    pub fn write_slice(&mut self, address: Address, bytes: &[u8]) -> bool {
        let Some(target) = self.own_slice_mut(address, bytes.len()) else { return false };
        target.copy_from_slice(bytes);
        let end = address.0.saturating_add(bytes.len() as u64);
        if address.0 < self.tohost.wrapping_add(8) && self.tohost < end {
            self.note_tohost_within(address.0..end);
        }
        true
    }

    #[cold]
    fn note_tohost_within(&mut self, written: Range<u64>) {
        for byte in (0..8).filter(|byte| written.contains(&(self.tohost + byte))) {
            self.tohost_bytes |= 1 << byte;
        }
    }

    #[cold]
    const fn note_tohost(&mut self, address: Address, size: usize) -> WriteEvent {
        let start = address.0.wrapping_sub(self.tohost);
        let noted = if size < 8 { size } else { 8 };
        self.tohost_bytes |= ((((1u16 << noted) - 1) << start) & 0xff) as u8;
        WriteEvent::Host
    }

    #[cold]
    fn write_elsewhere<const N: usize>(
        &mut self,
        address: Address,
        bytes: [u8; N],
    ) -> Result<(), WriteEvent> {
        if let Some(mailbox) = self.mailbox.address
            && address.0.wrapping_sub(mailbox) < MAILBOX
        {
            let word = bytes.iter().take(4).rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
            self.mailbox.written = Some((address.0 - mailbox, word));
            return Err(WriteEvent::Host);
        }
        let target = self.own_slice_mut(address, N);
        let fault = MemoryFault { access: Access::Store, address };
        target.ok_or(WriteEvent::Fault(fault))?.copy_from_slice(&bytes);
        Ok(())
    }

    /// A slice of guest memory to read; `None` if the guest may not read all of it.
    #[inline]
    pub fn slice(&self, address: Address, size: usize) -> Option<&[u8]> {
        if let Some(pages) = &self.pages {
            return pages.slice(address.0, size, Access::Load);
        }
        self.regions().find_map(|region| {
            let offset = region.offset(address.0, size)?;
            region.bytes.get(offset..offset + size)
        })
    }

    /// Guest memory from an address on, as far as the guest may read it all or as one look goes; `None` if that is nothing.
    #[inline]
    pub fn window(&self, address: Address) -> Option<&[u8]> {
        match &self.pages {
            Some(pages) => pages.window(address.0, Access::Load),
            None => self.main.bytes.get(usize::try_from(address.0.checked_sub(self.main.base)?).ok()?..),
        }
    }

    /// The same for the hart to write, as far as no write is an event.
    #[inline]
    pub fn quiet_window_mut(&mut self, address: Address) -> Option<&mut [u8]> {
        if let Some(pages) = &mut self.pages {
            return pages.window_mut(address.0);
        }
        let window =
            self.main.bytes.get_mut(usize::try_from(address.0.checked_sub(self.main.base)?).ok()?..)?;
        let quiet = if self.tohost.wrapping_add(7) < address.0 {
            usize::MAX
        } else {
            usize::try_from(self.tohost.saturating_sub(address.0)).ok()?
        };
        let size = window.len().min(quiet);
        Some(&mut window[..size])
    }

    /// A slice of guest memory for another writer than the hart; `None` if the guest may not write all of it. A
    /// reservation of any of its bytes ends.
    pub fn slice_mut(&mut self, address: Address, size: usize) -> Option<&mut [u8]> {
        let Reservation { first, .. } = self.reservation;
        if self.reservation.covers(address.0) || first.wrapping_sub(address.0) < size as u64 {
            self.reservation = Reservation::NONE;
        }
        self.own_slice_mut(address, size)
    }

    /// A slice of guest memory for the hart to write; `None` if it may not write all of it.
    #[inline]
    pub(crate) fn own_slice_mut(&mut self, address: Address, size: usize) -> Option<&mut [u8]> {
        if let Some(pages) = &mut self.pages {
            return pages.slice_mut(address.0, size);
        }
        std::iter::once(&mut self.main).chain(&mut self.others).find_map(|region| {
            let offset = region.offset(address.0, size)?;
            region.bytes.get_mut(offset..offset + size)
        })
    }
}

impl Memory {
    /// A slice of guest memory for the hart to write; `None` also if writing there might be an event.
    #[inline]
    pub fn quiet_slice_mut(&mut self, address: Address, size: usize) -> Option<&mut [u8]> {
        let end = address.0.saturating_add(size as u64);
        let is_event = address.0 < self.tohost.wrapping_add(8) && self.tohost < end;
        if is_event { None } else { self.own_slice_mut(address, size) }
    }
}

impl Region {
    fn new(base: Address, size: usize) -> io::Result<Self> {
        Ok(Self { base: base.0, bytes: MmapMut::map_anon(size)? })
    }

    fn offset(&self, address: u64, size: usize) -> Option<usize> {
        let offset = usize::try_from(address.checked_sub(self.base)?).ok()?;
        (offset.checked_add(size)? <= self.bytes.len()).then_some(offset)
    }
}
