//! A process's memory as system calls see it: every access checked, a bad one is `EFAULT`.

use hart::fault::Access;
use hart::pages::{Change, PAGE, Pages};
use hart::{Address, Memory};

use crate::errno::Errno;

/// Longest path, with its terminating zero (`PATH_MAX`).
const LONGEST_PATH: usize = 4096;

/// Memory accesses of system calls.
pub trait Guest {
    /// Reads `N` bytes.
    ///
    /// # Errors
    /// `EFAULT`.
    fn get<const N: usize>(&self, address: u64) -> Result<[u8; N], Errno>;
    /// Writes bytes.
    ///
    /// # Errors
    /// `EFAULT`, and then none is written.
    fn put(&mut self, address: u64, bytes: &[u8]) -> Result<(), Errno>;
    /// Bytes to read.
    ///
    /// # Errors
    /// `EFAULT`.
    fn bytes(&self, address: u64, size: usize) -> Result<&[u8], Errno>;
    /// Bytes to write.
    ///
    /// # Errors
    /// `EFAULT`.
    fn bytes_mut(&mut self, address: u64, size: usize) -> Result<&mut [u8], Errno>;

    /// Reads a 32-bit word.
    ///
    /// # Errors
    /// `EFAULT`.
    fn get_u32(&self, address: u64) -> Result<u32, Errno> {
        self.get(address).map(u32::from_le_bytes)
    }

    /// Reads a 64-bit word.
    ///
    /// # Errors
    /// `EFAULT`.
    fn get_u64(&self, address: u64) -> Result<u64, Errno> {
        self.get(address).map(u64::from_le_bytes)
    }

    /// Reads a string that ends with a zero, without it.
    ///
    /// # Errors
    /// `EFAULT`; `ENAMETOOLONG` beyond `PATH_MAX`.
    fn string(&self, address: u64) -> Result<Vec<u8>, Errno> {
        self.string_within(address, LONGEST_PATH).and_then(|found| found.ok_or(Errno::ENAMETOOLONG))
    }

    /// Reads a string that ends with a zero within `most` bytes, without it; `None` if it does not.
    ///
    /// # Errors
    /// `EFAULT`.
    fn string_within(&self, address: u64, most: usize) -> Result<Option<Vec<u8>>, Errno> {
        let mut found = Vec::new();
        let mut at = address;
        while found.len() < most {
            // Up to the end of the page, after which nothing may be mapped.
            let chunk = (PAGE - at % PAGE).min((most - found.len()) as u64);
            let bytes = self.bytes(at, chunk as usize)?;
            if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
                found.extend_from_slice(&bytes[..end]);
                return Ok(Some(found));
            }
            found.extend_from_slice(bytes);
            at = at.wrapping_add(chunk);
        }
        Ok(None)
    }

    /// The process's pages.
    ///
    /// # Errors
    /// `EFAULT` if this is not a process's memory.
    fn pages(&mut self) -> Result<&mut Pages, Errno>;
}

impl Guest for Memory {
    fn get<const N: usize>(&self, address: u64) -> Result<[u8; N], Errno> {
        self.read(Address(address), Access::Load).map_err(|_| Errno::EFAULT)
    }

    fn put(&mut self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        self.bytes_mut(address, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn bytes(&self, address: u64, size: usize) -> Result<&[u8], Errno> {
        if size == 0 { Ok(&[]) } else { self.slice(Address(address), size).ok_or(Errno::EFAULT) }
    }

    fn bytes_mut(&mut self, address: u64, size: usize) -> Result<&mut [u8], Errno> {
        if size == 0 {
            return Ok(&mut []);
        }
        if let Some(pages) = self.pages_mut().filter(|pages| pages.permits(address, size, Access::Store)) {
            pages.note(Change::Written(address..address + size as u64));
        }
        self.slice_mut(Address(address), size).ok_or(Errno::EFAULT)
    }

    fn pages(&mut self) -> Result<&mut Pages, Errno> {
        self.pages_mut().ok_or(Errno::EFAULT)
    }
}
