//! Which thread runs, when it gives way, and what time does meanwhile. All of it follows from the
//! instructions retired, so that it repeats from run to run.

use engine::Observer;
use engine::observer::Moved;
use hart::{Hart, System};

use crate::harts::QUANTUM;
use crate::process::{Ending, Process};
use crate::signal::{SI_KERNEL, Sent, Signal};
use crate::streams::Streams;
use crate::syscall;
use crate::thread::{State, Wait};
use crate::timer::Timer;

impl Process {
    /// Brings a runnable thread onto the hart, with its signals delivered; letting time pass if none is.
    pub(crate) fn prepare<O: Observer>(
        &mut self,
        system: &mut System,
        observer: &mut O,
        host: &mut dyn Streams,
    ) -> Option<Ending> {
        loop {
            self.expire(&mut system.hart);
            let has_turn = if self.harts.are_several() {
                self.harts.next_turn(&self.threads, observer, system.hart.retired())
            } else if self.threads[self.current].state() == State::Runnable {
                Some(self.current)
            } else {
                self.threads.next_runnable(self.current)
            };
            if has_turn != Some(self.current) {
                if let Some(next) = has_turn {
                    self.switch(system, next);
                } else {
                    let Some(deadline) = self.next_event() else {
                        return Some(self.deadlock(&system.hart));
                    };
                    self.clock.wait_until(deadline, system.hart.retired());
                    if !host.keep_going() {
                        return Some(Ending::Interrupted);
                    }
                    continue;
                }
            }
            if !self.deliver(system) {
                return self.ended.take();
            }
            if self.threads[self.current].state() == State::Runnable {
                return None;
            }
        }
    }

    /// The count of instructions at which something other than the running thread may be due: threads of the only hart
    /// switch at multiples of [`QUANTUM`].
    pub(crate) fn next_stop(&self, retired: u64) -> u64 {
        let several = self.threads.several_runnable() && !self.harts.are_several();
        let quantum = if several { (retired / QUANTUM + 1) * QUANTUM } else { u64::MAX };
        let deadline = self.next_event().map_or(u64::MAX, |deadline| {
            let left = self.clock.instructions_until(deadline, retired).unwrap_or(QUANTUM);
            retired.saturating_add(left.max(1))
        });
        quantum.min(deadline)
    }

    /// When a wait ends by itself, or a timer's signal reaches somebody.
    fn next_event(&self) -> Option<u64> {
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

    fn switch(&mut self, system: &mut System, next: usize) {
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
    fn expire(&mut self, hart: &mut Hart) {
        let now = self.clock.monotonic(hart.retired());
        for index in 0..self.timers.len() {
            if self.timers[index].expire(now) {
                let signal = Timer::SIGNALS[index];
                self.send_to_process(Sent { signal, code: SI_KERNEL, value: 0 });
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
        if index == self.current {
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

    fn deadlock(&self, hart: &Hart) -> Ending {
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
