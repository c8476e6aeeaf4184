//! Running processes: their instructions, and between them system calls, faults and turns.

use engine::{Limits, Machine, Observer, Stop};
use hart::csr::{Privilege, number};
use hart::{Exception, Hart};

use super::Processes;
use crate::harts::Harts;
use crate::options::Ending;
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

impl Processes {
    /// Runs until something stops it. The machine then has what the first process has.
    pub fn run<O: Observer>(
        &mut self,
        machine: &mut Machine<'_>,
        limits: Limits,
        observer: &mut O,
        host: &mut dyn Streams,
    ) -> Ending {
        if self.current.threads.len() == 0 {
            self.begin(machine, observer.harts());
        }
        let ending = self.go_on(machine, limits, observer, host);
        self.return_to_first(machine);
        self.gather_counts(machine);
        self.ended = Some(ending.clone());
        ending
    }

    /// Brings the first program's first thread onto the hart.
    fn begin(&mut self, machine: &mut Machine<'_>, harts: usize) {
        self.current.harts = Harts::new(harts);
        if harts > 1 && self.shared.kin.alone.is_none() {
            self.stay_alone("a run on several harts");
        }
        enter(&mut machine.hart);
        self.blank = Some(Box::new(machine.hart.clone()));
        machine.hart.set_pc(self.entry.pc);
        machine.hart.set_x(2, self.entry.sp);
        let first = ThreadId(self.current.id.0);
        self.current.threads.push(Thread::new(first, machine.hart.clone()));
    }

    fn go_on<O: Observer>(
        &mut self,
        machine: &mut Machine<'_>,
        limits: Limits,
        observer: &mut O,
        host: &mut dyn Streams,
    ) -> Ending {
        let limit = limits.instructions.unwrap_or(u64::MAX);
        loop {
            self.flush_stale(machine);
            if std::mem::take(&mut self.current.yielded) {
                self.rotate(machine);
            }
            if let Some(ending) = self.prepare(machine, observer, host) {
                return ending;
            }
            if let Some(pages) = machine.memory.pages_mut() {
                pages.changes().for_each(|change| observer.pages_changed(&change));
            }
            self.current.moved.drain(..).for_each(|moved| observer.registers_moved(moved));
            let until = self.next_stop(machine.hart.retired()).min(limit);
            if limits.instructions.is_some() && self.shared.barren() >= limit {
                return Ending::InstructionLimit;
            }
            match machine.run(Limits { instructions: Some(until) }, observer, host) {
                Stop::InstructionLimit if machine.hart.retired() >= limit => {
                    return Ending::InstructionLimit;
                }
                Stop::InstructionLimit => self.rotate(machine),
                Stop::Turn => {}
                Stop::Fault(fault) if fault.exception.cause == Exception::ECALL_U => {
                    self.system_call(machine, host);
                }
                Stop::Fault(fault) => self.current.fault(machine.hart.pc().0, fault),
                Stop::Exit(status) => return Ending::Exit(status & 0xff),
                stop => return stop.into(),
            }
            if !self.shared.goes_on(machine.hart.retired(), host) {
                return Ending::Interrupted;
            }
        }
    }

    /// Drops translated code that may be stale.
    pub(super) fn flush_stale(&mut self, machine: &mut Machine<'_>) {
        if std::mem::take(&mut self.current.code_changed) {
            machine.flush_code();
        }
    }

    fn system_call(&mut self, machine: &mut Machine<'_>, host: &mut dyn Streams) {
        let pc = machine.hart.pc().0;
        let process = &mut self.current;
        let reply = syscall::carry_out(process, &mut self.shared, &mut machine.system, host);
        let hart = &mut machine.system.hart;
        match reply {
            Reply::Return(value) => {
                hart.set_x(10, value & process.xlen.mask());
                hart.set_pc(pc.wrapping_add(4));
                process.thread().retry_deadline = None;
            }
            Reply::Suspend(wait, deadline) => {
                hart.set_x(10, 0);
                hart.set_pc(pc.wrapping_add(4));
                process.threads.set_state(process.current, State::Waiting { wait, deadline });
            }
            Reply::Retry(wait, deadline) => process.wait_and_retry(wait, deadline),
            Reply::Resume => {}
            Reply::ExitThread(status) => process.exit_thread(&mut machine.system, status),
            Reply::ExitProcess(status) => process.ended = Some(Ending::Exit(status.into())),
            Reply::Fork { child, lends } => {
                self.shared.ask_soon();
                hart.set_x(10, child.0.into());
                hart.set_pc(pc.wrapping_add(4));
                self.give_code(machine, child, lends);
            }
            Reply::Exec => {
                self.shared.ask_soon();
                self.begin_program(machine);
            }
        }
    }
}
