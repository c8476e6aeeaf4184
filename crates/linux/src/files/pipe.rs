//! Pipes between threads and processes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use super::outcome::{Outcome, Readiness};
use crate::errno::Errno;

/// Bytes that a pipe holds.
const CAPACITY: usize = 65_536;
/// Writes of at most this many bytes are not split (`PIPE_BUF`).
const ATOMIC: usize = 4096;

/// Most pipes of all processes: what they hold takes memory of the host that no process is charged for.
const MOST_PIPES: usize = 1024;

/// Counts the pipes of all processes, each of which knows it.
#[derive(Clone, Default)]
pub struct Pipes(Rc<()>);

/// What is in a pipe.
struct Buffer {
    bytes: RefCell<VecDeque<u8>>,
    _counted: Weak<()>,
}

/// The end to read from.
pub struct Reader {
    buffer: Rc<Buffer>,
    /// Lives as long as an end to write to.
    writer: Weak<()>,
    _alive: Rc<()>,
}

/// The end to write to.
pub struct Writer {
    buffer: Rc<Buffer>,
    /// Lives as long as an end to read from.
    reader: Weak<()>,
    _alive: Rc<()>,
}

/// Both ends of a new pipe.
///
/// # Errors
/// `ENFILE` if there are too many.
pub fn pipe(all: &Pipes) -> Result<(Reader, Writer), Errno> {
    if Rc::weak_count(&all.0) >= MOST_PIPES {
        return Err(Errno::ENFILE);
    }
    let buffer = Rc::new(Buffer { bytes: RefCell::default(), _counted: Rc::downgrade(&all.0) });
    let (reads, writes) = (Rc::new(()), Rc::new(()));
    let reader =
        Reader { buffer: Rc::clone(&buffer), writer: Rc::downgrade(&writes), _alive: Rc::clone(&reads) };
    Ok((reader, Writer { buffer, reader: Rc::downgrade(&reads), _alive: writes }))
}

impl Reader {
    /// Reads what is there; at the end of a pipe that nobody can write to, nothing.
    pub fn read(&mut self, target: &mut [u8]) -> Outcome {
        let mut buffer = self.buffer.bytes.borrow_mut();
        if buffer.is_empty() && !target.is_empty() && self.writer.strong_count() > 0 {
            return Outcome::Blocks;
        }
        let read = buffer.len().min(target.len());
        for (slot, byte) in target.iter_mut().zip(buffer.drain(..read)) {
            *slot = byte;
        }
        Outcome::Done(read)
    }

    /// What can be done now.
    pub fn readiness(&self) -> u32 {
        let hung_up = if self.writer.strong_count() == 0 { Readiness::HANG_UP } else { 0 };
        if self.buffer.bytes.borrow().is_empty() { hung_up } else { hung_up | Readiness::READ }
    }
}

impl Writer {
    /// Writes what there is room for.
    ///
    /// # Errors
    /// `EPIPE` if nobody can read it.
    pub fn write(&mut self, bytes: &[u8]) -> Result<Outcome, Errno> {
        if self.reader.strong_count() == 0 {
            return Err(Errno::EPIPE);
        }
        let mut buffer = self.buffer.bytes.borrow_mut();
        let room = CAPACITY - buffer.len();
        let wanted = if bytes.len() <= ATOMIC { bytes.len() } else { 1 };
        if room < wanted {
            return Ok(Outcome::Blocks);
        }
        let written = room.min(bytes.len());
        buffer.extend(&bytes[..written]);
        Ok(Outcome::Done(written))
    }

    /// What can be done now.
    pub fn readiness(&self) -> u32 {
        let room = CAPACITY - self.buffer.bytes.borrow().len();
        let broken = if self.reader.strong_count() == 0 { Readiness::ERROR } else { 0 };
        if room >= ATOMIC { broken | Readiness::WRITE } else { broken }
    }
}
