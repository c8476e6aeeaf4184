//! Running a process: its instructions, and between them system calls, faults and turns of threads.

use hart::{Core, Exception, Fault, Host, Limits, Machine, Observer, Stop};

use super::{Ending, PROCESS_ID, Process, TICK};
use crate::signal::{Action, Sent};
use crate::syscall::{self, Reply};
use crate::thread::{State, Thread, ThreadId};

impl Process {
    /// Runs until something stops it.
    pub fn run<O: Observer>(
        &mut self,
        machine: &mut Machine<'_>,
        limits: Limits,
        observer: &mut O,
        host: &mut dyn Host,
    ) -> Ending {
        if self.threads.len() == 0 {
            machine.core.enter_process(&self.isa);
            machine.core.set_pc(self.entry.pc);
            machine.core.set_x(2, self.entry.sp);
            self.threads.push(Thread::new(ThreadId(PROCESS_ID), machine.core.context()));
        }
        let limit = limits.instructions.unwrap_or(u64::MAX);
        loop {
            if self.code_changed {
                self.code_changed = false;
                machine.flush_code();
            }
            let core = &mut machine.core;
            if std::mem::take(&mut self.yielded) {
                self.rotate(core);
            }
            if let Some(ending) = self.ended.take().or_else(|| self.prepare(core, host)) {
                return ending;
            }
            let until = self.next_stop(core.retired()).min(limit);
            if limits.instructions.is_some() && self.barren.0 >= limit {
                return Ending::InstructionLimit;
            }
            match machine.run(Limits { instructions: Some(until) }, observer, host) {
                Stop::InstructionLimit if machine.core.retired() >= limit => {
                    return Ending::InstructionLimit;
                }
                Stop::InstructionLimit => self.rotate(&mut machine.core),
                Stop::Fault(fault) if fault.exception.cause == Exception::ECALL_U => {
                    self.system_call(&mut machine.core, host);
                }
                Stop::Fault(fault) => self.fault(&mut machine.core, fault),
                Stop::Interrupted => return Ending::Interrupted,
                Stop::Observed => return Ending::Observed,
                Stop::Exit(status) => return Ending::Exit(status as u8),
            }
            if !self.goes_on(machine.core.retired(), host) {
                return Ending::Interrupted;
            }
        }
    }

    /// Counts a system call or a fault: a program of nothing else has to be stopped too. False if the host
    /// says so.
    fn goes_on(&mut self, retired: u64, host: &mut dyn Host) -> bool {
        self.barren = if self.barren.1 == retired { (self.barren.0 + 1, retired) } else { (0, retired) };
        self.ticks -= 1;
        if self.ticks > 0 {
            return true;
        }
        self.ticks = TICK;
        host.keep_going()
    }

    fn system_call(&mut self, core: &mut Core, host: &mut dyn Host) {
        let pc = core.pc().0;
        match syscall::carry_out(self, core, host) {
            Reply::Return(value) => {
                core.set_x(10, value & self.xlen.mask());
                core.set_pc(pc.wrapping_add(4));
                self.thread().retry_deadline = None;
            }
            Reply::Suspend(wait, deadline) => {
                core.set_x(10, 0);
                core.set_pc(pc.wrapping_add(4));
                self.threads.set_state(self.current, State::Waiting { wait, deadline });
            }
            Reply::Retry(wait, deadline) => {
                self.thread().retry_deadline = deadline;
                self.threads.set_state(self.current, State::Waiting { wait, deadline });
            }
            Reply::Resume => {}
            Reply::ExitThread(status) => self.exit_thread(core, status),
            Reply::ExitProcess(status) => self.ended = Some(Ending::Exit(status)),
        }
    }

    fn fault(&mut self, core: &mut Core, fault: Fault) {
        let (signal, code) = syscall::signal_of(fault.exception);
        let action = self.actions[usize::from(signal.0) - 1];
        let caught = action.handler > Action::IGNORE && self.thread().blocked & signal.bit() == 0;
        if caught {
            let value = if fault.exception.has_address() { fault.exception.value } else { core.pc().0 };
            self.thread().pending.send(Sent { signal, code, value });
        } else {
            self.ended = Some(Ending::Fault(fault));
        }
    }
}
