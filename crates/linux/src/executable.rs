//! The file that a process executes: what `/proc/self/exe` leads to.

use std::rc::Rc;

use crate::errno::Errno;
use crate::files::{Files, Kind, Object, Place, Root, Status, flag};

/// The link to it (`proc(5)`).
const LINK: &[u8] = b"/proc/self/exe";

/// The file that a process executes.
#[derive(Clone, Default)]
pub struct ExecutableFile {
    /// Its absolute path in the guest.
    pub path: Vec<u8>,
    /// Its content, if it came from outside of the guest's files, where no path leads to it.
    pub content: Option<Rc<[u8]>>,
}

impl ExecutableFile {
    /// True of the link's own place.
    pub fn is_named_by(place: &Place) -> bool {
        place.path() == LINK
    }

    /// That of the first program, which the user named by a path of the host, with its content.
    pub fn of_host(files: &Files, name: &[u8], content: &[u8]) -> Self {
        if let Some(path) = files.path_of(name) {
            return Self { path, content: None };
        }
        // Where the host has it is no business of the guest's.
        let last = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let path = Place::new(b"/", last).map(|place| place.path()).unwrap_or_default();
        Self { path, content: Some(content.into()) }
    }

    /// Its place below the root directory.
    ///
    /// # Errors
    /// `ENOENT` if it has none.
    pub fn place(&self) -> Result<Place, Errno> {
        Place::new(b"/", &self.path)
    }

    /// Opens it if it is none of the guest's files.
    ///
    /// # Errors
    /// `ETXTBSY` to write it.
    pub fn open(&self, flags: u32) -> Result<Option<Object>, Errno> {
        let Some(content) = &self.content else { return Ok(None) };
        if flags & flag::ACCESS != 0 || flags & flag::TRUNC != 0 {
            return Err(Errno::ETXTBSY);
        }
        Ok(Some(Object::Text { content: content.to_vec(), position: 0 }))
    }

    /// What is known of it, or of the link.
    ///
    /// # Errors
    /// As `fstatat`.
    pub fn status(&self, root: &Root, follows: bool) -> Result<Status, Errno> {
        match &self.content {
            _ if !follows => Ok(Status::made_up(Kind::Link, 0o777, 0)),
            Some(content) => Ok(Status::made_up(Kind::File, 0o555, content.len() as u64)),
            None => root.status(&self.place()?, true),
        }
    }
}
