//! The parameters of a DRAM and its controller.

/// A time in picoseconds.
pub type Tick = u64;

/// What a DRAM and its controller are; times in picoseconds. Names are JEDEC's where there is one (JESD79-3F, DDR3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    pub ranks: u64,
    pub banks: u64,
    /// Groups that a rank's banks are divided into; 0 is none.
    pub bank_groups: u64,
    /// Bytes of a rank's row, in all its devices.
    pub row_bytes: u64,
    /// Bytes of a burst.
    pub burst_bytes: u64,
    /// Accesses after which a row is closed.
    pub row_accesses: u64,
    pub t_burst: Tick,
    pub t_rcd: Tick,
    /// From a read or write command to its data.
    pub t_cl: Tick,
    pub t_cwl: Tick,
    pub t_rp: Tick,
    pub t_ras: Tick,
    pub t_rrd: Tick,
    /// Between bursts, and between activations, of one bank group.
    pub t_ccd_l: Tick,
    pub t_rrd_l: Tick,
    pub t_wtr_l: Tick,
    /// The window in which there are at most `activations`.
    pub t_xaw: Tick,
    pub activations: usize,
    pub t_rfc: Tick,
    pub t_refi: Tick,
    pub t_wr: Tick,
    pub t_wtr: Tick,
    pub t_rtp: Tick,
    pub t_rtw: Tick,
    /// Between bursts of two ranks.
    pub t_cs: Tick,
    /// Before a request is looked at, and after its data.
    pub frontend: Tick,
    pub backend: Tick,
    /// Writes that wait at most; those above which they are done when nothing is read, and at once.
    pub write_queue: usize,
    pub write_low: usize,
    pub write_high: usize,
    /// Writes done before a read that waits, and reads before writes that must be done at once.
    pub writes_per_switch: usize,
    pub reads_per_switch: usize,
}

impl Parameters {
    /// From a write to a read of the same rank.
    pub const fn write_to_read(&self) -> Tick {
        self.t_burst + self.t_wtr + self.t_cwl
    }

    /// From a read to a write of the same rank.
    pub const fn read_to_write(&self) -> Tick {
        self.t_burst + self.t_rtw
    }

    /// From a burst of one rank to that of another.
    pub const fn rank_to_rank(&self) -> Tick {
        self.t_burst + self.t_cs
    }

    /// Where an address is. Numbers of ranks and banks and the bytes of a row are powers of two.
    pub const fn place(&self, address: u64) -> Place {
        let above = address >> self.row_bytes.trailing_zeros();
        let bank = above & (self.banks - 1);
        let above = above >> self.banks.trailing_zeros();
        let rank = above & (self.ranks - 1);
        Place { bank: bank as usize, rank: rank as usize, row: address >> self.row_bytes.trailing_zeros() }
    }
}

/// A row of a bank of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub rank: usize,
    pub bank: usize,
    /// The address of its first byte in rows.
    pub row: u64,
}
