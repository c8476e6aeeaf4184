//! What an open file is, and reading and writing it.

use std::io::{Read, Seek, SeekFrom, Write};

use cap_std::fs::{File, FileExt};

use super::directory::Directory;
use super::epoll::Epoll;
use super::flag;
use super::outcome::{Outcome, Readiness};
use super::pipe::{Reader, Writer};
use super::status::{Kind, Status};
use crate::errno::Errno;
use crate::random::Random;
use crate::streams::Streams;

/// Most bytes that the host is given at a time, of which it may make a copy.
const CONSOLE_CHUNK: usize = 1 << 20;

/// What an open file is.
pub enum Object {
    /// The process's standard input.
    Input,
    /// Its standard output.
    Output,
    /// Its standard error.
    ErrorOutput,
    /// A file of the host.
    Regular(File),
    /// A directory of the host.
    Directory(Directory),
    /// `/dev/null`.
    Null,
    /// `/dev/zero`.
    Zero,
    /// `/dev/random` and `/dev/urandom`.
    Random,
    /// A file of `/proc` or `/sys` that this project makes up.
    Text {
        /// All of it.
        content: Vec<u8>,
        /// Where the next read begins.
        position: u64,
    },
    /// The end of a pipe to read from.
    Reader(Reader),
    /// The end of a pipe to write to.
    Writer(Writer),
    /// A named pipe that was opened for both.
    Ends(Reader, Writer),
    /// An event counter (`eventfd`); a semaphore counts down by one.
    Event {
        /// Its value.
        count: u64,
        /// True for a semaphore.
        semaphore: bool,
    },
    /// An event poll.
    Epoll(Epoll),
}

impl Object {
    /// What `stat` tells of it.
    ///
    /// # Errors
    /// The host's.
    pub fn status(&self) -> Result<Status, Errno> {
        Ok(match self {
            Self::Regular(file) => Status::from(&file.metadata()?),
            Self::Directory(directory) => directory.status()?,
            Self::Text { content, .. } => Status::made_up(Kind::File, 0o444, content.len() as u64),
            Self::Reader(_) | Self::Writer(_) | Self::Ends(..) => Status::made_up(Kind::Pipe, 0o600, 0),
            Self::Event { .. } | Self::Epoll(_) => Status::made_up(Kind::File, 0o600, 0),
            _ => Status::made_up(Kind::Device, 0o620, 0),
        })
    }
}

/// An open file description: what several numbers may share.
pub struct Description {
    /// What is open.
    pub object: Object,
    /// `O_` flags.
    pub flags: u32,
    /// Its absolute path when it was opened, of a file that has one.
    pub path: Vec<u8>,
}

impl Description {
    /// A description.
    pub const fn new(object: Object, flags: u32) -> Self {
        Self { object, flags, path: Vec::new() }
    }

    /// True if it may be read.
    pub const fn is_readable(&self) -> bool {
        self.flags & flag::ACCESS != flag::WRONLY
    }

    /// True if it may be written.
    pub const fn is_writable(&self) -> bool {
        self.flags & flag::ACCESS != 0
    }

    /// True if nothing waits for it.
    pub const fn never_blocks(&self) -> bool {
        self.flags & flag::NONBLOCK != 0
    }

    /// True if what is read or written here is what another file gives or takes.
    pub const fn is_shared(&self) -> bool {
        matches!(self.object, Object::Reader(_) | Object::Writer(_) | Object::Ends(..) | Object::Event { .. })
    }

    /// Reads from where it stands.
    ///
    /// # Errors
    /// `EBADF` if it is not open for reading, `EISDIR`, and the host's.
    pub fn read(
        &mut self,
        buffer: &mut [u8],
        host: &mut dyn Streams,
        random: &mut Random,
    ) -> Result<Outcome, Errno> {
        if !self.is_readable() {
            return Err(Errno::EBADF);
        }
        let read = match &mut self.object {
            Object::Input => match host.input(buffer) {
                Some(read) => read,
                None => return Ok(Outcome::Ended),
            },
            Object::Regular(file) => file.read(buffer)?,
            Object::Null => 0,
            Object::Zero => {
                buffer.fill(0);
                buffer.len()
            }
            Object::Random => {
                random.fill(buffer);
                buffer.len()
            }
            Object::Text { content, position } => {
                let read = copy_from(content, *position, buffer);
                *position += read as u64;
                read
            }
            Object::Reader(reader) | Object::Ends(reader, _) => return Ok(reader.read(buffer)),
            Object::Event { count, semaphore } => {
                if buffer.len() < 8 {
                    return Err(Errno::EINVAL);
                }
                if *count == 0 {
                    return Ok(Outcome::Blocks);
                }
                let taken = if *semaphore { 1 } else { *count };
                *count -= taken;
                buffer[..8].copy_from_slice(&taken.to_le_bytes());
                8
            }
            Object::Directory(_) => return Err(Errno::EISDIR),
            Object::Output | Object::ErrorOutput | Object::Writer(_) => return Err(Errno::EBADF),
            Object::Epoll(_) => return Err(Errno::EINVAL),
        };
        Ok(Outcome::Done(read))
    }

    /// Writes where it stands, or at its end if it was opened to append.
    ///
    /// # Errors
    /// `EBADF` if it is not open for writing, `EPIPE`, and the host's.
    pub fn write(&mut self, bytes: &[u8], host: &mut dyn Streams) -> Result<Outcome, Errno> {
        if !self.is_writable() {
            return Err(Errno::EBADF);
        }
        let written = match &mut self.object {
            Object::Output => {
                bytes.chunks(CONSOLE_CHUNK).for_each(|chunk| host.console(chunk));
                bytes.len()
            }
            Object::ErrorOutput => {
                bytes.chunks(CONSOLE_CHUNK).for_each(|chunk| host.error_console(chunk));
                bytes.len()
            }
            Object::Regular(file) => {
                if self.flags & flag::APPEND != 0 {
                    file.seek(SeekFrom::End(0))?;
                }
                file.write(bytes)?
            }
            Object::Null | Object::Zero | Object::Random => bytes.len(),
            Object::Writer(writer) | Object::Ends(_, writer) => return writer.write(bytes),
            Object::Event { count, .. } => {
                let added = bytes.first_chunk().map(|chunk| u64::from_le_bytes(*chunk));
                let added = added.filter(|&added| added != u64::MAX).ok_or(Errno::EINVAL)?;
                match count.checked_add(added).filter(|&sum| sum != u64::MAX) {
                    Some(sum) => *count = sum,
                    None => return Ok(Outcome::Blocks),
                }
                8
            }
            Object::Input | Object::Text { .. } | Object::Reader(_) => return Err(Errno::EBADF),
            Object::Directory(_) => return Err(Errno::EISDIR),
            Object::Epoll(_) => return Err(Errno::EINVAL),
        };
        Ok(Outcome::Done(written))
    }

    /// Reads from a place, without moving.
    ///
    /// # Errors
    /// `ESPIPE` for what has no places, and those of [`Description::read`].
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        if !self.is_readable() {
            return Err(Errno::EBADF);
        }
        match &self.object {
            Object::Regular(file) => Ok(file.read_at(buffer, offset)?),
            Object::Text { content, .. } => Ok(copy_from(content, offset, buffer)),
            Object::Directory(_) => Err(Errno::EISDIR),
            _ => Err(Errno::ESPIPE),
        }
    }

    /// Writes at a place, without moving.
    ///
    /// # Errors
    /// `ESPIPE` for what has no places, and those of [`Description::write`].
    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<usize, Errno> {
        if !self.is_writable() {
            return Err(Errno::EBADF);
        }
        match &self.object {
            Object::Regular(file) => Ok(file.write_at(bytes, offset)?),
            _ => Err(Errno::ESPIPE),
        }
    }

    /// Moves to a place; returns it.
    ///
    /// # Errors
    /// `ESPIPE` for what has no places; `EINVAL` for one before the start.
    pub fn seek(&mut self, to: SeekFrom) -> Result<u64, Errno> {
        match &mut self.object {
            Object::Regular(file) => Ok(file.seek(to)?),
            Object::Text { content, position } => {
                let target = match to {
                    SeekFrom::Start(offset) => i64::try_from(offset).ok(),
                    SeekFrom::Current(offset) => (*position as i64).checked_add(offset),
                    SeekFrom::End(offset) => (content.len() as i64).checked_add(offset),
                };
                *position = target.and_then(|target| u64::try_from(target).ok()).ok_or(Errno::EINVAL)?;
                Ok(*position)
            }
            Object::Directory(directory) => match to {
                SeekFrom::Start(index) => {
                    directory.seek(index);
                    Ok(index)
                }
                _ => Err(Errno::EINVAL),
            },
            Object::Null | Object::Zero | Object::Random => Ok(0),
            _ => Err(Errno::ESPIPE),
        }
    }

    /// What can be done now.
    pub fn readiness(&self) -> Readiness {
        Readiness(match &self.object {
            Object::Output | Object::ErrorOutput => Readiness::WRITE,
            Object::Reader(reader) => reader.readiness(),
            Object::Writer(writer) => writer.readiness(),
            Object::Ends(reader, writer) => reader.readiness() | writer.readiness(),
            Object::Event { count, .. } => Readiness::WRITE | if *count > 0 { Readiness::READ } else { 0 },
            Object::Epoll(_) | Object::Directory(_) => 0,
            _ => Readiness::READ | Readiness::WRITE,
        })
    }
}

fn copy_from(content: &[u8], offset: u64, buffer: &mut [u8]) -> usize {
    let rest = usize::try_from(offset).ok().and_then(|offset| content.get(offset..)).unwrap_or(&[]);
    let read = rest.len().min(buffer.len());
    buffer[..read].copy_from_slice(&rest[..read]);
    read
}
