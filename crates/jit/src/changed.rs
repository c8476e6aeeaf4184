//! Registers that may have changed since a region was entered: ways out store these, all others are in their homes.

use engine::tier::Region;

use crate::returns::Returns;
use crate::shape::{self, Registers};

/// Those that may have changed where a block begins, and by its end.
#[derive(Clone, Copy, Default)]
pub struct Changed {
    pub before: Registers,
    pub after: Registers,
}

/// Those of each block of a region. Some `repeat` without getting to their beginning again.
pub fn by_blocks(region: &Region<'_>, returns: &Returns, repeat: impl Fn(usize) -> bool) -> Vec<Changed> {
    let members = &region.members;
    let written = |uops| shape::registers(region, uops).1;
    let mut changed: Vec<Changed> = members
        .iter()
        .map(|member| Changed { after: written(&member.block.uops), ..Changed::default() })
        .collect();
    let ways: Vec<Vec<usize>> = (0..members.len()).map(|index| ways(region, returns, index)).collect();
    let mut waiting: Vec<usize> = (0..members.len()).collect();
    while let Some(index) = waiting.pop() {
        let Registers(here) = changed[index].after;
        for &next in ways[index].iter().filter(|&&next| next != index || !repeat(index)) {
            let Changed { before, after } = &mut changed[next];
            if before.0 | here != before.0 {
                before.0 |= here;
                after.0 |= here;
                waiting.push(next);
            }
        }
    }
    changed
}

/// Blocks of the region that one leads to.
pub fn ways(region: &Region<'_>, returns: &Returns, index: usize) -> Vec<usize> {
    let uops = &region.members[index].block.uops;
    let leads = |pc: u64| uops.iter().any(|uop| uop.op.is_exit() && uop.imm == pc);
    let returned = returns.from(index);
    let members = region.members.iter().enumerate();
    let next = members.filter(|(next, member)| leads(member.pc) || returned.contains(next));
    next.map(|(index, _)| index).collect()
}
