//! What the host does for a guest.

/// What the host does now and then while a guest runs.
pub trait Host {
    /// Receives what the guest writes to its console.
    fn console(&mut self, bytes: &[u8]);
    /// Receives what the guest writes to its standard error: the console, if nobody says otherwise.
    fn error_console(&mut self, bytes: &[u8]) {
        self.console(bytes);
    }
    /// Fills a buffer from the guest's standard input; returns how many bytes, 0 at its end, and `None` if the
    /// run ends before there are any.
    fn input(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let _ = buffer;
        Some(0)
    }
    /// Columns and rows of the terminal that the guest's standard streams are, if they are one.
    fn terminal(&self) -> Option<(u16, u16)> {
        None
    }
    /// Tells the user something about the run.
    fn message(&mut self, text: &str) {
        let _ = text;
    }
    /// Called every few ten thousand blocks; `false` ends the run.
    fn keep_going(&mut self) -> bool {
        true
    }
}
