//! Reads while nothing else happens and whatever was begun is over, as is so for most: what one takes depends only on the
//! row that is open in its bank, and what it does to times that commands wait for is over when the next one comes.
//! Only the last one can still matter when something else happens: it is done once more then, by the plain code.

use super::bank::Rank;
use super::controller::{Direction, Dram};
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
            latency: columns.map(|column| column + burst + p.frontend + p.backend),
            busy: columns.map(|column| column + burst),
            over: columns.map(|column| column + over),
        }
    }
}

/// Reads of a row one after the other, each at rest.
pub struct Reads<'a> {
    dram: &'a mut Dram,
    number: u64,
    row: Row,
    before: Row,
    reads: u64,
    hits: u64,
}

impl Reads<'_> {
    /// So many of them, if they find the row open and leave it so.
    #[inline]
    pub const fn hit(&mut self, reads: u64) -> bool {
        let accesses = self.row.accesses + reads;
        if !self.row.is(self.number) || accesses >= self.dram.p.row_accesses {
            return false;
        }
        self.row.accesses = accesses;
        self.before = self.row;
        self.before.accesses -= 1;
        self.reads += reads;
        self.hits += reads;
        true
    }

    /// The next one; what it finds.
    #[inline]
    pub fn read(&mut self) -> Found {
        self.before = self.row;
        let found = self.row.read(self.number, self.dram.p.row_accesses);
        self.reads += 1;
        self.hits += u64::from(found == Found::Open);
        found
    }

    /// They are done; the last one began at a time.
    #[inline]
    pub fn end(self, last: Tick, found: Found, address: u64) {
        let Self { dram, number, row, before, reads, hits } = self;
        *dram.rows.beside(number) = row;
        dram.count_at_rest(reads, hits);
        dram.last_at_rest(last, address, before, found);
    }
}

impl Row {
    /// A read of a row at rest, which may be the last one before it is closed.
    #[inline]
    fn read(&mut self, number: u64, most: u64) -> Found {
        let found = self.find(number);
        if found != Found::Open {
            self.open(number);
        }
        self.accesses += 1;
        if self.accesses == most {
            self.close();
        }
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

    /// Reads from a time on of bytes of one row, each at rest if it begins before another time: that, and they.
    #[inline]
    pub fn reads_at_rest(&mut self, at: Tick, address: u64, end: u64) -> Option<(Tick, Reads<'_>)> {
        let number = self.rows.number(address);
        let until = self.rest.until.saturating_sub(self.rest.busy[KINDS - 1]);
        let is_at_rest = at >= self.now && at >= self.rest.from && at < until;
        let mut bursts = self.burst_of(address)..=self.burst_of(end - 1);
        if !is_at_rest || self.rows.number(end - 1) != number || bursts.any(|burst| self.written.has(burst)) {
            return None;
        }
        let row = *self.rows.beside(number);
        Some((until, Reads { number, row, before: row, reads: 0, hits: 0, dram: self }))
    }

    #[inline]
    const fn count_at_rest(&mut self, reads: u64, hits: u64) {
        self.reads_this_time += reads as usize;
        self.counts.reads += reads;
        self.counts.read_hits += hits;
        self.counts.read_bursts += reads;
    }

    #[inline]
    fn last_at_rest(&mut self, at: Tick, address: u64, before: Row, found: Found) {
        self.now = at;
        self.rest.from = at + self.rest.over[found as usize];
        self.rest.last = Some(Read { at, address, before });
    }

    /// What a read at rest takes by what it finds, one that a write has that waits, and a write where another one waits.
    /// Reads at rest that follow each other are so if each begins at least so much after the one before.
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
        let Some(Read { at, address, before }) = self.rest.last.take() else { return };
        // It is counted.
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
            self.rest.from = self.ranks.iter().map(Rank::settled_at).fold(self.next_burst_at, Tick::max);
        }
        self.rest.until = if is_idle { self.events.due() } else { 0 };
    }
}
