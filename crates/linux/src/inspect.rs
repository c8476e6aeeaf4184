//! The first process's threads, for a debugger.

use hart::{Hart, System};

use crate::process::Process;
use crate::processes::Processes;
use crate::thread::{State, ThreadId, Wait};

impl Processes {
    /// Its threads; none before it first runs.
    pub fn threads(&self) -> impl Iterator<Item = ThreadId> {
        self.current.threads.iter().map(|thread| thread.id)
    }

    /// The thread whose registers the hart has.
    pub fn running(&self) -> Option<ThreadId> {
        self.current.threads.iter().nth(self.current.current).map(|thread| thread.id)
    }

    /// Lets `look` have the hart with the registers of a thread; `None` if there is no such thread. A look at
    /// another than the running one costs its reservation, as an interrupt may.
    pub fn with_thread<T>(
        &mut self,
        system: &mut System,
        id: ThreadId,
        look: impl FnOnce(&mut Hart) -> T,
    ) -> Option<T> {
        let process = &mut self.current;
        let index = process.threads.position(id)?;
        let hart = &mut system.hart;
        if index == process.current {
            return Some(look(hart));
        }
        system.memory.drop_reservation();
        hart.swap(&mut process.threads[index].context);
        let seen = look(hart);
        hart.swap(&mut process.threads[index].context);
        Some(seen)
    }

    /// Where a thread goes on.
    pub fn thread_pc(&self, hart: &Hart, id: ThreadId) -> Option<u64> {
        let process = &self.current;
        let index = process.threads.position(id)?;
        Some(if index == process.current { hart.pc().0 } else { process.threads[index].context.pc().0 })
    }

    /// What a thread does, for people; `None` if there is no such thread.
    pub fn describe_thread(&self, id: ThreadId) -> Option<String> {
        if self.running() == Some(id) { Some("running".to_owned()) } else { self.current.describe(id) }
    }
}

impl Process {
    /// What a thread does that does not run, for people; `None` if there is no such thread.
    pub(crate) fn describe(&self, id: ThreadId) -> Option<String> {
        let index = self.threads.position(id)?;
        Some(match self.threads[index].state() {
            State::Runnable => "runnable".to_owned(),
            State::Waiting { wait, .. } => match wait {
                Wait::Futex { address, .. } => format!("waits for the futex at {address:#x}"),
                Wait::File | Wait::Poll => "waits for a file".to_owned(),
                Wait::Child => "waits for a child".to_owned(),
                Wait::Signal(_) => "waits for a signal".to_owned(),
                Wait::Time => "waits for time to pass".to_owned(),
            },
        })
    }
}
