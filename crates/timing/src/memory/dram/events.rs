//! What is to happen, and when.

use super::parameters::Tick;

/// Something that happens at a controller, or at one of its ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The controller looks for the next access.
    Request,
    /// Data of the read that was first to be ready are.
    Respond,
    /// A bank of the rank is open.
    Activated(usize),
    /// The bank that was last to be closed is.
    Precharged(usize),
    /// A refresh goes on.
    Refresh(usize),
    /// The rank is in its next state.
    Power(usize),
    /// Its last write is done.
    Written(usize),
}

/// Of the controller, and of each rank.
const OWN: usize = 2;
const EACH: usize = 5;

/// Events, each at most once.
#[derive(Clone, Debug)]
pub struct Events {
    /// When, and the number of its scheduling.
    times: Vec<Option<(Tick, u64)>>,
    scheduled: u64,
    /// The first one's time, or later than anything.
    due: Tick,
}

impl Events {
    pub fn new(ranks: usize) -> Self {
        Self { times: vec![None; OWN + EACH * ranks], scheduled: 0, due: Tick::MAX }
    }

    const fn index(event: Event) -> usize {
        let (rank, which) = match event {
            Event::Request => return 0,
            Event::Respond => return 1,
            Event::Activated(rank) => (rank, 0),
            Event::Precharged(rank) => (rank, 1),
            Event::Refresh(rank) => (rank, 2),
            Event::Power(rank) => (rank, 3),
            Event::Written(rank) => (rank, 4),
        };
        OWN + EACH * rank + which
    }

    const fn event(index: usize) -> Event {
        if index < OWN {
            return if index == 0 { Event::Request } else { Event::Respond };
        }
        let (rank, which) = ((index - OWN) / EACH, (index - OWN) % EACH);
        match which {
            0 => Event::Activated(rank),
            1 => Event::Precharged(rank),
            2 => Event::Refresh(rank),
            3 => Event::Power(rank),
            _ => Event::Written(rank),
        }
    }

    /// When an event happens, if it does.
    pub fn at(&self, event: Event) -> Option<Tick> {
        self.times[Self::index(event)].map(|(at, _)| at)
    }

    /// Lets an event happen then, and at no other time.
    pub fn schedule(&mut self, event: Event, at: Tick) {
        self.scheduled += 1;
        self.times[Self::index(event)] = Some((at, self.scheduled));
        self.find_due();
    }

    /// The time of the first event.
    pub const fn due(&self) -> Tick {
        self.due
    }

    /// Takes the first event. Of those at one time that is the one scheduled last, as gem5's queue has it
    /// (sim/eventq.cc, `Event::insertBefore`).
    pub fn take(&mut self) -> Option<(Tick, Event)> {
        let first =
            |&(_, one): &(usize, Option<(Tick, u64)>)| one.map(|(at, number)| (at, u64::MAX - number));
        let each = self.times.iter().copied().enumerate().filter(|(_, one)| one.is_some());
        let (index, (at, _)) = each.min_by_key(first).and_then(|(index, one)| one.map(|one| (index, one)))?;
        self.times[index] = None;
        self.find_due();
        Some((at, Self::event(index)))
    }

    fn find_due(&mut self) {
        self.due = self.times.iter().flatten().map(|&(at, _)| at).min().unwrap_or(Tick::MAX);
    }
}
