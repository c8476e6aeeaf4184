//! What the host does for a guest.

/// What the host does now and then while a guest runs.
pub trait Host {
    /// Receives what the guest writes to its console.
    fn console(&mut self, bytes: &[u8]);
    /// Tells the user something about the run.
    fn message(&mut self, text: &str) {
        let _ = text;
    }
    /// Called every few ten thousand blocks; `false` ends the run.
    fn keep_going(&mut self) -> bool {
        true
    }
}
