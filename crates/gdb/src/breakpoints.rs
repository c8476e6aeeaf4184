//! Setting and clearing breakpoints and watchpoints.

use gdbstub::target::TargetResult;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint, SwBreakpointOps,
    WatchKind,
};
use hart::Address;
use hart::fault::Access;

use crate::points::Watchpoint;
use crate::target::Target;

/// Most breakpoints of a kind; every block the guest executes is compared with each.
const MOST_BREAKPOINTS: usize = 1024;
const MOST_WATCHPOINTS: usize = 64;

impl Target<'_, '_> {
    fn may_hold_code(&self, address: u64) -> bool {
        self.guest.machine.memory.read::<2>(Address(address), Access::Fetch).is_ok()
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
        let address = self.address(address);
        let accepted = self.points.software.len() < MOST_BREAKPOINTS && self.may_hold_code(address);
        if accepted {
            self.points.software.insert(address);
        }
        Ok(accepted)
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        let address = self.address(address);
        Ok(self.points.software.remove(&address))
    }
}

impl HwBreakpoint for Target<'_, '_> {
    fn add_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        let address = self.address(address);
        let accepted = self.points.hardware.len() < MOST_BREAKPOINTS && self.may_hold_code(address);
        if accepted {
            self.points.hardware.insert(address);
        }
        Ok(accepted)
    }

    fn remove_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        let address = self.address(address);
        Ok(self.points.hardware.remove(&address))
    }
}

impl HwWatchpoint for Target<'_, '_> {
    fn add_hw_watchpoint(&mut self, address: u64, bytes: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        let point = Watchpoint { address: self.address(address), bytes, kind };
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
        let point = Watchpoint { address: self.address(address), bytes, kind };
        let place = self.points.watched.iter().position(|&other| other == point);
        if let Some(place) = place {
            self.points.watched.swap_remove(place);
        }
        Ok(place.is_some())
    }
}
