//! Which thread of a process runs, and when it gives way. All of it follows from the instructions retired, so that it
//! repeats from run to run.

use engine::Observer;
use engine::observer::Moved;
use hart::{Hart, System};

use crate::options::Ending;
use crate::process::Process;
use crate::signal::{SI_KERNEL, Sent, Signal};
use crate::syscall;
use crate::thread::{State, Wait};
use crate::timer::Timer;

impl Process {
    /// Place of the thread that has the next turn; `None` if all wait, or another process has the memory.
    pub(crate) fn next_turn<O: Observer>(&mut self, observer: &mut O, retired: u64) -> Option<usize> {
        if self.harts.are_several() {
            self.harts.next_turn(&self.threads, observer, retired)
        } else if self.lent_to.is_some() {
            None
        } else if self.threads[self.current].state() == State::Runnable {
            Some(self.current)
        } else {
            self.threads.next_runnable(self.current)
        }
    }

    /// When a wait ends by itself, or a timer's signal reaches somebody.
    pub(crate) fn next_event(&self) -> Option<u64> {
        let timers = self.timers.iter().zip(Timer::SIGNALS).filter(|&(_, signal)| self.is_heard(signal));
        timers.filter_map(|(timer, _)| timer.deadline).chain(self.threads.earliest_deadline()).min()
    }

    fn is_heard(&self, signal: Signal) -> bool {
        !self.is_ignored(signal) && self.threads.iter().any(|thread| thread.accepts(signal))
    }

    /// Lets the next thread in turn go on.
    pub(crate) fn rotate(&mut self, system: &mut System) {
        if self.harts.are_several() {
            self.harts.give_way();
        } else if let Some(next) = self.threads.next_runnable(self.current) {
            self.switch(system, next);
        }
    }

    /// Brings a thread onto the hart.
    pub(crate) fn switch(&mut self, system: &mut System, next: usize) {
        if next != self.current {
            self.abort_sequence(system);
        }
        // The parked context of the running thread is stale; it is where its registers go.
        if let Some((running, next)) = self.threads.pair_mut(self.current, next) {
            self.moved.push(Moved::Exchanged { from: running.id.0, to: next.id.0 });
            system.memory.drop_reservation();
            system.hart.swap(&mut next.context);
            std::mem::swap(&mut running.context, &mut next.context);
        }
        self.current = next;
    }

    /// Ends waits whose time is over, and sends the signals of timers that have expired.
    pub(crate) fn expire(&mut self, hart: &mut Hart, now: u64) {
        for index in 0..self.timers.len() {
            if self.timers[index].expire(now) {
                let signal = Timer::SIGNALS[index];
                self.send_to_process(Sent { signal, code: SI_KERNEL, value: 0, status: 0 });
            }
        }
        while let Some(index) = self.threads.overdue(now) {
            if let State::Waiting { wait, .. } = self.threads[index].state()
                && let Some(result) = syscall::result_at_deadline(wait)
            {
                self.set_result(hart, index, result);
            }
            self.threads.set_state(index, State::Runnable);
        }
    }

    /// Sets what a thread's system call returns.
    pub(crate) fn set_result(&mut self, hart: &mut Hart, index: usize, result: u64) {
        let result = result & self.xlen.mask();
        if index == self.current && !self.parked {
            hart.set_x(10, result);
        } else {
            self.threads[index].context.set_x(10, result);
        }
    }

    /// Ends the running thread, and with the last one the process.
    pub(crate) fn exit_thread(&mut self, system: &mut System, status: u8) {
        let word = self.thread().clear_on_exit;
        if word != 0 {
            syscall::clear_and_wake(self, &mut system.hart, &mut system.memory, word);
        }
        if self.threads.len() == 1 {
            self.ended = Some(Ending::Exit(status.into()));
            return;
        }
        let gone = self.current;
        // Its registers are not needed any more: the next thread's come in their place.
        let next = self.threads.next_runnable(gone).filter(|&next| next != gone);
        let next = next.unwrap_or_else(|| usize::from(gone == 0));
        self.switch(system, next);
        self.moved.push(Moved::Dropped { of: self.threads[gone].id.0 });
        self.threads.remove(gone);
        if gone < self.current {
            self.current -= 1;
        }
    }

    /// All threads wait: what each waits for.
    pub(crate) fn deadlock(&self, hart: &Hart) -> Ending {
        let waiting = self.threads.iter().enumerate().map(|(index, thread)| {
            let pc = if index == self.current { hart.pc().0 } else { thread.context.pc().0 };
            let futex = match thread.state() {
                State::Waiting { wait: Wait::Futex { address, .. }, .. } => Some(address),
                _ => None,
            };
            (thread.id, pc, futex)
        });
        Ending::Deadlock(waiting.collect())
    }
}
