//! The threads of a process, indexed by what the scheduler and the system calls ask: which can go on, whose
//! deadline is next, who waits for a futex.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::{Index, IndexMut};

use crate::thread::{State, Thread, ThreadId, Wait};

/// Threads in the order they were made, and so by identifier; never none once the first is there.
#[derive(Default)]
pub struct Threads {
    #[allow(clippy::vec_box, reason = "each is large, and an exit moves all after it")]
    list: Vec<Box<Thread>>,
    runnable: BTreeSet<ThreadId>,
    /// Those that try their system call again when a file has changed.
    watching: BTreeSet<ThreadId>,
    /// Those that wait for a child.
    parents: BTreeSet<ThreadId>,
    deadlines: BTreeSet<(u64, ThreadId)>,
    /// Who waits for each futex, the first come first.
    queues: BTreeMap<u64, VecDeque<ThreadId>>,
}

impl Threads {
    /// How many.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Thread> {
        self.list.iter().map(Box::as_ref)
    }

    /// Place of a thread, if it lives.
    pub fn position(&self, id: ThreadId) -> Option<usize> {
        self.list.binary_search_by_key(&id, |thread| thread.id).ok()
    }

    /// Adds a thread, whose identifier is above all others'.
    pub fn push(&mut self, thread: Thread) {
        let (id, state) = (thread.id, thread.state);
        self.list.push(Box::new(thread));
        self.enter(id, state);
    }

    /// Removes a thread.
    pub fn remove(&mut self, index: usize) {
        let thread = self.list.remove(index);
        self.leave(thread.id, thread.state);
    }

    /// Says what a thread does now.
    pub fn set_state(&mut self, index: usize, state: State) {
        let thread = &mut self.list[index];
        let id = thread.id;
        let before = std::mem::replace(&mut thread.state, state);
        self.leave(id, before);
        self.enter(id, state);
    }

    /// Both of two different threads.
    pub fn pair_mut(&mut self, one: usize, other: usize) -> Option<(&mut Thread, &mut Thread)> {
        let [one, other] = self.list.get_disjoint_mut([one, other]).ok()?;
        Some((one, other))
    }

    /// Lets those that wait for a child look for it again, before they do anything else.
    pub fn wake_parents(&mut self) {
        while let Some(&id) = self.parents.first() {
            match self.position(id) {
                Some(index) => {
                    self.set_state(index, State::Runnable);
                    self.list[index].completes = true;
                }
                None => drop(self.parents.pop_first()),
            }
        }
    }

    /// Forgets all but one, which is then `id`.
    pub fn keep(&mut self, index: usize, id: ThreadId) {
        let mut kept = self.list.swap_remove(index);
        *self = Self::default();
        kept.id = id;
        kept.state = State::Runnable;
        self.push(*kept);
    }

    /// True if one can go on.
    pub fn any_runnable(&self) -> bool {
        !self.runnable.is_empty()
    }

    /// True if more than one can go on.
    pub fn several_runnable(&self) -> bool {
        self.runnable.len() > 1
    }

    /// Places of those that can go on.
    pub fn runnable(&self) -> impl Iterator<Item = usize> {
        self.runnable.iter().filter_map(|&id| self.position(id))
    }

    /// Place of the next thread after `current` in turn that can go on; `current` itself is the last.
    pub fn next_runnable(&self, current: usize) -> Option<usize> {
        let id = self.list.get(current)?.id;
        let following = self.runnable.range(ThreadId(id.0 + 1)..).next();
        self.position(*following.or_else(|| self.runnable.first())?)
    }

    /// The moment at which the first wait ends by itself.
    pub fn earliest_deadline(&self) -> Option<u64> {
        self.deadlines.first().map(|&(deadline, _)| deadline)
    }

    /// Place of a thread whose deadline is not after `now`.
    pub fn overdue(&self, now: u64) -> Option<usize> {
        let &(deadline, id) = self.deadlines.first()?;
        if deadline <= now { self.position(id) } else { None }
    }

    /// Lets those that wait for files try again, before they do anything else.
    pub fn wake_watching(&mut self) {
        while let Some(&id) = self.watching.first() {
            match self.position(id) {
                Some(index) => {
                    self.set_state(index, State::Runnable);
                    self.list[index].completes = true;
                }
                None => drop(self.watching.pop_first()),
            }
        }
    }

    /// Place of the first thread in the queue of a futex that has one of `bits` in common with it.
    pub fn first_waiter(&self, address: u64, bits: u32) -> Option<usize> {
        let queue = self.queues.get(&address)?;
        queue.iter().filter_map(|&id| self.position(id)).find(|&index| match self.list[index].state {
            State::Waiting { wait: Wait::Futex { bits: wanted, .. }, .. } => wanted & bits != 0,
            _ => false,
        })
    }

    fn enter(&mut self, id: ThreadId, state: State) {
        match state {
            State::Runnable => drop(self.runnable.insert(id)),
            State::Waiting { wait, deadline } => {
                match wait {
                    Wait::Futex { address, .. } => self.queues.entry(address).or_default().push_back(id),
                    Wait::File | Wait::Poll => drop(self.watching.insert(id)),
                    Wait::Child => drop(self.parents.insert(id)),
                    Wait::Signal(_) | Wait::Time => {}
                }
                if let Some(deadline) = deadline {
                    self.deadlines.insert((deadline, id));
                }
            }
        }
    }

    fn leave(&mut self, id: ThreadId, state: State) {
        match state {
            State::Runnable => drop(self.runnable.remove(&id)),
            State::Waiting { wait, deadline } => {
                match wait {
                    Wait::Futex { address, .. } => self.leave_queue(id, address),
                    Wait::File | Wait::Poll => drop(self.watching.remove(&id)),
                    Wait::Child => drop(self.parents.remove(&id)),
                    Wait::Signal(_) | Wait::Time => {}
                }
                if let Some(deadline) = deadline {
                    self.deadlines.remove(&(deadline, id));
                }
            }
        }
    }

    fn leave_queue(&mut self, id: ThreadId, address: u64) {
        if let Some(queue) = self.queues.get_mut(&address) {
            queue.retain(|&other| other != id);
            if queue.is_empty() {
                self.queues.remove(&address);
            }
        }
    }
}

impl Index<usize> for Threads {
    type Output = Thread;

    fn index(&self, index: usize) -> &Thread {
        &self.list[index]
    }
}

impl IndexMut<usize> for Threads {
    fn index_mut(&mut self, index: usize) -> &mut Thread {
        &mut self.list[index]
    }
}
