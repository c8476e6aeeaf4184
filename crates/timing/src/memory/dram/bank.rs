//! Banks and ranks: when commands may be given to them.

use super::parameters::{Parameters, Tick};

/// A bank.
#[derive(Clone, Default, Debug)]
pub struct Bank {
    pub activate_at: Tick,
    pub precharge_at: Tick,
    /// Reads and writes, as far as its activation decides.
    pub column_at: Tick,
}

/// Reads and writes to all banks of a rank, or of a group, as far as earlier bursts decide.
#[derive(Clone, Copy, Default, Debug)]
pub struct Columns {
    pub read_at: Tick,
    pub write_at: Tick,
}

impl Columns {
    pub fn not_before(&mut self, read_at: Tick, write_at: Tick) {
        self.read_at = self.read_at.max(read_at);
        self.write_at = self.write_at.max(write_at);
    }
}

/// What becomes of a refresh.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Refresh {
    #[default]
    Idle,
    /// It is due, and the access that is under way comes first.
    Draining,
    /// It goes on whatever comes.
    Closing,
    Running,
}

/// A rank.
#[derive(Clone, Debug)]
pub struct Rank {
    pub banks: Vec<Bank>,
    pub columns: Columns,
    pub groups: Vec<Columns>,
    /// The last activations, the newest first; 0 is none.
    activations: Vec<Tick>,
    pub refresh: Refresh,
    /// When the refresh under way, or the next one, is due.
    pub refresh_due: Tick,
    /// When the bank that was last to be closed is.
    pub closed_at: Tick,
    /// When the data that were last to be read are.
    pub read_until: Tick,
    /// From when on no bank is waited for to be read, opened or closed, at the latest.
    pub settled_at: Tick,
}

impl Rank {
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            banks: vec![Bank::default(); parameters.banks as usize],
            columns: Columns::default(),
            groups: vec![Columns::default(); parameters.bank_groups as usize],
            activations: vec![0; parameters.activations],
            refresh: Refresh::Idle,
            refresh_due: 0,
            closed_at: 0,
            read_until: 0,
            settled_at: 0,
        }
    }

    /// The group of a bank; banks that follow each other are in different ones.
    pub const fn group(&self, bank: usize) -> Option<usize> {
        if self.groups.is_empty() { None } else { Some(bank % self.groups.len()) }
    }

    /// When a bank may be read, or written.
    pub fn column_at(&self, bank: usize, reads: bool) -> Tick {
        let pick = |columns: &Columns| if reads { columns.read_at } else { columns.write_at };
        let of_group = self.group(bank).map_or(0, |group| pick(&self.groups[group]));
        pick(&self.columns).max(of_group).max(self.banks[bank].column_at)
    }

    /// Something is waited for until then.
    pub fn settle_at(&mut self, at: Tick) {
        self.settled_at = self.settled_at.max(at);
    }

    /// Opens a row.
    pub fn activate(&mut self, p: &Parameters, bank: usize, at: Tick) {
        let group = self.group(bank);
        self.settle_at(at + p.t_ras.max(p.t_rcd).max(p.t_rrd).max(p.t_rrd_l));
        let open = &mut self.banks[bank];
        open.precharge_at = at + p.t_ras;
        open.column_at = open.column_at.max(at + p.t_rcd);
        let groups = self.groups.len();
        for (number, each) in self.banks.iter_mut().enumerate() {
            let same = group.is_some_and(|group| number % groups == group);
            each.activate_at = each.activate_at.max(at + if same { p.t_rrd_l } else { p.t_rrd });
        }
        if let Some(oldest) = self.activations.last_mut() {
            *oldest = at;
            self.activations.rotate_right(1);
        }
        // So many in a window: the next one waits until the oldest is out of it.
        if let Some(&oldest) = self.activations.last()
            && oldest != 0
            && at - oldest < p.t_xaw
        {
            for each in &mut self.banks {
                each.activate_at = each.activate_at.max(oldest + p.t_xaw);
            }
            self.settle_at(oldest + p.t_xaw);
        }
    }

    /// Closes a bank.
    pub fn precharge(&mut self, p: &Parameters, bank: usize, at: Tick, by_itself: bool) {
        if by_itself {
            self.banks[bank].precharge_at = at;
        } else {
            for each in &mut self.banks {
                each.precharge_at = each.precharge_at.max(at);
            }
        }
        let done = at + p.t_rp;
        self.settle_at(done);
        let closed = &mut self.banks[bank];
        closed.activate_at = closed.activate_at.max(done);
        self.closed_at = self.closed_at.max(done);
    }
}
