//! The processes of a run: who is whose child, and what is kept of those that do not run.

use std::collections::BTreeMap;

use engine::Translations;
use hart::{Address, Memory};

use crate::options::Ending;
use crate::process::Process;
use crate::relation::{ProcessId, Relation};
use crate::space::AddressSpace;

/// A process that does not run, with what the machine has of the one that does. All its threads' registers are in
/// their contexts.
pub struct Parked {
    /// The process.
    pub process: Process,
    /// Its memory.
    pub memory: Memory,
    /// Its translated code; none before it first runs.
    pub code: Option<Translations>,
    /// When it was parked, by the count of instructions.
    pub since: u64,
}

impl Parked {
    /// Memory of a process that has none: another one has it.
    ///
    /// # Errors
    /// The host's.
    pub fn no_memory() -> std::io::Result<Memory> {
        Memory::new(Address(0), 0)
    }

    /// How much translated code is kept for it.
    pub fn code_size(&self) -> usize {
        self.code.as_ref().map_or(0, Translations::size)
    }
}

/// What a process did, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Account {
    /// Its number.
    pub id: ProcessId,
    /// Its parent's when it was started.
    pub parent: ProcessId,
    /// The program it executed last.
    pub program: Vec<u8>,
    /// Instructions it retired.
    pub instructions: u64,
    /// How it ended; `None` if it ran until the run ended.
    pub ending: Option<Ending>,
}

impl Account {
    /// Of a process that has ended, or not.
    pub fn of(process: &Process, ending: Option<Ending>) -> Self {
        Self {
            id: process.id,
            parent: process.started_by,
            program: process.program.clone(),
            instructions: process.instructions,
            ending,
        }
    }
}

/// The processes of a run.
pub struct Kin {
    /// Of each that lives.
    pub relations: BTreeMap<ProcessId, Relation>,
    /// All but the one that runs.
    pub parked: BTreeMap<ProcessId, Parked>,
    /// Most at a time.
    pub most: usize,
    /// Why there may be no others than the first.
    pub alone: Option<&'static str>,
    /// What somebody waits for may have come: files may have become ready.
    pub files_changed: bool,
    /// Those that have ended, in order.
    pub accounts: Vec<Account>,
    /// Instructions that had retired when the running one got its turn.
    pub since: u64,
}

impl Kin {
    /// Most that are remembered after they have ended.
    const MOST_ACCOUNTS: usize = 1 << 16;

    /// The first process only.
    pub fn new(most: usize) -> Self {
        let first = Relation {
            parent: ProcessId::NOBODY,
            group: ProcessId::FIRST,
            session: ProcessId::FIRST,
            exit_signal: None,
        };
        Self {
            relations: BTreeMap::from([(ProcessId::FIRST, first)]),
            parked: BTreeMap::new(),
            most,
            alone: None,
            files_changed: false,
            accounts: Vec::new(),
            since: 0,
        }
    }

    /// The parked process after `current` in turn that can go on.
    pub fn next_runnable(&self, current: ProcessId) -> Option<ProcessId> {
        let after = self.parked.range(ProcessId(current.0 + 1)..).chain(self.parked.range(..current));
        after.into_iter().find(|(_, parked)| parked.process.is_runnable()).map(|(&id, _)| id)
    }

    /// Parked processes that share the memory at an address with `current`, in turn after it.
    pub fn sharers(&self, current: &Process, address: u64) -> Vec<ProcessId> {
        let Some(share) = current.space.share_at(address) else { return Vec::new() };
        let after = self.parked.range(ProcessId(current.id.0 + 1)..).chain(self.parked.range(..current.id));
        let sharers = after.filter(|(_, parked)| parked.process.space.share_at(address) == Some(share));
        sharers.map(|(&id, _)| id).collect()
    }

    /// Lets the others that share memory with the running process have what it has written there.
    pub fn publish(&mut self, space: &AddressSpace, memory: &mut Memory) {
        if space.shared_bytes() == 0 {
            return;
        }
        let Some(pages) = memory.pages_mut() else { return };
        let parked = self.parked.values_mut();
        let others =
            parked.filter_map(|Parked { process, memory, .. }| Some((&process.space, memory.pages_mut()?)));
        space.publish(pages, &mut others.collect::<Vec<_>>());
    }

    /// What a living process is to others.
    pub fn relation(&self, id: ProcessId) -> Option<Relation> {
        self.relations.get(&id).copied()
    }

    /// The parent of a living process.
    pub fn parent(&self, id: ProcessId) -> ProcessId {
        self.relation(id).map_or(ProcessId::NOBODY, |relation| relation.parent)
    }

    /// True if a living child of `parent` meets a condition.
    pub fn has_child(&self, parent: ProcessId, is_meant: impl Fn(ProcessId, &Relation) -> bool) -> bool {
        self.relations.iter().any(|(&id, relation)| relation.parent == parent && is_meant(id, relation))
    }

    /// Remembers what a process did.
    pub fn account(&mut self, process: &Process, ending: Option<Ending>) {
        if self.accounts.len() < Self::MOST_ACCOUNTS {
            self.accounts.push(Account::of(process, ending));
        }
    }
}
