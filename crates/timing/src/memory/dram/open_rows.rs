//! Reads of rows that are open while nothing else is to happen, as most are. What they do to the banks is told to these
//! when it may matter: only the last one of each bank does, as later ones only move what is not allowed before a time.

use std::ops::Range;

use super::bank::Rank;
use super::controller::{Direction, Dram};
use super::parameters::{Parameters, Place, Tick};

/// What is known of open rows.
#[derive(Clone, Debug)]
pub struct OpenRows {
    /// By rank and bank, as the address has them above its row.
    each: Vec<OpenRow>,
    /// Those with reads that their bank does not know of.
    untold: Vec<usize>,
    /// Bits of an address within a row.
    bits: u32,
    /// From when on the bus is free, whatever bank is read.
    from: Tick,
    /// Before when nothing else happens, if a read begins.
    until: Tick,
    /// From one read to the next, whatever banks they are of.
    gap: Tick,
    /// Of a read, all of it, and in the devices.
    latency: Tick,
    burst: Tick,
}

#[derive(Clone, Default, Debug)]
struct OpenRow {
    /// The address of its first byte in rows; one that no address has if it is not known to be open.
    row: u64,
    /// When it can be read.
    from: Tick,
    /// Reads before the one that closes it.
    left: u64,
    /// Reads that its bank does not know of, and when the last one was.
    reads: u64,
    last: Tick,
}

const NONE: u64 = u64::MAX;

impl OpenRows {
    /// None.
    pub fn new(p: &Parameters) -> Self {
        let burst = p.t_cl + p.t_burst;
        Self {
            each: vec![OpenRow { row: NONE, ..OpenRow::default() }; (p.ranks * p.banks) as usize],
            untold: Vec::new(),
            bits: p.row_bytes.trailing_zeros(),
            from: 0,
            until: 0,
            gap: p.rank_to_rank().max(p.t_ccd_l).max(p.t_burst),
            latency: burst + p.frontend + p.backend,
            burst,
        }
    }
}

impl Dram {
    /// A read, if it is of an open row or of what a write that waits has, and nothing else is to happen: when its data
    /// leave the controller.
    #[inline]
    pub fn read_at_rest(&mut self, at: Tick, address: u64, bytes: u64) -> Option<Tick> {
        if at < self.now || at >= self.open_rows.until {
            return None;
        }
        if self.written.covers(self.burst_of(address), &(address..address + bytes)) {
            self.now = at;
            self.counts.reads += 1;
            self.counts.of_queue += 1;
            return Some(at + self.p.frontend);
        }
        let rows = &self.open_rows;
        let row = address >> rows.bits;
        let open = &rows.each[row as usize & (rows.each.len() - 1)];
        if open.row != row || open.left == 0 || at < open.from || at < rows.from {
            return None;
        }
        let done = at + rows.latency;
        self.read_run_at_rest(at, address, 1);
        Some(done)
    }

    /// How many reads of bytes, one every `each` from a time on, are of an open row while nothing else is to happen.
    #[inline]
    pub fn reads_at_rest(&self, at: Tick, each: Tick, bytes: &Range<u64>) -> u64 {
        let rows = &self.open_rows;
        let row = bytes.start >> rows.bits;
        let open = &rows.each[row as usize & (rows.each.len() - 1)];
        let is_at_rest = at >= self.now && at < rows.until && at >= open.from && at >= rows.from;
        let is_same = (bytes.end - 1) >> rows.bits == row && open.row == row;
        let mut bursts = self.burst_of(bytes.start)..=self.burst_of(bytes.end - 1);
        if !is_at_rest || !is_same || each < rows.gap || bursts.any(|burst| self.written.has(burst)) {
            return 0;
        }
        open.left.min((rows.until - at).div_ceil(each))
    }

    /// Does so many of these, the last one of which is at this time.
    #[inline]
    pub fn read_run_at_rest(&mut self, last: Tick, address: u64, reads: u64) {
        let rows = &mut self.open_rows;
        let index = (address >> rows.bits) as usize & (rows.each.len() - 1);
        let open = &mut rows.each[index];
        if open.reads == 0 {
            rows.untold.push(index);
        }
        open.left -= reads;
        open.reads += reads;
        open.last = last;
        rows.from = last + rows.gap;
        self.now = last;
        self.reads_this_time += reads as usize;
        self.counts.reads += reads;
        self.counts.read_hits += reads;
        self.counts.read_bursts += reads;
    }

    /// What a read of an open row takes while nothing else is to happen, and a write where another one waits.
    pub const fn at_rest(&self) -> (Tick, Tick) {
        (self.open_rows.latency, self.p.frontend)
    }

    /// A write, if it comes to one that waits and nothing else is to happen: when it is acknowledged.
    #[inline]
    pub fn write_at_rest(&mut self, at: Tick, address: u64) -> Option<Tick> {
        let is_quiet = self.open_rows.until != 0 && self.events.due() >= at && at >= self.now;
        if !is_quiet || !self.written.has(self.burst_of(address)) {
            return None;
        }
        self.now = at;
        self.counts.writes += 1;
        self.counts.merged += 1;
        Some(at + self.p.frontend)
    }

    /// Tells banks of the reads that they do not know of.
    pub(super) fn tell_banks(&mut self) {
        if self.open_rows.untold.is_empty() {
            return;
        }
        let mut untold = std::mem::take(&mut self.open_rows.untold);
        untold.sort_unstable_by_key(|&index| self.open_rows.each[index].last);
        for index in untold.drain(..) {
            let open = &mut self.open_rows.each[index];
            let (reads, last) = (std::mem::take(&mut open.reads), open.last);
            let (bits, banks) = (self.p.banks.trailing_zeros(), self.p.banks as usize);
            let place = Place { rank: index >> bits, bank: index & (banks - 1), row: 0 };
            // It counts one.
            self.burst(place, true, last);
            self.counts.read_bursts -= 1;
            let until = last + self.open_rows.burst;
            let rank = &mut self.ranks[place.rank];
            rank.banks[place.bank].accesses += reads - 1;
            rank.read_until = rank.read_until.max(until);
        }
        self.open_rows.untold = untold;
    }

    /// Something else happens, by which rows may be closed.
    pub(super) fn forget_open_rows(&mut self) {
        self.tell_banks();
        self.open_rows.each.iter_mut().for_each(|open| open.row = NONE);
    }

    /// A row was read.
    pub(super) fn find_open_row(&mut self, address: u64, place: Place) {
        let rank = &self.ranks[place.rank];
        let bank = &rank.banks[place.bank];
        let row = address >> self.open_rows.bits;
        let index = row as usize & (self.open_rows.each.len() - 1);
        let open = &mut self.open_rows.each[index];
        let is_open = bank.open == Some(place.row);
        open.row = if is_open { row } else { NONE };
        open.from = bank.column_at;
        open.left = self.p.row_accesses.saturating_sub(bank.accesses + 1);
        let columns = |rank: &Rank| {
            let groups = rank.groups.iter().map(|group| group.read_at);
            groups.fold(rank.columns.read_at, Tick::max)
        };
        self.open_rows.from =
            self.ranks.iter().map(columns).fold(self.next_burst_at.max(self.now), Tick::max);
        self.find_quiet();
    }

    /// Until when nothing else happens.
    pub(super) fn find_quiet(&mut self) {
        let is_quiet = self.direction == Direction::Reads
            && self.next_direction == Direction::Reads
            && self.reads.is_empty()
            && self.writes.len() <= self.p.write_low;
        self.open_rows.until =
            if is_quiet { self.events.due().saturating_sub(self.open_rows.burst) } else { 0 };
    }
}
