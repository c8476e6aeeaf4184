//! Whether the code that a harness measures keeps to its calls: it begins and ends where the harness says, speaks to
//! nobody meanwhile, and leaves the harness's stack as it was.

use hart::{Address, System};

/// Where calls begin and end, and what is the harness's.
#[derive(Clone, Debug)]
pub struct Calls {
    /// Begins and ends of timed calls.
    pub timed: (Address, Address),
    /// Begins and ends of all others.
    pub untimed: (Address, Address),
    /// The harness's stack: no call may change it, or what it returns to is no longer the harness.
    pub stack: (Address, Address),
}

/// The first thing that a call did and may not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breach {
    /// It began or ended a call.
    Reentry,
    /// An end was reached that no call led to.
    StrayEnd,
    /// It wrote to the host.
    Console,
    /// It changed the harness's stack.
    Stack,
    /// It ended the run.
    Exit,
}

/// What a call found when it began.
struct Open {
    timed: bool,
    requests: u64,
    stack: Vec<u8>,
}

/// Watches calls.
pub struct Supervision {
    calls: Calls,
    open: Option<Open>,
    breach: Option<Breach>,
}

impl Supervision {
    /// Watches these calls.
    pub const fn new(calls: Calls) -> Self {
        Self { calls, open: None, breach: None }
    }

    /// What was done wrong first, in a run that has ended.
    pub fn breach(&self) -> Option<Breach> {
        self.breach.or(self.open.as_ref().map(|_| Breach::Exit))
    }

    pub(crate) fn begins(&mut self, timed: bool, system: &System) {
        if self.open.is_some() {
            self.note(Breach::Reentry);
        }
        self.open =
            Some(Open { timed, requests: system.hart.host_requests(), stack: self.stack(system).to_vec() });
    }

    pub(crate) fn ends(&mut self, timed: bool, system: &System) {
        match self.open.take() {
            None => self.note(Breach::StrayEnd),
            Some(open) if open.timed != timed => self.note(Breach::Reentry),
            Some(open) if open.requests != system.hart.host_requests() => self.note(Breach::Console),
            Some(open) if open.stack != self.stack(system) => self.note(Breach::Stack),
            Some(_) => {}
        }
    }

    fn note(&mut self, breach: Breach) {
        self.breach.get_or_insert(breach);
    }

    fn stack<'s>(&self, system: &'s System) -> &'s [u8] {
        let (begin, end) = self.calls.stack;
        system.memory.slice(begin, end.0.saturating_sub(begin.0) as usize).unwrap_or_default()
    }
}
