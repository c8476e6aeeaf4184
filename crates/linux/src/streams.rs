//! What the host does for a process's standard streams.

use hart::Host;

/// A host with standard streams beside the console, which is the process's standard output.
pub trait Streams: Host {
    /// Receives what the process writes to its standard error: the console, if nobody says otherwise.
    fn error_console(&mut self, bytes: &[u8]) {
        self.console(bytes);
    }
    /// Fills a buffer from the process's standard input; returns how many bytes, 0 at its end, and `None` if the
    /// run ends before there are any.
    fn input(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let _ = buffer;
        Some(0)
    }
    /// Columns and rows of the terminal that the standard streams are, if they are one.
    fn terminal(&self) -> Option<(u16, u16)> {
        None
    }
}
