//! Where a guest is to stop: breakpoints and watchpoints.

use std::collections::BTreeSet;

use gdbstub::target::ext::breakpoints::WatchKind;

/// A range of memory whose accesses stop the guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watchpoint {
    /// First byte.
    pub address: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Which accesses.
    pub kind: WatchKind,
}

impl Watchpoint {
    /// The first byte in common with an access, if it is one to stop at.
    pub fn touched(&self, address: u64, bytes: u64, is_store: bool) -> Option<u64> {
        let concerned = match self.kind {
            WatchKind::Write => is_store,
            WatchKind::Read => !is_store,
            WatchKind::ReadWrite => true,
        };
        let first = address.max(self.address);
        let within = |start: u64, bytes: u64| first - start < bytes;
        (concerned && within(address, bytes) && within(self.address, self.bytes)).then_some(first)
    }
}

/// Where a guest is to stop. Software breakpoints change no memory here, so that both kinds are alike.
#[derive(Default)]
pub struct Points {
    /// Breakpoints in software.
    pub software: BTreeSet<u64>,
    /// Breakpoints in hardware.
    pub hardware: BTreeSet<u64>,
    /// Watchpoints.
    pub watched: Vec<Watchpoint>,
}
