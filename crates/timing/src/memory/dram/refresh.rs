//! Refreshes: all rows of a rank are closed, and nothing is accessed until it is over.

use super::bank::{Power, Refresh};
use super::controller::Dram;
use super::events::Event;

impl Dram {
    /// A refresh goes on.
    pub(super) fn refresh(&mut self, rank: usize) {
        if self.ranks[rank].refresh == Refresh::Idle {
            self.ranks[rank].refresh_due = self.now;
            self.ranks[rank].refresh = Refresh::Draining;
            self.ranks[rank].outstanding += 1;
        }
        if self.ranks[rank].refresh == Refresh::Draining {
            if self.is_about_to_access(rank) {
                return;
            }
            self.ranks[rank].refresh = Refresh::Closing;
        }
        match self.ranks[rank].refresh {
            Refresh::Closing => self.close_all(rank),
            Refresh::Starting => self.start(rank),
            Refresh::Running => {
                self.become_power(rank, Power::Idle);
                self.events.schedule(Event::Refresh(rank), self.ranks[rank].refresh_due - self.p.t_rp);
            }
            Refresh::Idle | Refresh::Draining => {}
        }
    }

    fn close_all(&mut self, rank: usize) {
        let closing = &mut self.ranks[rank];
        if closing.open_banks == 0 {
            // If a bank is still being closed, or data are awaited, the refresh starts after that.
            if closing.power == Power::Idle && closing.outstanding == 1 {
                self.become_power(rank, Power::Refreshing);
            } else {
                debug_assert!(self.responds() || self.events.at(Event::Precharged(rank)).is_some());
            }
            return;
        }
        let at = closing.banks.iter().map(|bank| bank.precharge_at).fold(self.now, u64::max);
        let activate_at = at + self.p.t_rp;
        for bank in 0..closing.banks.len() {
            let each = &mut self.ranks[rank].banks[bank];
            if each.open.is_some() {
                self.precharge(rank, bank, at, true);
            } else {
                each.activate_at = each.activate_at.max(activate_at);
                each.precharge_at = each.precharge_at.max(at);
            }
        }
    }

    fn start(&mut self, rank: usize) {
        let done = self.now + self.p.t_rfc;
        let starting = &mut self.ranks[rank];
        starting.banks.iter_mut().for_each(|bank| bank.activate_at = done);
        starting.refresh_due += self.p.t_refi;
        starting.refresh = Refresh::Running;
        self.events.schedule(Event::Refresh(rank), done);
    }

    /// A rank is in its next state.
    pub(super) fn change_power(&mut self, rank: usize) {
        let changing = &mut self.ranks[rank];
        let before = std::mem::replace(&mut changing.power, changing.next_power);
        if before == Power::Refreshing {
            changing.outstanding -= 1;
            changing.refresh = Refresh::Idle;
            self.restart();
        }
        let is_opening = self.events.at(Event::Activated(rank)).is_some();
        let changing = &mut self.ranks[rank];
        if changing.power == Power::Idle && changing.refresh == Refresh::Closing && !is_opening {
            changing.power = Power::Refreshing;
        }
        if changing.power == Power::Refreshing {
            changing.refresh = Refresh::Starting;
            self.events.schedule(Event::Refresh(rank), self.now);
        }
    }
}
