//! Open directories and their entries.

use std::cell::Cell;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirEntryExt;
use std::rc::Rc;

use cap_std::fs::{Dir, FileTypeExt, MetadataExt};

use super::status::{Kind, Status};
use crate::errno::Errno;

/// Most entries that the open directories of a process hold together: a bound on what listing costs.
const MOST_ENTRIES: usize = 1 << 20;

/// How many they hold.
#[derive(Clone, Default)]
pub struct Listed(Rc<Cell<usize>>);

/// An open directory.
pub struct Directory {
    directory: Dir,
    /// Its absolute path in the guest.
    path: Vec<u8>,
    /// Its entries by name, as they were when first read.
    entries: Option<Vec<Entry>>,
    next: usize,
    listed: Listed,
}

impl Drop for Directory {
    fn drop(&mut self) {
        self.forget();
    }
}

struct Entry {
    inode: u64,
    kind: Kind,
    name: Vec<u8>,
}

impl Directory {
    /// A directory about to be read.
    pub const fn new(directory: Dir, path: Vec<u8>, listed: Listed) -> Self {
        Self { directory, path, entries: None, next: 0, listed }
    }

    /// Its absolute path in the guest.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// What is known of it.
    ///
    /// # Errors
    /// The host's.
    pub fn status(&self) -> Result<Status, Errno> {
        Ok(Status::from(&self.directory.dir_metadata()?))
    }

    fn forget(&mut self) {
        let count = self.entries.take().map_or(0, |entries| entries.len());
        self.listed.0.set(self.listed.0.get() - count);
    }

    /// Goes on reading at entry `index`; at the first, it is read anew.
    pub fn seek(&mut self, index: u64) {
        if index == 0 {
            self.forget();
        }
        self.next = usize::try_from(index).unwrap_or(usize::MAX);
    }

    /// The next entries as `getdents64` has them, as many as fit; sorted by name, so that what a program
    /// does with them repeats on another host.
    ///
    /// # Errors
    /// `EINVAL` if not even one fits, `ENOMEM` if the open directories of the process hold too many, and the
    /// host's.
    pub fn read(&mut self, room: usize) -> Result<Vec<u8>, Errno> {
        if self.entries.is_none() {
            let entries = self.list()?;
            self.listed.0.set(self.listed.0.get() + entries.len());
            self.entries = Some(entries);
        }
        let entries = self.entries.as_deref().unwrap_or_default();
        let mut bytes = Vec::new();
        while let Some(entry) = entries.get(self.next) {
            // d_ino, d_off, d_reclen, d_type, d_name and its zero, to a multiple of eight.
            let length = (19 + entry.name.len() + 1).next_multiple_of(8);
            if bytes.len() + length > room {
                if bytes.is_empty() {
                    return Err(Errno::EINVAL);
                }
                break;
            }
            self.next += 1;
            let end = bytes.len() + length;
            bytes.extend_from_slice(&entry.inode.to_le_bytes());
            bytes.extend_from_slice(&(self.next as u64).to_le_bytes());
            bytes.extend_from_slice(&(length as u16).to_le_bytes());
            bytes.push(entry.kind.directory_type());
            bytes.extend_from_slice(&entry.name);
            bytes.resize(end, 0);
        }
        Ok(bytes)
    }

    fn list(&self) -> Result<Vec<Entry>, Errno> {
        let own = self.directory.dir_metadata()?.ino();
        let mut entries: Vec<Entry> = [&b"."[..], b".."]
            .map(|name| Entry { inode: own, kind: Kind::Directory, name: name.to_vec() })
            .into();
        for entry in self.directory.entries()? {
            let entry = entry?;
            if self.listed.0.get() + entries.len() >= MOST_ENTRIES {
                return Err(Errno::ENOMEM);
            }
            let kind = entry.file_type()?;
            let kind = if kind.is_dir() {
                Kind::Directory
            } else if kind.is_symlink() {
                Kind::Link
            } else if kind.is_file() {
                Kind::File
            } else if kind.is_fifo() {
                Kind::Pipe
            } else {
                Kind::Other
            };
            entries.push(Entry { inode: entry.ino(), kind, name: entry.file_name().as_bytes().to_vec() });
        }
        entries[2..].sort_by(|left, right| left.name.cmp(&right.name));
        Ok(entries)
    }
}
