//! Open files of a process.

mod directory;
mod epoll;
pub mod flag;
mod object;
mod outcome;
mod pipe;
mod root;
mod status;
mod synthetic;

use std::cell::{Ref, RefCell, RefMut};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use epoll::Epoll;
pub use object::{Description, Object};
pub use outcome::{Outcome, Readiness};
pub use pipe::{PipeFile, Pipes, pipe};
pub use root::{Place, Root};
pub use status::{Kind, Status};
pub use synthetic::descriptor;

use crate::errno::Errno;

/// Most open files of a process.
pub const MOST_FILES: usize = 1024;

/// An entry of the table: descriptions are shared by `dup`.
#[derive(Clone)]
struct Entry {
    description: Rc<RefCell<Description>>,
    close_on_exec: bool,
}

/// The table of open files, and what can be opened. A copy shares the open files, as a child does.
#[derive(Clone)]
pub struct Files {
    table: Vec<Option<Entry>>,
    /// Pipes of all processes.
    pub pipes: Pipes,
    /// The guest's `/`.
    pub root: Root,
    /// Where the host has it.
    folder: Option<PathBuf>,
}

impl Files {
    /// Standard input, output and error, and the files below a directory of the host.
    ///
    /// # Errors
    /// The host's, if the directory cannot be opened.
    pub fn new(root: Option<&Path>, writable: bool) -> std::io::Result<Self> {
        let standard = [Object::Input, Object::Output, Object::ErrorOutput].map(|object| {
            let description = Rc::new(RefCell::new(Description::new(object, flag::RDWR)));
            Some(Entry { description, close_on_exec: false })
        });
        let folder = root.map(Path::canonicalize).transpose()?;
        let root = Root::new(root, writable)?;
        Ok(Self { table: standard.into(), pipes: Pipes::default(), root, folder })
    }

    /// The absolute path that a file of the host has in the guest, if it lies below the guest's `/`.
    pub fn path_of(&self, name: &[u8]) -> Option<Vec<u8>> {
        let folder = self.folder.as_deref()?;
        let file = Path::new(OsStr::from_bytes(name)).canonicalize().ok()?;
        let below = file.strip_prefix(folder).ok()?;
        Some(Place::new(b"/", below.as_os_str().as_bytes()).ok()?.path())
    }

    /// An open file.
    ///
    /// # Errors
    /// `EBADF`.
    pub fn get(&self, number: i32) -> Result<Ref<'_, Description>, Errno> {
        Ok(self.entry(number)?.description.borrow())
    }

    /// An open file, to change.
    ///
    /// # Errors
    /// `EBADF`.
    pub fn get_mut(&self, number: i32) -> Result<RefMut<'_, Description>, Errno> {
        Ok(self.entry(number)?.description.borrow_mut())
    }

    /// An open file to keep.
    ///
    /// # Errors
    /// `EBADF`.
    pub fn share(&self, number: i32) -> Result<Rc<RefCell<Description>>, Errno> {
        Ok(Rc::clone(&self.entry(number)?.description))
    }

    fn entry(&self, number: i32) -> Result<&Entry, Errno> {
        let index = usize::try_from(number).map_err(|_| Errno::EBADF)?;
        self.table.get(index).and_then(Option::as_ref).ok_or(Errno::EBADF)
    }

    /// Opens an object under the lowest free number.
    ///
    /// # Errors
    /// `EMFILE`.
    pub fn open(&mut self, object: Object, flags: u32) -> Result<i32, Errno> {
        let description = Rc::new(RefCell::new(Description::new(object, flags)));
        self.place(description, 0, flags & flag::CLOEXEC != 0)
    }

    /// Puts a description under the lowest free number that is at least `lowest`.
    ///
    /// # Errors
    /// `EMFILE`; `EINVAL` for an impossible number.
    pub fn place(
        &mut self,
        description: Rc<RefCell<Description>>,
        lowest: i32,
        close_on_exec: bool,
    ) -> Result<i32, Errno> {
        let lowest = usize::try_from(lowest).map_err(|_| Errno::EINVAL)?;
        let is_free = |index: &usize| self.table.get(*index).is_none_or(Option::is_none);
        let index = (lowest..MOST_FILES).find(is_free).ok_or(Errno::EMFILE)?;
        self.put(index, Entry { description, close_on_exec });
        Ok(index as i32)
    }

    /// Puts a description under a number, closing what is there (`dup3`).
    ///
    /// # Errors
    /// `EBADF` for an impossible number.
    pub fn replace(
        &mut self,
        number: i32,
        description: Rc<RefCell<Description>>,
        close_on_exec: bool,
    ) -> Result<(), Errno> {
        let index = usize::try_from(number).ok().filter(|&index| index < MOST_FILES).ok_or(Errno::EBADF)?;
        self.put(index, Entry { description, close_on_exec });
        Ok(())
    }

    fn put(&mut self, index: usize, entry: Entry) {
        if self.table.len() <= index {
            self.table.resize(index + 1, None);
        }
        self.table[index] = Some(entry);
    }

    /// Closes a file.
    ///
    /// # Errors
    /// `EBADF`.
    pub fn close(&mut self, number: i32) -> Result<(), Errno> {
        self.entry(number)?;
        self.table[number as usize] = None;
        Ok(())
    }

    /// Closes what closes on `execve`.
    pub fn begin_program(&mut self) {
        for entry in &mut self.table {
            entry.take_if(|entry| entry.close_on_exec);
        }
    }

    /// True if a file closes on `execve`.
    ///
    /// # Errors
    /// `EBADF`.
    pub fn close_on_exec(&self, number: i32) -> Result<bool, Errno> {
        Ok(self.entry(number)?.close_on_exec)
    }

    /// Sets whether a file closes on `execve`.
    ///
    /// # Errors
    /// `EBADF`.
    pub fn set_close_on_exec(&mut self, number: i32, value: bool) -> Result<(), Errno> {
        self.entry(number)?;
        if let Some(Some(entry)) = self.table.get_mut(number as usize) {
            entry.close_on_exec = value;
        }
        Ok(())
    }

    /// Checks that a file can be mapped; returns its number.
    ///
    /// # Errors
    /// `EBADF`; `ENODEV` for what has no content of its own.
    pub fn mapped(&self, number: i32) -> Result<i32, Errno> {
        match self.get(number)?.object {
            Object::Regular(_) | Object::Text { .. } => Ok(number),
            _ => Err(Errno::ENODEV),
        }
    }

    /// Fills a buffer from a place in a file; what lies past its end stays.
    ///
    /// # Errors
    /// `EBADF` and the host's.
    pub fn read_at(&self, number: i32, offset: u64, target: &mut [u8]) -> Result<usize, Errno> {
        let description = self.get(number)?;
        let mut done = 0;
        while done < target.len() {
            match description.read_at(offset + done as u64, &mut target[done..])? {
                0 => break,
                read => done += read,
            }
        }
        Ok(done)
    }
}
