//! Letting the guest go on, and why it stopped.

use std::convert::Infallible;

use engine::Limits;
use gdbstub::common::{Signal, Tid};
use gdbstub::stub::MultiThreadStopReason;
use gdbstub::target::ext::base::multithread::{
    MultiThreadRangeStepping, MultiThreadRangeSteppingOps, MultiThreadResume, MultiThreadSchedulerLocking,
    MultiThreadSchedulerLockingOps, MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::WatchKind;
use hart::fault::Access;
use hart::{Address, Host};
use linux::Ending;

use crate::attentive::Attentive;
use crate::lookout::Lookout;
use crate::orders::{Orders, Plan};
use crate::signals;
use crate::target::{Target, thread};

const ECALL: u32 = 0x73;
/// Steps within a range between two looks at the connection.
const TICK: u32 = 1024;

/// Why it is gdb's turn again.
pub enum Turn {
    /// The guest has stopped, or ended.
    Stopped(MultiThreadStopReason<u64>),
    /// gdb has sent something; the guest may go on as before.
    Heard,
    /// The host wants the run to end.
    Given(Ending),
}

/// Why a stretch of the run is over.
enum Stretch {
    /// As many instructions have retired as were to.
    Done,
    Turn(Turn),
}

impl Target<'_, '_> {
    /// Lets the guest go on as ordered.
    pub fn go(&mut self, host: &mut Attentive<'_>) -> Turn {
        match (self.dying.take(), self.orders.signal.take()) {
            (Some(ending), Some(signal)) => {
                self.ended = Some(ending);
                return Turn::Stopped(MultiThreadStopReason::Terminated(signal));
            }
            (None, Some(_)) => host.message("gdb cannot send signals to the program; it goes on without"),
            (_, None) => {}
        }
        let stretch = match self.orders.plan {
            Plan::Continue => self.run(None, None, host),
            Plan::Step => self.step(host),
            Plan::Range { start, end } => self.step_within(start..end, host),
        };
        match stretch {
            Stretch::Turn(turn) => turn,
            Stretch::Done => Turn::Stopped(self.stopped(Signal::SIGTRAP)),
        }
    }

    fn step_within(&mut self, range: std::ops::Range<u64>, host: &mut Attentive<'_>) -> Stretch {
        let mut ticks = TICK;
        loop {
            let stretch = self.step(host);
            if !matches!(stretch, Stretch::Done) || !range.contains(&self.guest.machine.hart.pc().0) {
                return stretch;
            }
            ticks -= 1;
            if ticks == 0 {
                ticks = TICK;
                if !host.keep_going() {
                    return Stretch::Turn(self.interrupted(host));
                }
            }
        }
    }

    /// One instruction of the thread to step; others go on until it has the hart, before and after.
    fn step(&mut self, host: &mut Attentive<'_>) -> Stretch {
        if !self.orders.moved {
            let stretch = self.wait_for_stepped(host);
            if !matches!(stretch, Stretch::Done) {
                return stretch;
            }
            let next = self.guest.machine.hart.retired().saturating_add(1);
            let stretch = self.run(Some(next), self.landing(), host);
            if !matches!(stretch, Stretch::Done) {
                return stretch;
            }
        }
        // What gdb sends meanwhile does not make it a second step.
        self.orders.moved = true;
        let stretch = self.wait_for_stepped(host);
        self.orders.moved = !matches!(stretch, Stretch::Done);
        stretch
    }

    /// Lets the others go on until the thread to step has the hart; it has not moved then.
    fn wait_for_stepped(&mut self, host: &mut Attentive<'_>) -> Stretch {
        while let Some(tid) = self.orders.stepped
            && tid != self.running()
            && let Some(pc) = thread(tid).and_then(|thread| self.guest.thread_pc(thread))
        {
            // Any thread may stop there; and the one that ends leaves nothing to wait for.
            let stretch = self.run(None, Some(pc), host);
            if !matches!(stretch, Stretch::Done) {
                return stretch;
            }
        }
        Stretch::Done
    }

    /// Where the next instruction leads if it does not retire, so that no limit stops after it: a system call,
    /// or one that traps.
    fn landing(&self) -> Option<u64> {
        let hart = &self.guest.machine.hart;
        let pc = hart.pc().0;
        if !self.guest.is_process() {
            return hart.csrs.mtvec.filter(|&handler| handler != pc);
        }
        let word = self.guest.machine.memory.read(Address(pc), Access::Fetch).map(u32::from_le_bytes);
        (word == Ok(ECALL)).then(|| pc.wrapping_add(4))
    }

    fn run(&mut self, until: Option<u64>, landing: Option<u64>, host: &mut Attentive<'_>) -> Stretch {
        let instructions = match (until, self.limit) {
            (Some(until), Some(limit)) => Some(until.min(limit)),
            (until, limit) => until.or(limit),
        };
        let limits = Limits { instructions };
        let (software, hardware) = (&self.points.software, &self.points.hardware);
        let probes = software.union(hardware).copied().chain(landing).map(Address).collect();
        let watched = &self.points.watched;
        let (ending, touched) = if watched.is_empty() {
            let mut lookout = Lookout::<false> { probes, watched, touched: None };
            (self.guest.run(limits, &mut lookout, host), None)
        } else {
            let mut lookout = Lookout::<true> { probes, watched, touched: None };
            let ending = self.guest.run(limits, &mut lookout, host);
            (ending, lookout.touched)
        };
        self.judge(ending, touched, host)
    }

    fn judge(
        &mut self,
        ending: Ending,
        touched: Option<(WatchKind, u64)>,
        host: &mut Attentive<'_>,
    ) -> Stretch {
        let reason = match ending {
            Ending::Observed => match touched {
                Some((kind, addr)) => MultiThreadStopReason::Watch { tid: self.running(), kind, addr },
                None => match self.breakpoint() {
                    Some(reason) => reason,
                    None => return Stretch::Done,
                },
            },
            Ending::InstructionLimit => {
                if self.limit.is_none_or(|limit| self.guest.machine.hart.retired() < limit) {
                    return Stretch::Done;
                }
                host.message("the limit of instructions is reached");
                self.dies(ending, Signal::SIGXCPU)
            }
            Ending::Interrupted => return Stretch::Turn(self.interrupted(host)),
            Ending::Exit(status) => {
                self.ended = Some(ending);
                MultiThreadStopReason::Exited(status as u8)
            }
            Ending::Fault(fault) => self.dies(ending, signals::of_exception(fault.exception)),
            Ending::Killed(signal) => self.dies(ending, signals::of_linux(signal)),
            Ending::Deadlock(_) => {
                host.message("deadlock: every thread waits for another");
                self.dies(ending, Signal::SIGSTOP)
            }
        };
        Stretch::Turn(Turn::Stopped(reason))
    }

    fn breakpoint(&self) -> Option<MultiThreadStopReason<u64>> {
        let pc = self.guest.machine.hart.pc().0;
        if self.points.software.contains(&pc) {
            Some(MultiThreadStopReason::SwBreak(self.running()))
        } else if self.points.hardware.contains(&pc) {
            Some(MultiThreadStopReason::HwBreak(self.running()))
        } else {
            None
        }
    }

    /// The guest stops where it can still be looked at.
    fn dies(&mut self, ending: Ending, signal: Signal) -> MultiThreadStopReason<u64> {
        self.dying = Some(ending);
        self.stopped(signal)
    }

    /// The stop of the running thread by a signal; a step is one by `SIGTRAP`.
    pub fn stopped(&self, signal: Signal) -> MultiThreadStopReason<u64> {
        MultiThreadStopReason::SignalWithThread { tid: self.running(), signal }
    }

    fn interrupted(&self, host: &Attentive<'_>) -> Turn {
        if !host.gives_up() {
            return Turn::Heard;
        }
        Turn::Given(Ending::Interrupted)
    }
}

impl MultiThreadResume for Target<'_, '_> {
    fn resume(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Infallible> {
        self.orders = Orders::default();
        Ok(())
    }

    fn set_resume_action_continue(&mut self, _: Tid, signal: Option<Signal>) -> Result<(), Infallible> {
        self.orders.signal = signal;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<MultiThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadSingleStep for Target<'_, '_> {
    fn set_resume_action_step(&mut self, tid: Tid, signal: Option<Signal>) -> Result<(), Infallible> {
        self.orders = Orders { plan: Plan::Step, stepped: Some(tid), moved: false, signal };
        Ok(())
    }
}

impl MultiThreadRangeStepping for Target<'_, '_> {
    fn set_resume_action_range_step(&mut self, tid: Tid, start: u64, end: u64) -> Result<(), Infallible> {
        self.orders.plan = Plan::Range { start, end };
        self.orders.stepped = Some(tid);
        Ok(())
    }
}

impl MultiThreadSchedulerLocking for Target<'_, '_> {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Infallible> {
        // Which thread runs next is the process's to say.
        Ok(())
    }
}
