//! The connection to gdb: buffered both ways, bounded, never waiting for long.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use gdbstub::conn::Connection;

/// How long [`Wire::next`] waits for a byte.
const TICK: Duration = Duration::from_millis(50);
/// How long a peer may take to accept what is sent to it.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes kept before they are sent.
const MOST_UNSENT: usize = 1 << 16;
/// Reads before a connection is closed whose peer does not close it.
const FAREWELLS: u32 = 20;
const CHUNK: usize = 4096;

/// A connection.
pub struct Wire {
    socket: TcpStream,
    received: Box<[u8; CHUNK]>,
    /// Where in `received` the bytes are that nobody has taken yet.
    untaken: std::ops::Range<usize>,
    unsent: Vec<u8>,
}

impl Wire {
    /// Takes over a connection.
    ///
    /// # Errors
    /// The host's.
    pub fn new(socket: TcpStream) -> io::Result<Self> {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(TICK))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { socket, received: Box::new([0; CHUNK]), untaken: 0..0, unsent: Vec::new() })
    }

    /// The next byte; `None` if none came for a while.
    ///
    /// # Errors
    /// The host's, and `UnexpectedEof` once the peer is gone.
    pub fn next(&mut self) -> io::Result<Option<u8>> {
        if self.untaken.is_empty() {
            match self.socket.read(self.received.as_mut_slice()) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.untaken = 0..count,
                Err(error) if is_not_yet(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(self.untaken.next().map(|at| self.received[at]))
    }

    /// True if there is something to take, be it the end of the connection.
    pub fn has_news(&mut self) -> bool {
        if !self.untaken.is_empty() {
            return true;
        }
        let peeked = self.socket.set_nonblocking(true).and_then(|()| self.socket.peek(&mut [0]));
        let restored = self.socket.set_nonblocking(false);
        restored.is_err() || !peeked.is_err_and(|error| is_not_yet(&error))
    }

    /// Ends the connection once the peer has had the time to read all that was sent.
    pub fn close(&mut self) {
        if self.flush().is_ok() && self.socket.shutdown(Shutdown::Write).is_ok() {
            for _ in 0..FAREWELLS {
                if self.next().is_err() {
                    break;
                }
                self.untaken = 0..0;
            }
        }
    }
}

/// True if an attempt may succeed later.
pub fn is_not_yet(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

impl Connection for Wire {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.unsent.push(byte);
        if self.unsent.len() >= MOST_UNSENT { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let sent = Write::write_all(&mut self.socket, &self.unsent);
        self.unsent.clear();
        sent
    }
}
