//! The controller: its queues, and which access is next.

use std::collections::VecDeque;

use super::at_rest::AtRest;
use super::bank::{Rank, Refresh};
use super::chooser::choose;
use super::counts::Counts;
use super::events::{Event, Events};
use super::open_rows::{Found, OpenRows};
use super::parameters::{Parameters, Place, Tick};
use super::written::Written;

/// What the bus is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Reads,
    Writes,
}

/// An access that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    pub address: u64,
    pub bytes: u64,
    pub place: Place,
    /// Tells reads apart.
    number: u64,
}

/// A DRAM with its controller.
#[derive(Clone, Debug)]
pub struct Dram {
    pub(super) p: Parameters,
    pub(super) now: Tick,
    pub(super) events: Events,
    pub(super) ranks: Vec<Rank>,
    /// The rank of the last access.
    pub(super) active: usize,
    pub(super) direction: Direction,
    pub(super) next_direction: Direction,
    pub(super) reads: VecDeque<Waiting>,
    pub(super) writes: VecDeque<Waiting>,
    /// The read that was begun last, and when its data are ready.
    begun: (u64, Tick),
    pub(super) next_burst_at: Tick,
    next_request_at: Tick,
    pub(super) reads_this_time: usize,
    writes_this_time: usize,
    pub(super) written: Written,
    number: u64,
    pub(super) counts: Counts,
    pub(super) rows: OpenRows,
    pub(super) rest: AtRest,
}

impl Dram {
    /// At time 0.
    pub fn new(p: Parameters) -> Self {
        let ranks = vec![Rank::new(&p); p.ranks as usize];
        let mut events = Events::new(ranks.len());
        (0..ranks.len()).for_each(|rank| events.schedule(Event::Refresh(rank), p.t_refi - p.t_rp));
        let next_burst_at = p.t_rp + p.t_rcd;
        let (rows, rest) = (OpenRows::new(&p), AtRest::new(&p));
        Self {
            p,
            now: 0,
            events,
            ranks,
            active: 0,
            direction: Direction::Reads,
            next_direction: Direction::Reads,
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            begun: (0, 0),
            next_burst_at,
            next_request_at: 0,
            reads_this_time: 0,
            writes_this_time: 0,
            written: Written::new(),
            number: 0,
            counts: Counts::default(),
            rows,
            rest,
        }
    }

    /// What was done so far.
    pub const fn counts(&self) -> Counts {
        self.counted()
    }

    /// True if so many bytes, from a multiple of that on, are of one row.
    pub const fn has_rows_of(&self, bytes: u64) -> bool {
        self.p.row_bytes.is_multiple_of(bytes)
    }

    /// Bytes of a burst.
    pub const fn burst_bytes(&self) -> u64 {
        self.p.burst_bytes
    }

    /// Reads bytes of one burst; when its data leave the controller.
    pub fn read(&mut self, at: Tick, address: u64, bytes: u64) -> Tick {
        self.read_so(at, address, bytes, true)
    }

    /// The same, if so asked by way of events, which is slower.
    pub(super) fn read_so(&mut self, at: Tick, address: u64, bytes: u64, at_once: bool) -> Tick {
        if at_once && let Some(found) = self.read_at_rest(at, address, bytes) {
            return at + self.took_at_rest(found);
        }
        self.counts.reads += 1;
        self.settle();
        self.pass_until(at);
        if self.written.covers(self.burst_of(address), &(address..address + bytes)) {
            self.counts.of_queue += 1;
            return self.now + self.p.frontend;
        }
        let place = self.p.place(address);
        let ready = if at_once { self.read_at_once(place) } else { None };
        let ready = ready.unwrap_or_else(|| self.read_by_events(address, bytes, place));
        self.find_rest();
        ready + self.p.frontend + self.p.backend
    }

    /// Writes bytes of one burst; when that is acknowledged.
    pub fn write(&mut self, at: Tick, address: u64, bytes: u64) -> Tick {
        self.counts.writes += 1;
        self.pass_until(at);
        while self.writes.len() == self.p.write_queue && self.step() {}
        let burst = self.burst_of(address);
        if self.written.has(burst) {
            self.counts.merged += 1;
        } else {
            if self.writes.len() >= self.p.write_low {
                self.settle();
            }
            let waiting = self.waiting(address, bytes, self.p.place(address));
            self.writes.push_back(waiting);
            self.written.push(burst, address..address + bytes);
        }
        // Few writes wait until there are more; nothing looks at them before.
        if !self.is_idle() {
            self.request_now();
        }
        self.find_rest();
        self.now + self.p.frontend
    }

    /// Reads while nothing else is to happen, as most are. `None`: it is not one of them.
    fn read_at_once(&mut self, place: Place) -> Option<Tick> {
        let rank = &self.ranks[place.rank];
        let bank = &rank.banks[place.bank];
        let opened_at = match self.rows.at(place).find(place.row) {
            Found::Open => 0,
            Found::Other => {
                bank.activate_at.max(bank.precharge_at.max(self.now) + self.p.t_rp) + self.p.t_rcd
            }
            Found::Closed => bank.activate_at.max(self.now) + self.p.t_rcd,
        };
        let column_at = rank.column_at(place.bank, true).max(self.next_burst_at).max(self.now).max(opened_at);
        let is_quiet = self.is_idle() && self.events.due() > column_at + self.p.t_cl + self.p.t_burst;
        is_quiet.then(|| self.do_read(place, None))
    }

    fn read_by_events(&mut self, address: u64, bytes: u64, place: Place) -> Tick {
        let waiting = self.waiting(address, bytes, place);
        self.reads.push_back(waiting);
        self.request_now();
        while self.begun.0 != waiting.number && self.step() {}
        self.begun.1
    }

    fn waiting(&mut self, address: u64, bytes: u64, place: Place) -> Waiting {
        self.number += 1;
        Waiting { address, bytes, place, number: self.number }
    }

    #[inline]
    pub(super) const fn burst_of(&self, address: u64) -> u64 {
        address >> self.p.burst_bytes.trailing_zeros()
    }

    pub(super) fn request_now(&mut self) {
        if !self.events.is_scheduled(Event::Request) {
            self.events.schedule(Event::Request, self.now);
        }
    }

    /// Lets pass what happens before a time.
    #[inline]
    fn pass_until(&mut self, at: Tick) {
        while self.events.due() < at && self.step() {}
        self.now = self.now.max(at);
    }

    /// The next event, if there is one.
    fn step(&mut self) -> bool {
        let Some((at, event)) = self.events.take() else { return false };
        self.now = self.now.max(at);
        self.settle();
        match event {
            Event::Request => self.next_request(),
            Event::Refresh(rank) => self.refresh(rank),
            Event::Refreshed(rank) => self.refreshed(rank),
        }
        true
    }

    fn next_request(&mut self) {
        let switched = self.direction != self.next_direction;
        if switched {
            (self.reads_this_time, self.writes_this_time) = (0, 0);
        }
        self.direction = self.next_direction;
        if self.all_refresh() {
            return;
        }
        // gem5 adds the lesser of two gaps to the earliest seamless command after a change of direction.
        let gap = if switched { self.p.t_cs.min(self.gap()) } else { 0 };
        let seamless = (self.next_burst_at + gap).max(self.now);
        let reads = self.direction == Direction::Reads;
        let queue = if reads { &self.reads } else { &self.writes };
        if reads && queue.is_empty() {
            if self.writes.len() <= self.p.write_low {
                return;
            }
            self.next_direction = Direction::Writes;
        } else {
            let Some(chosen) = choose(queue, (&self.ranks, &self.rows), &self.p, reads, seamless, self.now)
            else {
                return;
            };
            if reads {
                let Some(&Waiting { place, number, .. }) = self.reads.get(chosen) else { return };
                self.begun = (number, self.do_read(place, Some(chosen)));
            } else {
                self.do_write(chosen);
            }
        }
        if !self.events.is_scheduled(Event::Request) {
            self.events.schedule(Event::Request, self.next_request_at.max(self.now));
        }
    }

    /// Least time on the bus between a read and a write.
    const fn gap(&self) -> Tick {
        match self.direction {
            Direction::Reads => self.p.t_wtr,
            Direction::Writes => self.p.t_rtw,
        }
    }

    /// True if no rank can be accessed. Those that wait for what is under way go on refreshing.
    fn all_refresh(&mut self) -> bool {
        let mut busy = 0;
        for rank in 0..self.ranks.len() {
            if self.ranks[rank].refresh != Refresh::Idle {
                busy += 1;
                if self.ranks[rank].refresh == Refresh::Draining {
                    self.ranks[rank].refresh = Refresh::Closing;
                    self.events.schedule(Event::Refresh(rank), self.now);
                }
            }
        }
        busy == self.ranks.len()
    }

    /// Reads a place that no read waits for, or the one chosen; when its data are ready.
    pub(super) fn do_read(&mut self, place: Place, chosen: Option<usize>) -> Tick {
        let column_at = self.open(place, true);
        let ready = column_at + self.p.t_cl + self.p.t_burst;
        self.burst(place, true, column_at);
        self.close_if_due(place, chosen, true);
        if let Some(chosen) = chosen {
            self.reads.remove(chosen);
        }
        let rank = &mut self.ranks[place.rank];
        rank.read_until = rank.read_until.max(ready);
        self.reads_this_time += 1;
        let enough = self.reads.is_empty() || self.reads_this_time >= self.p.reads_per_switch;
        if self.writes.len() > self.p.write_high && enough {
            self.next_direction = Direction::Writes;
        }
        ready
    }

    fn do_write(&mut self, chosen: usize) {
        let Some(&Waiting { place, .. }) = self.writes.get(chosen) else { return };
        let column_at = self.open(place, false);
        self.burst(place, false, column_at);
        self.close_if_due(place, Some(chosen), false);
        self.writes.remove(chosen);
        self.written.remove(chosen);
        self.writes_this_time += 1;
        let is_low = self.writes.len() + self.p.writes_per_switch < self.p.write_low;
        let enough = !self.reads.is_empty() && self.writes_this_time >= self.p.writes_per_switch;
        if self.writes.is_empty() || is_low || enough {
            self.next_direction = Direction::Reads;
        }
    }

    /// Opens the row if it is not; when its column can be accessed.
    fn open(&mut self, place: Place, reads: bool) -> Tick {
        let row = self.rows.at(place);
        let (found, rank) = (row.find(place.row), &mut self.ranks[place.rank]);
        if found == Found::Open {
            *(if reads { &mut self.counts.read_hits } else { &mut self.counts.write_hits }) += 1;
        } else {
            if found == Found::Other {
                let at = rank.banks[place.bank].precharge_at.max(self.now);
                rank.precharge(&self.p, place.bank, at, false);
            }
            row.open(place.row);
            let at = rank.banks[place.bank].activate_at.max(self.now);
            rank.activate(&self.p, place.bank, at);
        }
        self.ranks[place.rank].column_at(place.bank, reads).max(self.next_burst_at).max(self.now)
    }

    /// A column is read or written; what that means for all commands after it.
    pub(super) fn burst(&mut self, place: Place, reads: bool, at: Tick) {
        let p = &self.p;
        let (to_read, to_write) =
            if reads { (p.t_burst, p.read_to_write()) } else { (p.write_to_read(), p.t_burst) };
        for (number, rank) in self.ranks.iter_mut().enumerate() {
            rank.settle_at(at + to_read.max(p.rank_to_rank()));
            if number == place.rank {
                rank.columns.not_before(at + to_read, at + to_write);
                if let Some(group) = rank.group(place.bank) {
                    let same_read =
                        if reads { p.t_ccd_l } else { p.t_ccd_l.max(p.t_cwl + p.t_burst + p.t_wtr_l) };
                    let same_write = if reads { p.t_ccd_l.max(p.read_to_write()) } else { p.t_ccd_l };
                    rank.groups[group].not_before(at + same_read, at + same_write);
                    rank.settle_at(at + same_read);
                }
            } else {
                rank.columns.not_before(at + p.rank_to_rank(), at + p.rank_to_rank());
            }
        }
        let until = if reads { at + p.t_rtp } else { at + p.t_cwl + p.t_burst + p.t_wr };
        let rank = &mut self.ranks[place.rank];
        rank.settle_at(until);
        let bank = &mut rank.banks[place.bank];
        bank.precharge_at = bank.precharge_at.max(until);
        self.rows.at(place).accesses += 1;
        self.active = place.rank;
        self.next_burst_at = at + p.t_burst;
        self.next_request_at = self.next_burst_at.saturating_sub(p.t_rp + p.t_rcd);
        *(if reads { &mut self.counts.read_bursts } else { &mut self.counts.write_bursts }) += 1;
    }

    /// Closes the row of an access that was just done if that was its last one, or if only others of its bank are wanted.
    fn close_if_due(&mut self, place: Place, chosen: Option<usize>, reads: bool) {
        let queue = if reads { &self.reads } else { &self.writes };
        let row = self.rows.at(place);
        let others = || {
            queue.iter().enumerate().filter(|&(number, _)| chosen != Some(number)).map(|(_, one)| one.place)
        };
        let same_bank = |other: &Place| (other.rank, other.bank) == (place.rank, place.bank);
        let is_wanted = others().any(|other| other == place);
        let is_in_the_way = others().any(|other| same_bank(&other) && other.row != place.row);
        if row.accesses == self.p.row_accesses || (is_in_the_way && !is_wanted) {
            row.close();
            let at = self.ranks[place.rank].banks[place.bank].precharge_at.max(self.now);
            self.ranks[place.rank].precharge(&self.p, place.bank, at, true);
        }
    }

    /// True if the controller looks for an access of a rank that it is about to do.
    pub(super) fn is_about_to_access(&self, rank: usize) -> bool {
        self.ranks[rank].refresh == Refresh::Draining
            && rank == self.active
            && self.events.is_scheduled(Event::Request)
    }
}
