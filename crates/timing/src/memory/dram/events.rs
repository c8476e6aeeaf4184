//! What is to happen, and when.

use super::parameters::Tick;

/// Something that happens at a controller, or at one of its ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The controller looks for the next access.
    Request,
    /// A refresh of the rank is due, or goes on.
    Refresh(usize),
    /// It is over.
    Refreshed(usize),
}

const NEVER: Tick = Tick::MAX;

/// Events, each at most once.
#[derive(Clone, Debug)]
pub struct Events {
    /// When.
    times: Vec<Tick>,
    /// The number of its scheduling.
    numbers: Vec<u64>,
    scheduled: u64,
    /// The first one, and its time.
    first: usize,
    due: Tick,
}

impl Events {
    pub fn new(ranks: usize) -> Self {
        let events = 1 + 2 * ranks;
        Self { times: vec![NEVER; events], numbers: vec![0; events], scheduled: 0, first: 0, due: NEVER }
    }

    const fn index(event: Event) -> usize {
        match event {
            Event::Request => 0,
            Event::Refresh(rank) => 1 + 2 * rank,
            Event::Refreshed(rank) => 2 + 2 * rank,
        }
    }

    const fn event(index: usize) -> Event {
        match index {
            0 => Event::Request,
            odd if odd % 2 == 1 => Event::Refresh(odd / 2),
            even => Event::Refreshed(even / 2 - 1),
        }
    }

    /// True if an event is to happen.
    pub fn is_scheduled(&self, event: Event) -> bool {
        self.times[Self::index(event)] != NEVER
    }

    /// Lets an event happen then, and at no other time.
    pub fn schedule(&mut self, event: Event, at: Tick) {
        let index = Self::index(event);
        self.scheduled += 1;
        self.times[index] = at;
        self.numbers[index] = self.scheduled;
        if at <= self.due {
            (self.first, self.due) = (index, at);
        } else if index == self.first {
            self.find_due();
        }
    }

    /// The time of the first event, or later than anything.
    pub const fn due(&self) -> Tick {
        self.due
    }

    /// Takes the first event. Of those at one time that is the one scheduled last, as gem5's queue has it
    /// (sim/eventq.cc, `Event::insertBefore`).
    pub fn take(&mut self) -> Option<(Tick, Event)> {
        let (at, index) = (self.due, self.first);
        if at == NEVER {
            return None;
        }
        self.times[index] = NEVER;
        self.find_due();
        Some((at, Self::event(index)))
    }

    fn find_due(&mut self) {
        (self.first, self.due) = (0, NEVER);
        let mut latest = 0;
        for (index, (&at, &number)) in self.times.iter().zip(&self.numbers).enumerate() {
            if at < self.due || at == self.due && number > latest {
                (self.first, self.due, latest) = (index, at, number);
            }
        }
    }
}
