//! Running a process: its instructions, and between them system calls, faults and turns of threads.

use engine::{Limits, Machine, Observer, Stop};
use hart::csr::{Privilege, number};
use hart::{Exception, Fault, Hart, System};

use super::{Ending, PROCESS_ID, Process, TICK};
use crate::harts::Harts;
use crate::signal::{Action, Sent};
use crate::streams::Streams;
use crate::syscall::{self, Reply};
use crate::thread::{State, Thread, ThreadId};

/// `mstatus`: the floating-point and the vector unit are on.
const UNITS_ON: u64 = 3 << 13 | 3 << 9;

/// Leaves a hart to a process as a kernel does: units on, counters readable, user mode.
fn enter(hart: &mut Hart) {
    for (csr, value) in [(number::MSTATUS, UNITS_ON), (number::MCOUNTEREN, u32::MAX.into())] {
        let clock = hart.clock(0);
        let written = hart.write_csr(csr.into(), value, clock);
        debug_assert!(written.is_ok());
    }
    hart.csrs.privilege = Privilege::User;
}

impl Process {
    /// Runs until something stops it.
    pub fn run<O: Observer>(
        &mut self,
        machine: &mut Machine<'_>,
        limits: Limits,
        observer: &mut O,
        host: &mut dyn Streams,
    ) -> Ending {
        if self.threads.len() == 0 {
            self.harts = Harts::new(observer.harts());
            enter(&mut machine.hart);
            machine.hart.set_pc(self.entry.pc);
            machine.hart.set_x(2, self.entry.sp);
            self.threads.push(Thread::new(ThreadId(PROCESS_ID), machine.hart.clone()));
        }
        let limit = limits.instructions.unwrap_or(u64::MAX);
        loop {
            if self.code_changed {
                self.code_changed = false;
                machine.flush_code();
            }
            if std::mem::take(&mut self.yielded) {
                self.rotate(&mut machine.system);
            }
            if let Some(ending) =
                self.ended.take().or_else(|| self.prepare(&mut machine.system, observer, host))
            {
                return ending;
            }
            if let Some(pages) = machine.memory.pages_mut() {
                pages.changes().for_each(|change| observer.pages_changed(&change));
            }
            self.moved.drain(..).for_each(|moved| observer.registers_moved(moved));
            let until = self.next_stop(machine.hart.retired()).min(limit);
            if limits.instructions.is_some() && self.barren.0 >= limit {
                return Ending::InstructionLimit;
            }
            match machine.run(Limits { instructions: Some(until) }, observer, host) {
                Stop::InstructionLimit if machine.hart.retired() >= limit => {
                    return Ending::InstructionLimit;
                }
                Stop::InstructionLimit => self.rotate(&mut machine.system),
                Stop::Turn => {}
                Stop::Fault(fault) if fault.exception.cause == Exception::ECALL_U => {
                    self.system_call(&mut machine.system, host);
                }
                Stop::Fault(fault) => self.fault(machine.hart.pc().0, fault),
                Stop::Exit(status) => return Ending::Exit(status & 0xff),
                stop => return stop.into(),
            }
            if !self.goes_on(machine.hart.retired(), host) {
                return Ending::Interrupted;
            }
        }
    }

    /// Counts a system call or a fault: a program of nothing else has to be stopped too. False if the host
    /// says so.
    fn goes_on(&mut self, retired: u64, host: &mut dyn Streams) -> bool {
        self.barren = if self.barren.1 == retired { (self.barren.0 + 1, retired) } else { (0, retired) };
        self.ticks -= 1;
        if self.ticks > 0 {
            return true;
        }
        self.ticks = TICK;
        host.keep_going()
    }

    fn system_call(&mut self, system: &mut System, host: &mut dyn Streams) {
        let pc = system.hart.pc().0;
        let reply = syscall::carry_out(self, system, host);
        let hart = &mut system.hart;
        match reply {
            Reply::Return(value) => {
                hart.set_x(10, value & self.xlen.mask());
                hart.set_pc(pc.wrapping_add(4));
                self.thread().retry_deadline = None;
            }
            Reply::Suspend(wait, deadline) => {
                hart.set_x(10, 0);
                hart.set_pc(pc.wrapping_add(4));
                self.threads.set_state(self.current, State::Waiting { wait, deadline });
            }
            Reply::Retry(wait, deadline) => {
                self.thread().retry_deadline = deadline;
                self.threads.set_state(self.current, State::Waiting { wait, deadline });
            }
            Reply::Resume => {}
            Reply::ExitThread(status) => self.exit_thread(system, status),
            Reply::ExitProcess(status) => self.ended = Some(Ending::Exit(status.into())),
        }
    }

    fn fault(&mut self, pc: u64, fault: Fault) {
        let (signal, code) = syscall::signal_of(fault.exception);
        let action = self.actions[usize::from(signal.0) - 1];
        let caught = action.handler > Action::IGNORE && self.thread().blocked & signal.bit() == 0;
        if caught {
            let value = if fault.exception.has_address() { fault.exception.value } else { pc };
            self.thread().pending.send(Sent { signal, code, value });
        } else {
            self.ended = Some(Ending::Fault(fault));
        }
    }
}
