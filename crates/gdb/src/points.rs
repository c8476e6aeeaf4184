//! Breakpoints and watchpoints.

use std::collections::BTreeSet;

use gdbstub::target::TargetResult;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint, SwBreakpointOps,
    WatchKind,
};
use hart::fault::Access;

use crate::target::Target;

/// Most breakpoints of a kind; every block the guest executes is compared with each.
const MOST_BREAKPOINTS: usize = 1024;
const MOST_WATCHPOINTS: usize = 64;

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

impl Target<'_, '_> {
    fn may_hold_code(&self, address: u64) -> bool {
        self.guest.core().memory.read::<2>(address, Access::Fetch).is_ok()
    }
}

impl Breakpoints for Target<'_, '_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Target<'_, '_> {
    fn add_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        let address = self.guest.address(address);
        let accepted = self.points.software.len() < MOST_BREAKPOINTS && self.may_hold_code(address);
        if accepted {
            self.points.software.insert(address);
        }
        Ok(accepted)
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        let address = self.guest.address(address);
        Ok(self.points.software.remove(&address))
    }
}

impl HwBreakpoint for Target<'_, '_> {
    fn add_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        let address = self.guest.address(address);
        let accepted = self.points.hardware.len() < MOST_BREAKPOINTS && self.may_hold_code(address);
        if accepted {
            self.points.hardware.insert(address);
        }
        Ok(accepted)
    }

    fn remove_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        let address = self.guest.address(address);
        Ok(self.points.hardware.remove(&address))
    }
}

impl HwWatchpoint for Target<'_, '_> {
    fn add_hw_watchpoint(&mut self, address: u64, bytes: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        let point = Watchpoint { address: self.guest.address(address), bytes, kind };
        let accepted = self.points.watched.len() < MOST_WATCHPOINTS && bytes > 0;
        if accepted {
            self.points.watched.push(point);
        }
        Ok(accepted)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u64,
        bytes: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let point = Watchpoint { address: self.guest.address(address), bytes, kind };
        let place = self.points.watched.iter().position(|&other| other == point);
        if let Some(place) = place {
            self.points.watched.swap_remove(place);
        }
        Ok(place.is_some())
    }
}
