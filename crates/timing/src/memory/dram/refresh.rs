//! Refreshes: all rows of a rank are closed, and nothing of it is accessed until that is over.
//!
//! gem5 follows each rank's power states for this, event by event (mem/dram_interface.cc, `Rank::processRefreshEvent`,
//! `processPowerEvent`). When a refresh starts follows from what was done before it.

use super::bank::Refresh;
use super::controller::Dram;
use super::events::Event;

impl Dram {
    /// A refresh is due, or goes on after an access that came first.
    pub(super) fn refresh(&mut self, rank: usize) {
        if self.ranks[rank].refresh == Refresh::Idle {
            self.ranks[rank].refresh_due = self.now;
            self.ranks[rank].refresh = Refresh::Draining;
        }
        // `next_request` lets it go on.
        if self.is_about_to_access(rank) {
            return;
        }
        self.ranks[rank].refresh = Refresh::Running;
        let start = self.close_all(rank);
        let done = start + self.p.t_rfc;
        let refreshing = &mut self.ranks[rank];
        refreshing.banks.iter_mut().for_each(|bank| bank.activate_at = done);
        refreshing.settle_at(done);
        refreshing.refresh_due += self.p.t_refi;
        self.events.schedule(Event::Refreshed(rank), done);
    }

    /// When all of a rank's banks are closed and its data are read.
    fn close_all(&mut self, rank: usize) -> u64 {
        let closing = &mut self.ranks[rank];
        let rows = self.rows.of_rank(rank);
        if !rows.iter().any(|row| row.is_open()) {
            return if closing.closed_at > self.now {
                closing.closed_at
            } else {
                closing.read_until.max(self.now)
            };
        }
        let at = closing.banks.iter().map(|bank| bank.precharge_at).fold(self.now, u64::max);
        for (bank, row) in rows.iter_mut().enumerate() {
            if row.is_open() {
                row.close();
                closing.precharge(&self.p, bank, at, true);
            } else {
                let closed = &mut closing.banks[bank];
                closed.precharge_at = closed.precharge_at.max(at);
            }
        }
        closing.closed_at
    }

    /// A refresh is over.
    pub(super) fn refreshed(&mut self, rank: usize) {
        self.ranks[rank].refresh = Refresh::Idle;
        self.events.schedule(Event::Refresh(rank), self.ranks[rank].refresh_due - self.p.t_rp);
        // Accesses that waited go on.
        self.request_now();
    }
}
