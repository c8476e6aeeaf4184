//! Pipes between threads and processes.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::{Rc, Weak};

use super::outcome::{Outcome, Readiness};
use crate::errno::Errno;

/// Bytes that a pipe holds.
const CAPACITY: usize = 65_536;
/// Writes of at most this many bytes are not split (`PIPE_BUF`).
const ATOMIC: usize = 4096;

/// Most pipes of all processes: what they hold takes memory of the host that no process is charged for.
const MOST_PIPES: usize = 1024;

/// The pipes of all processes: how many there are, and those that have a name, by their file.
#[derive(Clone, Default)]
pub struct Pipes(Rc<RefCell<Named>>, Rc<()>);

type Named = BTreeMap<PipeFile, Weak<Buffer>>;

/// The file that is the name of a pipe: device and inode.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PipeFile(pub u64, pub u64);

/// Ends of one kind: how many are open, and how many ever were.
#[derive(Default)]
struct Ends {
    open: Cell<usize>,
    ever: Cell<u64>,
}

impl Ends {
    fn add(&self) {
        self.open.set(self.open.get() + 1);
        self.ever.set(self.ever.get() + 1);
    }

    fn remove(&self) {
        self.open.set(self.open.get() - 1);
    }
}

/// What is in a pipe, which lives as long as an end.
struct Buffer {
    bytes: RefCell<VecDeque<u8>>,
    readers: Ends,
    writers: Ends,
    _counted: Weak<()>,
}

/// The end to read from.
pub struct Reader {
    buffer: Rc<Buffer>,
    /// Writers that there had been when it was opened.
    before: u64,
}

/// The end to write to.
pub struct Writer {
    buffer: Rc<Buffer>,
    /// Readers that there had been when it was opened.
    before: u64,
}

/// Both ends of a new pipe.
///
/// # Errors
/// `ENFILE` if there are too many.
pub fn pipe(all: &Pipes) -> Result<(Reader, Writer), Errno> {
    let buffer = all.new_buffer()?;
    Ok((Reader::new(&buffer), Writer::new(&buffer)))
}

impl Pipes {
    fn new_buffer(&self) -> Result<Rc<Buffer>, Errno> {
        if Rc::weak_count(&self.1) >= MOST_PIPES {
            return Err(Errno::ENFILE);
        }
        let (readers, writers) = Default::default();
        let counted = Rc::downgrade(&self.1);
        Ok(Rc::new(Buffer { bytes: RefCell::default(), readers, writers, _counted: counted }))
    }

    fn named(&self, file: PipeFile) -> Result<Rc<Buffer>, Errno> {
        let mut named = self.0.borrow_mut();
        if let Some(buffer) = named.get(&file).and_then(Weak::upgrade) {
            return Ok(buffer);
        }
        named.retain(|_, buffer| buffer.strong_count() > 0);
        let buffer = self.new_buffer()?;
        named.insert(file, Rc::downgrade(&buffer));
        Ok(buffer)
    }

    /// The end of a named pipe to read from.
    ///
    /// # Errors
    /// `ENFILE` if there are too many pipes.
    pub fn reader(&self, file: PipeFile) -> Result<Reader, Errno> {
        Ok(Reader::new(&self.named(file)?))
    }

    /// The end of a named pipe to write to.
    ///
    /// # Errors
    /// `ENFILE` if there are too many pipes.
    pub fn writer(&self, file: PipeFile) -> Result<Writer, Errno> {
        Ok(Writer::new(&self.named(file)?))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.buffer.readers.remove();
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.buffer.writers.remove();
    }
}

impl Reader {
    fn new(buffer: &Rc<Buffer>) -> Self {
        buffer.readers.add();
        Self { buffer: Rc::clone(buffer), before: buffer.writers.ever.get() }
    }

    /// True if there is an end to write to, or has been one since this was opened.
    pub fn has_met(&self) -> bool {
        self.buffer.writers.open.get() > 0 || self.buffer.writers.ever.get() > self.before
    }

    /// Reads what is there; at the end of a pipe that nobody can write to, nothing.
    pub fn read(&mut self, target: &mut [u8]) -> Outcome {
        let mut buffer = self.buffer.bytes.borrow_mut();
        if buffer.is_empty() && !target.is_empty() && self.buffer.writers.open.get() > 0 {
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
        let ended = self.buffer.writers.open.get() == 0 && self.has_met();
        let hung_up = if ended { Readiness::HANG_UP } else { 0 };
        if self.buffer.bytes.borrow().is_empty() { hung_up } else { hung_up | Readiness::READ }
    }
}

impl Writer {
    fn new(buffer: &Rc<Buffer>) -> Self {
        buffer.writers.add();
        Self { buffer: Rc::clone(buffer), before: buffer.readers.ever.get() }
    }

    /// True if there is an end to read from.
    pub fn is_read(&self) -> bool {
        self.buffer.readers.open.get() > 0
    }

    /// True if there is an end to read from, or has been one since this was opened.
    pub fn has_met(&self) -> bool {
        self.is_read() || self.buffer.readers.ever.get() > self.before
    }

    /// Writes what there is room for.
    ///
    /// # Errors
    /// `EPIPE` if nobody can read it.
    pub fn write(&mut self, bytes: &[u8]) -> Result<Outcome, Errno> {
        if !self.is_read() {
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
        let broken = if self.is_read() { 0 } else { Readiness::ERROR };
        if room >= ATOMIC { broken | Readiness::WRITE } else { broken }
    }
}
