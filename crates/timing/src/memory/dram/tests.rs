//! The controller against what its events say, and against times of the standard.

use proptest::prelude::*;

use super::{Dram, Parameters, Tick};

const NS: Tick = 1000;

/// gem5's `DDR3_1600_8x8`.
pub fn ddr3() -> Parameters {
    Parameters {
        ranks: 2,
        banks: 8,
        bank_groups: 0,
        row_bytes: 8192,
        burst_bytes: 64,
        row_accesses: 16,
        t_burst: 5 * NS,
        t_rcd: 13_750,
        t_cl: 13_750,
        t_cwl: 13_750,
        t_rp: 13_750,
        t_ras: 35 * NS,
        t_rrd: 6 * NS,
        t_ccd_l: 5 * NS,
        t_rrd_l: 6 * NS,
        t_wtr_l: 7500,
        t_xaw: 30 * NS,
        activations: 4,
        t_rfc: 260 * NS,
        t_refi: 7800 * NS,
        t_wr: 15 * NS,
        t_wtr: 7500,
        t_rtp: 7500,
        t_rtw: 2500,
        t_cs: 2500,
        frontend: 10 * NS,
        backend: 10 * NS,
        write_queue: 64,
        write_low: 32,
        write_high: 54,
        writes_per_switch: 16,
        reads_per_switch: 16,
    }
}

/// Of the controller, and of a command with its data.
const STATIC: Tick = 20 * NS;
const HIT: Tick = 18_750;
/// Another row of the bank.
const OTHER_ROW: u64 = 8192 * 16;

fn latency(dram: &mut Dram, at: Tick, address: u64) -> Tick {
    dram.read(at, address, 64) - at - STATIC
}

#[test]
fn a_row_is_opened_hit_and_closed_for_another() {
    let mut dram = Dram::new(ddr3());
    assert_eq!(latency(&mut dram, 100 * NS, 0), 13_750 + HIT);
    assert_eq!(latency(&mut dram, 200 * NS, 64), HIT);
    assert_eq!(latency(&mut dram, 300 * NS, OTHER_ROW), 13_750 + 13_750 + HIT);
    assert_eq!(latency(&mut dram, 400 * NS, 8192), 13_750 + HIT, "another bank");
}

#[test]
fn the_sixteenth_access_closes_a_row() {
    let mut dram = Dram::new(ddr3());
    let latencies: Vec<Tick> =
        (0..18).map(|number| latency(&mut dram, (1 + number) * 100 * NS, number * 64)).collect();
    let opened: Vec<usize> = (0..18).filter(|&number| latencies[number] != HIT).collect();
    assert_eq!(opened, [0, 16]);
}

#[test]
fn a_write_is_acknowledged_at_once_and_read_where_it_waits() {
    let mut dram = Dram::new(ddr3());
    assert_eq!(dram.write(100 * NS, 72, 8), 110 * NS);
    // Not beyond what was written first.
    assert_eq!(dram.write(200 * NS, 64, 8), 210 * NS);
    assert_eq!(dram.read(300 * NS, 76, 4), 310 * NS);
    assert_eq!(latency(&mut dram, 400 * NS, 64), 13_750 + HIT);
    let counts = dram.counts();
    assert_eq!((counts.of_queue, counts.merged, counts.write_bursts), (1, 1, 0));
}

#[test]
fn writes_are_done_when_there_are_more_than_half_a_queue() {
    let mut dram = Dram::new(ddr3());
    for number in 0..33 {
        dram.write((1 + number) * 100 * NS, number * 64, 64);
    }
    assert_eq!(dram.counts().write_bursts, 0);
    latency(&mut dram, 5000 * NS, OTHER_ROW);
    // Until fewer are left than sixteen less than half.
    assert_eq!(dram.counts().write_bursts, 18);
}

#[test]
fn a_refresh_is_waited_for() {
    let mut dram = Dram::new(ddr3());
    // It begins 13.75 ns before 7.8 us, here with no row open, and takes 260 ns.
    let at = 7790 * NS;
    assert_eq!(latency(&mut dram, at, 0), 7_786_250 + 260_000 - at + 13_750 + HIT);
    assert_eq!(latency(&mut dram, at + 1000 * NS, 64), HIT);
}

prop_compose! {
    /// Time, address and whether it writes: near to each other or not, some of rows that are in each other's way.
    fn accesses()(
        gaps in prop::collection::vec(
            (prop_oneof![0..80_u64, 300..3000_u64], 0..6_u64, 0..40_u64, 0..4_u8), 1..600,
        ),
        writes in 1..4_u8,
    ) -> Vec<(Tick, u64, bool)> {
        let mut now = 0;
        gaps.into_iter().map(|(gap, bank, line, kind)| {
            now += gap * NS;
            (now, (bank * OTHER_ROW / 4 + line * 64) & !63, kind < writes)
        }).collect()
    }
}

prop_compose! {
    /// What decides how accesses get in each other's way.
    fn parameters()(
        ranks in 0..2_u32, bank_groups in prop::sample::select(vec![0_u64, 2, 4]), row_accesses in 1..20_u64,
        activations in 0..5_usize, t_xaw in 0..200_u64, t_ras in 0..90_u64, t_rcd in 0..30_u64, t_rp in 0..30_u64,
        t_rtp in 0..30_u64, t_rrd_l in 6..30_u64, ends in 1..20_u64,
    ) -> Parameters {
        Parameters {
            ranks: 1 << ranks, bank_groups, row_accesses, activations, t_ccd_l: 6 * NS, t_rrd_l: t_rrd_l * NS,
            t_xaw: t_xaw * NS, t_ras: t_ras * NS, t_rcd: t_rcd * NS, t_rp: t_rp * NS, t_rtp: t_rtp * NS,
            frontend: ends * NS, backend: ends * NS, ..ddr3()
        }
    }
}

proptest! {
    #[test]
    fn reads_take_what_their_events_say(accesses in accesses(), p in prop_oneof![Just(ddr3()), parameters()]) {
        let (mut dram, mut by_events) = (Dram::new(p.clone()), Dram::new(p));
        let mut busy = 0;
        for (at, address, writes) in accesses {
            // One at a time.
            let at = at.max(busy);
            busy = if writes { dram.write(at, address, 8) } else { dram.read(at, address, 64) };
            let slowly = if writes { by_events.write(at, address, 8) } else { by_events.read_so(at, address, 64, false) };
            prop_assert_eq!(busy, slowly);
        }
        prop_assert_eq!(dram.counts(), by_events.counts());
    }

    #[test]
    fn whatever_is_asked_for_ends(accesses in accesses(), groups in prop::sample::select(vec![0_u64, 2, 4])) {
        let mut dram = Dram::new(Parameters { bank_groups: groups, t_ccd_l: 6 * NS, ..ddr3() });
        let mut last = 0;
        for (at, address, writes) in accesses {
            let done = if writes { dram.write(at, address, 64) } else { dram.read(at, address, 64) };
            prop_assert!(done >= at + 10 * NS && done <= last.max(at) + 5000 * NS);
            last = last.max(done);
        }
    }
}
