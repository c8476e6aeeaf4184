//! The host of a debugged guest.

use hart::Host;
use linux::Streams;

use crate::wire::Wire;

/// The host of a debugged guest: the run is also interrupted when gdb sends something.
pub struct Attentive<'a> {
    host: &'a mut dyn Streams,
    wire: &'a mut Wire,
    gives_up: bool,
}

impl<'a> Attentive<'a> {
    /// Hears both the host and gdb.
    pub fn new(host: &'a mut dyn Streams, wire: &'a mut Wire) -> Self {
        Self { host, wire, gives_up: false }
    }

    /// True if the host itself wants the run to end.
    pub const fn gives_up(&self) -> bool {
        self.gives_up
    }
}

impl Host for Attentive<'_> {
    fn console(&mut self, bytes: &[u8]) {
        self.host.console(bytes);
    }

    fn message(&mut self, text: &str) {
        self.host.message(text);
    }

    fn keep_going(&mut self) -> bool {
        self.gives_up = !self.host.keep_going();
        !self.gives_up && !self.wire.has_news()
    }
}

impl Streams for Attentive<'_> {
    fn error_console(&mut self, bytes: &[u8]) {
        self.host.error_console(bytes);
    }

    fn input(&mut self, buffer: &mut [u8]) -> Option<usize> {
        self.host.input(buffer)
    }

    fn terminal(&self) -> Option<(u16, u16)> {
        self.host.terminal()
    }
}
