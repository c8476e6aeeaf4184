//! Reads while nothing else happens and whatever was begun is over, as is so for most: what one takes depends only on the
//! row that is open in its bank, and what it does to times that commands wait for is over when the next one comes.
//! Only the last one can still matter when something else happens: it is done once more then, by the plain code.

use std::ops::Range;

use super::controller::{Direction, Dram};
use super::counts::Counts;
use super::open_rows::{Found, Row};
use super::parameters::{Parameters, Tick};

/// By what a read finds in its bank.
pub const KINDS: usize = 3;

/// What is known of such reads.
#[derive(Clone, Debug)]
pub struct AtRest {
    /// When all that was begun is over.
    from: Tick,
    /// When something else happens; 0 if that is not known.
    until: Tick,
    last: Option<Read>,
    /// Reads that are not counted yet, and how many of them found their row open.
    reads: u64,
    hits: u64,
    /// From a read's begin until its data leave the controller, until the devices are done with it, and until all is
    /// over that it began.
    latency: [Tick; KINDS],
    busy: [Tick; KINDS],
    over: [Tick; KINDS],
}

/// The last read.
#[derive(Clone, Copy, Debug)]
struct Read {
    at: Tick,
    address: u64,
    /// What was open in its bank.
    before: Row,
}

impl AtRest {
    /// Nothing is known yet.
    pub fn new(p: &Parameters) -> Self {
        // Until its column is read.
        let columns = [0, p.t_rcd, p.t_rp + p.t_rcd];
        let burst = p.t_cl + p.t_burst;
        let of_column = [p.read_to_write(), p.rank_to_rank(), p.t_ccd_l, p.t_rtp + p.t_rp, burst];
        let of_opening = [p.t_rrd, p.t_rrd_l, p.t_xaw, p.t_ras + p.t_rp].into_iter().fold(0, Tick::max);
        let over = of_column.into_iter().fold(of_opening.saturating_sub(p.t_rcd), Tick::max);
        Self {
            from: 0,
            until: 0,
            last: None,
            reads: 0,
            hits: 0,
            latency: columns.map(|column| column + burst + p.frontend + p.backend),
            busy: columns.map(|column| column + burst),
            over: columns.map(|column| column + over),
        }
    }
}

/// Reads one after the other, each at rest.
pub struct Reads<'a> {
    dram: &'a mut Dram,
    /// Of the last one: its address, what was open in its bank before, and what it found.
    address: u64,
    before: Row,
    found: Found,
    reads: u64,
    hits: u64,
}

/// Reads of one row, one after the other.
pub struct ReadsOfRow {
    address: u64,
    number: u64,
    /// What is open in its bank, and what was before the last read.
    row: Row,
    before: Row,
    found: Found,
    reads: u64,
    hits: u64,
    most: u64,
}

impl ReadsOfRow {
    /// So many, if all find the row open and leave it so.
    #[inline]
    pub const fn hit(&mut self, reads: u64) -> bool {
        let accesses = self.row.accesses + reads;
        let do_hit = self.row.is(self.number) && accesses < self.most;
        if do_hit {
            self.before = self.row;
            self.before.accesses = accesses - 1;
            self.row.accesses = accesses;
            self.found = Found::Open;
            self.reads += reads;
            self.hits += reads;
        }
        do_hit
    }

    /// One; what it finds.
    #[inline]
    pub fn read(&mut self) -> Found {
        self.before = self.row;
        self.found = self.row.read(self.number, self.most);
        self.reads += 1;
        self.hits += u64::from(self.found == Found::Open);
        self.found
    }
}

impl Reads<'_> {
    /// Those of the row of an address, to be put back.
    #[inline]
    pub fn row(&mut self, address: u64) -> ReadsOfRow {
        let number = self.dram.rows.number(address);
        let row = *self.dram.rows.beside(number);
        let (found, most) = (self.found, self.dram.p.row_accesses);
        ReadsOfRow { address, number, row, before: row, found, reads: 0, hits: 0, most }
    }

    /// They are done, one at least.
    #[inline]
    pub fn put(&mut self, row: ReadsOfRow) {
        *self.dram.rows.beside(row.number) = row.row;
        (self.address, self.before, self.found) = (row.address, row.before, row.found);
        self.reads += row.reads;
        self.hits += row.hits;
    }

    /// One; what it finds.
    #[inline]
    pub fn read(&mut self, address: u64) -> Found {
        let mut row = self.row(address);
        let found = row.read();
        self.put(row);
        found
    }

    /// True if a write waits that is of some of these bytes, which are of one page.
    #[inline]
    pub fn are_written(&self, bytes: &Range<u64>) -> bool {
        self.dram.written.is_near(bytes) && self.dram.have_write(bytes)
    }

    /// A read, if it is of what a write that waits has.
    #[inline]
    pub fn forward(&mut self, address: u64, bytes: u64) -> bool {
        let dram = &mut *self.dram;
        let bytes = address..address + bytes;
        if !dram.written.covers(dram.burst_of(address), &bytes) {
            return false;
        }
        dram.counts.reads += 1;
        dram.counts.of_queue += 1;
        true
    }

    /// A write, if it comes to one that waits.
    #[inline]
    pub fn merge(&mut self, address: u64) -> bool {
        let dram = &mut *self.dram;
        if !dram.written.has(dram.burst_of(address)) {
            return false;
        }
        dram.counts.writes += 1;
        dram.counts.merged += 1;
        true
    }

    /// They are done, the last one of which began at a time, and the last access at another one, which may be later.
    #[inline]
    pub fn end(self, read: Tick, access: Tick) {
        let Self { dram, address, before, found, reads, hits } = self;
        if reads != 0 {
            dram.count_at_rest(reads, hits);
            dram.last_at_rest(read, address, before, found);
        }
        dram.now = dram.now.max(access);
    }
}

impl Row {
    /// A read of a row at rest, which may be the last one before it is closed.
    #[inline]
    fn read(&mut self, number: u64, most: u64) -> Found {
        let found = self.find(number);
        let accesses = if found == Found::Open { self.accesses } else { 0 };
        *self = Self::after(number, accesses + 1, most);
        found
    }
}

impl Dram {
    /// A read, if it is at rest or of what a write that waits has: what it finds in its bank, unless it is of the latter.
    #[inline]
    pub fn read_at_rest(&mut self, at: Tick, address: u64, bytes: u64) -> Option<Option<Found>> {
        let rest = &self.rest;
        if at < self.now || at >= rest.until {
            return None;
        }
        if self.written.covers(self.burst_of(address), &(address..address + bytes)) {
            self.now = at;
            self.counts.reads += 1;
            self.counts.of_queue += 1;
            return Some(None);
        }
        let number = self.rows.number(address);
        let row = self.rows.beside(number);
        let before = *row;
        let kind = before.find(number) as usize;
        if at < rest.from || at + rest.busy[kind] >= rest.until {
            return None;
        }
        let found = row.read(number, self.p.row_accesses);
        self.count_at_rest(1, u64::from(found == Found::Open));
        self.last_at_rest(at, address, before, found);
        Some(Some(found))
    }

    /// What a read at rest takes that found this.
    pub(super) fn took_at_rest(&self, found: Option<Found>) -> Tick {
        found.map_or(self.p.frontend, |found| self.rest.latency[found as usize])
    }

    /// Reads one after the other from a time on, each at rest if it begins before another time: they, and that.
    #[inline]
    pub fn reads_at_rest(&mut self, at: Tick) -> Option<(Reads<'_>, Tick)> {
        let until = self.rest.until.saturating_sub(self.rest.busy[KINDS - 1]);
        let is_at_rest = at >= self.now && at >= self.rest.from && at < until;
        let before = *self.rows.beside(0);
        is_at_rest.then_some((
            Reads { dram: self, address: 0, before, found: Found::Open, reads: 0, hits: 0 },
            until,
        ))
    }

    #[inline]
    const fn count_at_rest(&mut self, reads: u64, hits: u64) {
        self.rest.reads += reads;
        self.rest.hits += hits;
    }

    #[inline(never)]
    fn have_write(&self, bytes: &Range<u64>) -> bool {
        let mut bursts = self.burst_of(bytes.start)..=self.burst_of(bytes.end - 1);
        bursts.any(|burst| self.written.has(burst))
    }

    /// Counts with reads that are not among them yet.
    pub(super) const fn counted(&self) -> Counts {
        let mut counts = self.counts;
        counts.reads += self.rest.reads;
        counts.read_bursts += self.rest.reads;
        counts.read_hits += self.rest.hits;
        counts
    }

    #[inline]
    fn last_at_rest(&mut self, at: Tick, address: u64, before: Row, found: Found) {
        self.now = at;
        self.rest.from = at + self.rest.over[found as usize];
        self.rest.last = Some(Read { at, address, before });
    }

    /// What a read at rest takes by what it finds; how long after it begins another one may that is at rest, too; and what
    /// a read takes of what a write has that waits, and a write where another one waits.
    pub const fn at_rest(&self) -> ([Tick; KINDS], [Tick; KINDS], Tick) {
        (self.rest.latency, self.rest.over, self.p.frontend)
    }

    /// A write, if it comes to one that waits and nothing else is to happen.
    #[inline]
    pub fn write_at_rest(&mut self, at: Tick, address: u64) -> Option<()> {
        let is_quiet = self.rest.until >= at && at >= self.now;
        if !is_quiet || !self.written.has(self.burst_of(address)) {
            return None;
        }
        self.now = at;
        self.counts.writes += 1;
        self.counts.merged += 1;
        Some(())
    }

    /// Something else happens, so that all times must be right.
    pub(super) fn settle(&mut self) {
        self.rest.until = 0;
        self.counts = self.counted();
        self.reads_this_time += std::mem::take(&mut self.rest.reads) as usize;
        self.rest.hits = 0;
        let Some(Read { at, address, before }) = self.rest.last.take() else { return };
        // It has been counted.
        let (now, counts, reads) = (self.now, self.counts, self.reads_this_time);
        let place = self.p.place(address);
        self.now = at;
        *self.rows.at(place) = before;
        self.do_read(place, None);
        (self.now, self.counts, self.reads_this_time) = (now, counts, reads);
    }

    /// True if the controller reads, and nothing waits that it would do.
    pub(super) fn is_idle(&self) -> bool {
        self.direction == Direction::Reads
            && self.next_direction == Direction::Reads
            && self.reads.is_empty()
            && self.writes.len() <= self.p.write_low
    }

    /// From when and until when reads are at rest.
    pub(super) fn find_rest(&mut self) {
        let is_idle = self.is_idle();
        if is_idle && self.rest.until == 0 {
            self.rest.from =
                self.ranks.iter().map(|rank| rank.settled_at).fold(self.next_burst_at, Tick::max);
        }
        self.rest.until = if is_idle { self.events.due() } else { 0 };
    }
}
