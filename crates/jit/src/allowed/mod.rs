//! What memory may be accessed, without a check, where a block of a region begins: because blocks on all ways to it have
//! accessed it, or because it is checked where the region is entered. Loops then check nothing that does not change
//! in them, nor do functions the stack again after each of their branches.
//!
//! That holds as long as compiled code is not left: rights are taken from pages outside it only.

mod extent;
mod summary;

use engine::tier::Region;
use isa::Xlen;

pub use self::extent::{Extent, Extents, KINDS, NONE};
use self::extent::{Pair, common};
use self::summary::Summary;
use crate::bounds::AtBlocks;
use crate::returns::Returns;
use crate::sites::{Sites, early};

/// How often it is looked for what blocks farther on access.
const DEPTH: usize = 6;
/// One access, in the unit that expected ones are counted in.
const ONE: u32 = 16;
/// Least accesses expected for one check where the region is entered.
const WORTH: u32 = ONE + ONE / 2;
/// How often what is known of a block may shrink before it is forgotten, as in a loop that counts an address up.
const PATIENCE: u32 = 16;

/// What may be accessed where blocks begin.
pub struct Allowed {
    at: Vec<Extents>,
    /// What is checked where the region is entered, if it is entered there.
    checked: Vec<Extents>,
}

/// What blocks from one on access.
#[derive(Clone)]
struct Need {
    extents: Extents,
    /// How often, about.
    times: [Pair<u32>; NONE.len()],
}

impl Allowed {
    /// Of a region. Other blocks may go on in the midst of those that `are_joined`; what micro-operations of some blocks
    /// access is checked `apart`.
    pub fn new(
        region: &Region<'_>,
        returns: &Returns,
        bounds: &AtBlocks,
        sites: &Sites,
        are_joined: impl Fn(usize) -> bool,
        apart: impl Fn(usize, usize) -> bool,
    ) -> Self {
        if region.program.isa().xlen() == Xlen::Rv32 {
            // Where addresses wrap around, what is between two of them need not be in memory.
            let none = vec![NONE; region.members.len()];
            return Self { at: none.clone(), checked: none };
        }
        // Some store in a gap may be an event.
        let gaps = [true, region.layout.tohost.is_none()];
        let members = region.members.len();
        let summary = |index: usize| {
            Summary::of(region, returns, index, bounds.of(index), gaps, |uop| apart(index, uop))
        };
        let blocks: Vec<Summary> = (0..members).map(summary).collect();
        let needs = needs(&blocks, gaps);
        let wanted = |index: usize| -> Extents {
            let pc = region.members[index].pc;
            std::array::from_fn(|register| {
                std::array::from_fn(|kind| {
                    let is_worth = if region.layout.paged {
                        needs[index].times[register][kind] >= WORTH
                            && !sites.is_restless((pc, early(register, kind)))
                    } else {
                        // Nobody would notice that it fails again and again.
                        blocks[index].accessed[register][kind].is_some()
                    };
                    needs[index].extents[register][kind]
                        .filter(|_| is_worth && bounds.is_entry(index) && !are_joined(index))
                })
            })
        };
        let mut checked: Vec<Extents> = (0..members).map(wanted).collect();
        let mut at = solve(&blocks, &checked, bounds, &are_joined, gaps);
        // What is of no use to the first that access it is not checked.
        for (index, block) in blocks.iter().enumerate() {
            for (register, checked) in checked[index].iter_mut().enumerate() {
                for (kind, checked) in checked.iter_mut().enumerate() {
                    let suffices =
                        |known: Extent| block.accessed[register][kind].is_none_or(|here| known.covers(here));
                    *checked = checked.filter(|_| at[index][register][kind].is_some_and(suffices));
                }
            }
        }
        at = solve(&blocks, &checked, bounds, &are_joined, gaps);
        for (checked, at) in checked.iter_mut().zip(&at) {
            *checked = common(checked, at);
        }
        for (index, block) in blocks.iter().enumerate() {
            // The others are of no use here, and would keep their registers.
            let is_used = |register: usize, kind: usize| block.accessed[register][kind].is_some();
            at[index] = std::array::from_fn(|register| {
                std::array::from_fn(|kind| at[index][register][kind].filter(|_| is_used(register, kind)))
            });
        }
        Self { at, checked }
    }

    /// Where a block begins, of registers that it accesses memory through.
    pub fn at(&self, member: usize) -> impl Iterator<Item = (u16, usize, Extent)> {
        each(&self.at[member])
    }

    /// What is checked if a region is entered at a block.
    pub fn checked(&self, member: usize) -> impl Iterator<Item = (u16, usize, Extent)> {
        each(&self.checked[member])
    }
}

fn each(extents: &Extents) -> impl Iterator<Item = (u16, usize, Extent)> {
    let pairs = extents.iter().enumerate();
    pairs.flat_map(|(register, pair)| {
        let kinds = pair.iter().enumerate();
        kinds.filter_map(move |(kind, extent)| Some((register as u16, kind, (*extent)?)))
    })
}

/// What each block and those after it access.
fn needs(blocks: &[Summary], gaps: Pair<bool>) -> Vec<Need> {
    let none = Need { extents: NONE, times: [[0; 2]; NONE.len()] };
    let mut needs = vec![none.clone(); blocks.len()];
    for _ in 0..DEPTH {
        for (index, block) in blocks.iter().enumerate().rev() {
            let mut need = none.clone();
            need.extents = block.accessed;
            for (times, here) in need.times.iter_mut().flatten().zip(block.accessed.iter().flatten()) {
                *times = if here.is_some() { ONE * block.ways.max(1) as u32 } else { 0 };
            }
            for &next in &block.next {
                for (register, &end) in block.ends.iter().enumerate().skip(1) {
                    let Some((from, added)) = end.filter(|&(from, _)| from < NONE.len()) else { continue };
                    for (kind, &gaps) in gaps.iter().enumerate() {
                        let there = needs[next].extents[register][kind].and_then(|there| there.moved(added));
                        let Some(there) = there else { continue };
                        let known = &mut need.extents[from][kind];
                        let Some(both) = known.map_or(Some(there), |known| known.with(there, gaps)) else {
                            continue;
                        };
                        *known = Some(both);
                        need.times[from][kind] += needs[next].times[register][kind];
                    }
                }
            }
            need.times.iter_mut().flatten().for_each(|times| *times /= block.ways.max(1) as u32);
            needs[index] = need;
        }
    }
    needs
}

/// What may be accessed where blocks begin, if some is `checked` where the region is entered.
fn solve(
    blocks: &[Summary],
    checked: &[Extents],
    bounds: &AtBlocks,
    are_joined: impl Fn(usize) -> bool,
    gaps: Pair<bool>,
) -> Vec<Extents> {
    let begin = |index: usize| match (are_joined(index), bounds.is_entry(index)) {
        (true, _) => Some((NONE, 0)),
        (false, is_entry) => is_entry.then(|| (checked[index], 0)),
    };
    let mut found: Vec<Option<(Extents, u32)>> = (0..blocks.len()).map(begin).collect();
    let mut waiting: Vec<usize> = (0..blocks.len()).filter(|&index| found[index].is_some()).collect();
    while let Some(index) = waiting.pop() {
        let Some((before, _)) = found[index] else { continue };
        let after = blocks[index].after(&before, gaps);
        for &next in &blocks[index].next {
            let joined = match found[next] {
                None => (after, 0),
                Some((known, _)) if known == common(&known, &after) => continue,
                Some((_, PATIENCE..)) => (NONE, PATIENCE),
                Some((known, times)) => (common(&known, &after), times + 1),
            };
            if found[next] != Some(joined) {
                found[next] = Some(joined);
                waiting.push(next);
            }
        }
    }
    found.into_iter().map(|found| found.map_or(NONE, |(at, _)| at)).collect()
}
