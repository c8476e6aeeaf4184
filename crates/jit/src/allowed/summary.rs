//! What a block accesses, and where registers come from that it leaves.

use engine::tier::Region;
use engine::uop::{FIRST_TEMP, Op};
use hart::fault::Access;

use super::extent::{Extent, Extents, NONE, Pair};
use crate::bounds::Bounds;
use crate::changed;
use crate::returns::Returns;
use crate::shape;
use crate::sums::{Sum, follow};

/// Registers, and values that a block makes, have numbers; those of the values come after those of the registers.
const VALUES: usize = FIRST_TEMP as usize;

/// What matters of a block.
pub struct Summary {
    /// What every execution may access relative to registers as they are where the block begins.
    pub accessed: Extents,
    /// What every execution does access, all of it, relative to these and to values that the block makes.
    proved: Vec<Pair>,
    /// Registers where it ends, as one of these and what was added to it.
    pub ends: Vec<Option<(usize, i64)>>,
    /// The members it leads to.
    pub next: Vec<usize>,
    /// Ways out of it, to members or not.
    pub ways: usize,
}

impl Summary {
    /// Of a member, but for accesses of micro-operations that are `apart`. `gaps` says of loads and stores whether what is
    /// between two accesses may be accessed as well.
    pub fn of(
        region: &Region<'_>,
        returns: &Returns,
        index: usize,
        bounds: &Bounds,
        gaps: Pair<bool>,
        apart: impl Fn(usize) -> bool,
    ) -> Self {
        let block = region.members[index].block;
        let mut values = VALUES as u16;
        let mut found: Vec<(usize, Sum)> = Vec::new();
        let written = |uop| shape::unit_registers(shape::site(region, uop)).1;
        let value = || {
            values += 1;
            Some(Sum::of(values - 1))
        };
        let is_whole = shape::compiled(block) == block.decoded.len();
        let ends = follow(block, Sum::of_all(), bounds, written, value, |uop, sum| found.push((uop, sum)));
        let (mut accessed, mut proved) = (NONE, vec![[None; 2]; values.into()]);
        let compiled =
            shape::compiled(block).checked_sub(1).map_or(0, |last| shape::uops_of(block, last).end);
        for (index, sum) in found.into_iter().filter(|&(index, _)| index < compiled && !apart(index)) {
            let Some((access, bytes)) = block.uops[index].op.access() else { continue };
            let low = sum.added.wrapping_add(block.uops[index].imm as i64);
            let high = low.checked_add_unsigned(sum.most + bytes);
            let (true, Some(high)) = (sum.registers[0] == 0 && sum.registers[1] != 0, high) else { continue };
            let Some(extent) = Extent { low, high }.moved(0) else { continue };
            let kind = usize::from(access == Access::Store);
            let add = |known: &mut Option<Extent>| {
                *known = known.map_or(Some(extent), |known| known.with(extent, gaps[kind]).or(Some(known)));
            };
            let register = usize::from(sum.registers[1]);
            accessed.get_mut(register).into_iter().for_each(|known| add(&mut known[kind]));
            // Which element of a table it is, differs from time to time.
            if sum.most == 0 {
                add(&mut proved[register][kind]);
            }
        }
        let last = block.decoded.len().checked_sub(1).map_or(0, |last| shape::uops_of(block, last).start);
        let exits = block.uops.iter().enumerate().filter(|(_, uop)| uop.op.is_exit() || uop.op == Op::ExitTo);
        let ends_at_once = is_whole && exits.clone().all(|(at, _)| at >= last);
        let root = |sum: Sum| match sum.registers {
            [0, register] if register != 0 && sum.most == 0 => Some((usize::from(register), sum.added)),
            _ => None,
        };
        let ends = ends[..VALUES].iter().map(|&end| end.filter(|_| ends_at_once).and_then(root)).collect();
        let next = changed::ways(region, returns, index);
        let ways = next.len().max(exits.count());
        Self { accessed, proved, ends, next, ways }
    }

    /// What may be accessed where the block ends, if `before` may where it begins.
    pub fn after(&self, before: &Extents, gaps: Pair<bool>) -> Extents {
        let mut after = NONE;
        for (register, &end) in self.ends.iter().enumerate().skip(1) {
            let Some((from, added)) = end else { continue };
            for (kind, allowed) in after[register].iter_mut().enumerate() {
                let before = before.get(from).and_then(|known| known[kind]);
                let here = self.proved[from][kind];
                let both = match (before, here) {
                    (Some(before), Some(here)) => before.with(here, gaps[kind]).or(Some(here)),
                    (one, other) => one.or(other),
                };
                *allowed = both.and_then(|extent| extent.moved(added.wrapping_neg()));
            }
        }
        after
    }
}
