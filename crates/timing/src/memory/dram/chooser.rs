//! First ready, first come: which of the accesses that wait is next.

use std::collections::VecDeque;

use super::bank::{Rank, Refresh};
use super::controller::Waiting;
use super::open_rows::OpenRows;
use super::parameters::{Parameters, Tick};

/// The one to be done: a hit whose command leaves no gap on the bus, else one that opens a row without leaving one, else
/// the first hit, else the first of a bank that can be opened first. `None` if all wait for a refresh.
///
/// `seamless`: when a command leaves no gap.
pub fn choose(
    queue: &VecDeque<Waiting>,
    (ranks, rows): (&[Rank], &OpenRows),
    p: &Parameters,
    reads: bool,
    seamless: Tick,
    now: Tick,
) -> Option<usize> {
    let is_free = |one: &Waiting| ranks[one.place.rank].refresh == Refresh::Idle;
    if queue.len() == 1 {
        return queue.front().filter(|one| is_free(one)).map(|_| 0);
    }
    let mut earliest: Option<(Vec<(usize, usize)>, bool)> = None;
    let (mut hit, mut opening, mut is_hidden) = (None, None, false);
    for (number, one) in queue.iter().enumerate().filter(|(_, one)| is_free(one)) {
        let rank = &ranks[one.place.rank];
        if rows.of(one.place.rank, one.place.bank).is(one.place.row) {
            if rank.column_at(one.place.bank, reads) <= seamless {
                return Some(number);
            }
            if hit.is_none() && !is_hidden {
                hit = Some(number);
            }
        } else if opening.is_none() {
            let (banks, hidden) =
                earliest.get_or_insert_with(|| first_banks(queue, (ranks, rows), p, reads, seamless, now));
            if banks.contains(&(one.place.rank, one.place.bank)) {
                opening = Some(number);
                is_hidden = *hidden;
            }
        }
    }
    if is_hidden { opening } else { hit.or(opening) }
}

/// Banks with accesses waiting that can be opened first, and whether that can be done without a gap on the bus.
fn first_banks(
    queue: &VecDeque<Waiting>,
    (ranks, rows): (&[Rank], &OpenRows),
    p: &Parameters,
    reads: bool,
    seamless: Tick,
    now: Tick,
) -> (Vec<(usize, usize)>, bool) {
    let (mut found, mut is_seamless, mut is_hidden, mut least) = (Vec::new(), false, false, Tick::MAX);
    for (number, rank) in ranks.iter().enumerate().filter(|(_, rank)| rank.refresh == Refresh::Idle) {
        for (bank, state) in rank.banks.iter().enumerate() {
            if !queue.iter().any(|one| (one.place.rank, one.place.bank) == (number, bank)) {
                continue;
            }
            let activate_at = if rows.of(number, bank).is_open() {
                state.precharge_at.max(now) + p.t_rp
            } else {
                state.activate_at.max(now)
            };
            let column_at = rank.column_at(bank, reads).max(activate_at + p.t_rcd);
            let leaves_no_gap = column_at <= seamless;
            if leaves_no_gap || (!is_seamless && activate_at <= least) {
                if !is_seamless && (leaves_no_gap || activate_at < least) {
                    found.clear();
                }
                is_seamless |= leaves_no_gap;
                is_hidden = activate_at <= seamless.saturating_sub(p.t_rcd).max(now);
                found.push((number, bank));
                least = activate_at;
            }
        }
    }
    (found, is_hidden)
}
