//! What changes hands when a process starts, executes a program, or ends: memory, translated code, zombies.

use engine::Machine;

use super::Processes;
use crate::kin::Parked;
use crate::options::Ending;
use crate::process::Process;
use crate::relation::{ProcessId, Status, Zombie};
use crate::signal::{Action, Sent, Signal};
use crate::streams::Streams;
use crate::thread::ThreadId;

/// Parked processes whose translated code is kept, and how much of it; beyond, that of those that have waited longest is
/// dropped.
const MOST_KEPT: usize = 16;
const MOST_CODE: usize = 1 << 22;

impl Processes {
    /// A new child gets the running process's memory and code, or a copy of the code.
    pub(super) fn give_code(&mut self, machine: &mut Machine<'_>, child: ProcessId, lends: bool) {
        self.flush_stale(machine);
        if !lends {
            if let Some(parked) = self.shared.kin.parked.get_mut(&child) {
                parked.code = Some(machine.copied_translations());
            }
            return;
        }
        self.current.lent_to = Some(child);
        if let Some(parked) = self.shared.kin.parked.get_mut(&child) {
            parked.process.borrowed_from = Some(self.current.id);
            let code = parked.code.get_or_insert_with(|| machine.no_translations());
            machine.exchange(&mut parked.memory, code);
            std::mem::swap(&mut self.current.space, &mut parked.process.space);
        }
    }

    /// The running process gives its parent the memory back that it has borrowed.
    fn give_back(&mut self, machine: &mut Machine<'_>) {
        let Some(parent) = self.current.borrowed_from.take() else { return };
        self.flush_stale(machine);
        if let Some(parked) = self.shared.kin.parked.get_mut(&parent) {
            parked.process.lent_to = None;
            let code = parked.code.get_or_insert_with(|| machine.no_translations());
            machine.exchange(&mut parked.memory, code);
            std::mem::swap(&mut self.current.space, &mut parked.process.space);
        }
    }

    /// The running process begins the program that it has made ready.
    pub(super) fn begin_program(&mut self, machine: &mut Machine<'_>) {
        let Some(image) = self.current.image.take() else { return };
        self.publish(machine);
        self.give_back(machine);
        self.current.code_changed = false;
        machine.drop_code();
        self.current.begin_program(&image);
        if let Some(blank) = &self.blank {
            machine.hart.swap(&mut blank.clone());
        }
        machine.hart.set_pc(image.entry.pc);
        machine.hart.set_x(2, image.entry.sp);
        machine.memory = image.memory;
        self.current.space = image.space;
    }

    /// True if the run ends as the running process does.
    pub(super) fn ends_run(&self, ending: &Ending) -> bool {
        let ends = matches!(ending, Ending::Exit(_) | Ending::Killed(_) | Ending::Fault(_));
        !ends || self.current.id == ProcessId::FIRST
    }

    /// Ends the running process, which is not the first, and lets another one have the machine.
    pub(super) fn bury(&mut self, machine: &mut Machine<'_>, ending: Ending, host: &mut dyn Streams) {
        let id = self.current.id;
        let status = self.status(&ending, host);
        self.publish(machine);
        self.give_back(machine);
        let next = self.shared.kin.next_runnable(id).unwrap_or(ProcessId::FIRST);
        self.switch_process(machine, next);
        let kin = &mut self.shared.kin;
        let relation = kin.relations.remove(&id);
        let orphans = kin.relations.values_mut().filter(|relation| relation.parent == id);
        orphans.for_each(|relation| relation.parent = ProcessId::NOBODY);
        let Some(gone) = kin.parked.remove(&id) else { return };
        if let Some(code) = gone.code {
            machine.absorb(code);
        }
        kin.account(&gone.process, Some(ending));
        // Its files close with it.
        let (instructions, descendants) = (gone.process.instructions, gone.process.descendants);
        drop(gone.process);
        kin.files_changed = true;
        if let Some(relation) = relation {
            let zombie = Zombie { id, group: relation.group, status, instructions, descendants };
            self.tell_parent(relation.parent, zombie, relation.exit_signal);
        }
    }

    /// How a process has ended, to its parent. The user is told of a fault, which nobody else describes.
    fn status(&self, ending: &Ending, host: &mut dyn Streams) -> Status {
        match ending {
            Ending::Exit(status) => Status::Exited(*status as u8),
            Ending::Killed(signal) => Status::Killed(*signal),
            Ending::Fault(fault) => {
                let (signal, _) = Signal::of(fault.exception);
                let (id, pc) = (self.current.id.0, fault.pc.0);
                let program = String::from_utf8_lossy(&self.current.program);
                let (what, value) = (fault.exception.name(), fault.exception.value);
                host.message(&format!(
                    "process {id} ({program}): {what} at pc {pc:#x}, value {value:#x}; killed by {}",
                    signal.name().unwrap_or_default()
                ));
                Status::Killed(signal)
            }
            _ => Status::Killed(Signal::SIGKILL),
        }
    }

    /// A parent hears of a child's end, unless it does not care.
    fn tell_parent(&mut self, parent: ProcessId, zombie: Zombie, signal: Option<Signal>) {
        let Some(parent) = self.process_mut(parent) else { return };
        let action = parent.action(Signal::SIGCHLD);
        let cares = action.handler != Action::IGNORE && action.flags & Action::NO_CHILD_WAIT == 0;
        if cares || signal != Some(Signal::SIGCHLD) {
            parent.zombies.push(zombie);
        }
        parent.threads.wake_parents();
        if let Some(signal) = signal {
            let (code, status) = zombie.status.of_signal();
            parent.send_to_process(Sent { signal, code, value: zombie.id.0.into(), status });
        }
    }

    /// A living process.
    fn process_mut(&mut self, id: ProcessId) -> Option<&mut Process> {
        if self.current.id == id {
            return Some(&mut self.current);
        }
        self.shared.kin.parked.get_mut(&id).map(|parked| &mut parked.process)
    }

    /// What the running process has written to memory that it shares is there in the others' before one of them runs.
    fn publish(&mut self, machine: &mut Machine<'_>) {
        self.shared.kin.publish(&self.current.space, &mut machine.memory);
    }

    /// Lets another process have the machine.
    pub(super) fn switch_process(&mut self, machine: &mut Machine<'_>, next: ProcessId) {
        self.publish(machine);
        let Some(mut other) = self.shared.kin.parked.remove(&next) else { return };
        self.flush_stale(machine);
        self.current.abort_sequence(&mut machine.system);
        self.count_turn(machine.hart.retired());
        self.exchange_registers(machine);
        self.current.parked = true;
        machine.memory.drop_reservation();
        let code = other.code.get_or_insert_with(|| machine.no_translations());
        machine.exchange(&mut other.memory, code);
        std::mem::swap(&mut self.current, &mut other.process);
        self.exchange_registers(machine);
        self.current.parked = false;
        other.since = machine.hart.retired();
        self.shared.kin.parked.insert(other.process.id, other);
        self.drop_old_code();
    }

    /// The running process's instructions since it got its turn.
    fn count_turn(&mut self, retired: u64) {
        let since = std::mem::replace(&mut self.shared.kin.since, retired);
        self.current.instructions += retired - since;
    }

    /// Exchanges the hart's registers with the context of the running process's thread.
    fn exchange_registers(&mut self, machine: &mut Machine<'_>) {
        machine.hart.swap(&mut self.current.thread().context);
    }

    /// Drops code of those that have waited longest if there is too much.
    fn drop_old_code(&mut self) {
        let parked = &mut self.shared.kin.parked;
        loop {
            let sizes = parked.values().map(Parked::code_size).filter(|&size| size > 0);
            let (count, size) = sizes.fold((0, 0), |(count, sum), size| (count + 1, sum + size));
            if count <= MOST_KEPT && size <= MOST_CODE {
                return;
            }
            let with_code = parked.values_mut().filter(|parked| parked.code_size() > 0);
            let oldest = with_code.min_by_key(|parked| (parked.since, parked.process.id));
            let Some(code) = oldest.and_then(|oldest| oldest.code.as_mut()) else { return };
            code.shrink();
        }
    }

    /// The first process gets the machine, for those who look at it after a run.
    pub(super) fn return_to_first(&mut self, machine: &mut Machine<'_>) {
        if self.current.id != ProcessId::FIRST {
            self.switch_process(machine, ProcessId::FIRST);
        }
        self.count_turn(machine.hart.retired());
    }

    /// What was counted of the other processes' code is the machine's to tell.
    pub(super) fn gather_counts(&mut self, machine: &mut Machine<'_>) {
        for parked in self.shared.kin.parked.values_mut() {
            if let Some(code) = parked.code.take() {
                machine.absorb(code);
            }
        }
    }

    /// Threads of processes that do not run, with where they go on.
    pub(super) fn parked_threads(&self) -> impl Iterator<Item = (&Process, ThreadId, u64)> {
        self.shared.kin.parked.values().flat_map(|parked| {
            let threads = parked.process.threads.iter();
            threads.map(|thread| (&parked.process, thread.id, thread.context.pc().0))
        })
    }
}
