//! Whose turn it is. Processes take turns like the threads of one: at system calls that wait, and at fixed counts of
//! instructions. All of it follows from the instructions retired, so that it repeats from run to run.

use engine::{Machine, Observer};

use super::Processes;
use crate::harts::QUANTUM;
use crate::options::Ending;
use crate::process::Process;
use crate::streams::Streams;
use crate::thread::State;

/// A turn is longer by [`QUANTUM`] for each of so many bytes that a process shares with others, times the others, since
/// these bytes are compared when it ends, and perhaps copied to each of them.
const SHARED_BYTES: u64 = 1 << 20;

impl Processes {
    /// Brings a runnable thread onto the hart, with its signals delivered; letting time pass if none is.
    pub(super) fn prepare<O: Observer>(
        &mut self,
        machine: &mut Machine<'_>,
        observer: &mut O,
        host: &mut dyn Streams,
    ) -> Option<Ending> {
        loop {
            if let Some(ending) = self.current.ended.take() {
                if self.ends_run(&ending) {
                    return Some(ending);
                }
                self.bury(machine, ending, host);
            }
            self.expire(machine);
            self.tell_of_files();
            let retired = machine.hart.retired();
            let Some(thread) = self.current.next_turn(observer, retired) else {
                if let Some(next) = self.shared.kin.next_runnable(self.current.id) {
                    self.switch_process(machine, next);
                } else {
                    let Some(deadline) = self.next_event() else {
                        return Some(self.deadlock(machine, host));
                    };
                    self.shared.clock.wait_until(deadline, retired);
                    if !host.keep_going() {
                        return Some(Ending::Interrupted);
                    }
                }
                continue;
            };
            if thread != self.current.current {
                self.current.switch(&mut machine.system, thread);
            }
            // What it waited for comes before signals that came with it.
            if std::mem::take(&mut self.current.thread().completes) {
                return None;
            }
            if self.current.deliver(&mut machine.system)
                && self.current.threads[self.current.current].state() == State::Runnable
            {
                return None;
            }
        }
    }

    /// The count of instructions at which something other than the running thread may be due: threads and processes
    /// of the only hart switch at multiples of [`QUANTUM`].
    pub(super) fn next_stop(&self, retired: u64) -> u64 {
        let threads = self.current.threads.several_runnable() && !self.current.harts.are_several();
        let several = threads || self.shared.kin.next_runnable(self.current.id).is_some();
        let common = self.current.space.shared_bytes() * self.shared.kin.parked.len() as u64;
        let turn = QUANTUM * (1 + common / SHARED_BYTES);
        let quantum = if several { (retired / turn + 1) * turn } else { u64::MAX };
        let deadline = self.next_event().map_or(u64::MAX, |deadline| {
            let left = self.shared.clock.instructions_until(deadline, retired).unwrap_or(QUANTUM);
            retired.saturating_add(left.max(1))
        });
        quantum.min(deadline)
    }

    /// Lets the next thread in turn go on: another of the process when it is its turn again, now one of the next
    /// process.
    pub(super) fn rotate(&mut self, machine: &mut Machine<'_>) {
        self.current.rotate(&mut machine.system);
        if let Some(next) = self.shared.kin.next_runnable(self.current.id) {
            self.switch_process(machine, next);
        }
    }

    fn every(&self) -> impl Iterator<Item = &Process> {
        let parked = self.shared.kin.parked.values();
        std::iter::once(&self.current).chain(parked.map(|parked| &parked.process))
    }

    /// When a wait ends by itself, or a timer's signal reaches somebody.
    fn next_event(&self) -> Option<u64> {
        self.every().filter_map(Process::next_event).min()
    }

    /// Ends waits whose time is over, and sends the signals of timers that have expired.
    fn expire(&mut self, machine: &mut Machine<'_>) {
        let now = self.shared.clock.monotonic(machine.hart.retired());
        self.current.expire(&mut machine.hart, now);
        for parked in self.shared.kin.parked.values_mut() {
            parked.process.expire(&mut machine.hart, now);
        }
    }

    /// Lets those try again that wait for a file, if one may have become ready.
    fn tell_of_files(&mut self) {
        if std::mem::take(&mut self.shared.kin.files_changed) {
            self.current.threads.wake_watching();
            let parked = self.shared.kin.parked.values_mut();
            parked.for_each(|parked| parked.process.threads.wake_watching());
        }
    }

    /// The first process's threads; the user is told of the others'.
    fn deadlock(&mut self, machine: &mut Machine<'_>, host: &mut dyn Streams) -> Ending {
        self.return_to_first(machine);
        for (process, thread, pc) in self.parked_threads() {
            let program = String::from_utf8_lossy(&process.program);
            let waits = process.describe(thread).unwrap_or_default();
            let id = process.id.0;
            host.message(&format!("process {id} ({program}), thread {} at {pc:#x}: {waits}", thread.0));
        }
        self.current.deadlock(&machine.hart)
    }
}
