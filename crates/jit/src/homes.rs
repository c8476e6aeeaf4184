//! Which registers a region keeps in values from where it is entered to where it is left. All others stay in their homes:
//! a block loads what it reads and stores what it changes. A region of many blocks often executes few of them, which use
//! few of its registers; to load and store all of them would take longer than the blocks do.

#[cfg(test)]
pub mod tests;

use engine::tier::Region;
use engine::uop::{FIRST_TEMP, Op, Uop};

use crate::changed;
use crate::returns::Returns;
use crate::shape::{self, Registers};

/// Accesses that keeping a register takes each time the region is entered: it is loaded, put on the host's stack, which has
/// no room for all in registers, and loaded from there. One that changes takes as many again to be stored.
const KEEPING: u64 = 3;

/// The registers to keep; all of those of blocks that `are_loops`.
pub fn resident(region: &Region<'_>, are_loops: impl Fn(usize) -> bool) -> Registers {
    let members = &region.members;
    if members.len() == 1 {
        return Registers::ALL;
    }
    let most = members
        .iter()
        .map(|member| member.times)
        .filter(|&times| times != u32::MAX)
        .max()
        .unwrap_or(1)
        .max(1);
    let times: Vec<u64> = members.iter().map(|member| member.times.min(most).into()).collect();
    let entries = entries(region, &times);
    let mut in_homes = [0; FIRST_TEMP as usize];
    let (mut kept, mut written) = (Registers::default(), Registers::default());
    for (index, (member, &times)) in members.iter().zip(&times).enumerate() {
        let uops = &member.block.uops;
        let (reads, writes) = accesses(region, uops);
        if are_loops(index) {
            kept = kept.or(shape::registers(region, uops.iter()).0);
        }
        for register in reads.iter().chain(writes) {
            in_homes[usize::from(register)] += times;
        }
        written = written.or(shape::registers(region, uops.iter()).1);
    }
    for register in Registers::ALL.iter() {
        let keeping = if written.has(register) { 2 * KEEPING } else { KEEPING };
        if in_homes[usize::from(register)] > keeping * entries {
            kept.add(register);
        }
    }
    kept
}

/// How often the region will be entered, about, if its blocks are executed so many `times`: as often as they did not come
/// from each other. Of those that are compiled already nobody knows how often they were executed; if others lead to them,
/// they count as executed from there.
fn entries(region: &Region<'_>, times: &[u64]) -> u64 {
    let mut from_within = vec![0; times.len()];
    let returns = Returns::of(region);
    for (index, &executed) in times.iter().enumerate() {
        let next = changed::ways(region, &returns, index);
        let all: u64 = next.iter().map(|&next| times[next]).sum();
        for &next in &next {
            // Where it may lead elsewhere, too, that is not known.
            from_within[next] += (executed * times[next]).checked_div(all).unwrap_or(0).min(times[next]);
        }
    }
    let others = region.members.iter().zip(times).zip(&from_within).map(|((member, &times), &within)| {
        let is_known = member.times != u32::MAX || within == 0;
        if is_known { times.saturating_sub(within) } else { 0 }
    });
    others.sum::<u64>().max(1)
}

/// Registers that a block reads before it writes them, and those that it writes, as often as it does.
fn accesses(region: &Region<'_>, uops: &[Uop]) -> (Registers, Vec<u16>) {
    let (mut reads, mut written, mut writes) = (Registers::default(), Registers::default(), Vec::new());
    for uop in uops {
        uop.reads().filter(|&slot| slot < FIRST_TEMP && !written.has(slot)).for_each(|slot| reads.add(slot));
        if uop.op == Op::Unit {
            let (_, all) = shape::unit_registers(shape::site(region, *uop));
            written = written.or(all);
        }
        if let Some(slot) = uop.def().filter(|&slot| slot != 0 && slot < FIRST_TEMP) {
            written.add(slot);
            writes.push(slot);
        }
    }
    (reads, writes)
}
