//! Registers that may have changed since a region was entered: ways out store these, all others are in their homes.

use engine::tier::{Region, return_address};
use engine::uop::{Op, Uop};

use crate::shape::{self, Registers};

/// Those that may have changed where a block begins, and by its end.
#[derive(Clone, Copy, Default)]
pub struct Changed {
    pub before: Registers,
    pub after: Registers,
}

/// Those of each block of a region. Some `repeat` without getting to their beginning again.
pub fn by_blocks(region: &Region<'_>, repeat: impl Fn(usize) -> bool) -> Vec<Changed> {
    let members = &region.members;
    let written = |uops| shape::registers(region, uops).1;
    let mut changed: Vec<Changed> = members
        .iter()
        .map(|member| Changed { after: written(&member.block.uops), ..Changed::default() })
        .collect();
    let ways: Vec<Vec<usize>> = members.iter().map(|member| ways(region, &member.block.uops)).collect();
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
pub fn ways(region: &Region<'_>, uops: &[Uop]) -> Vec<usize> {
    let is_computed = uops.iter().any(|uop| uop.op == Op::ExitTo);
    let returned = |pc: u64| region.members.iter().any(|call| return_address(call.block) == Some(pc));
    let leads = |pc: u64| uops.iter().any(|uop| uop.op.is_exit() && uop.imm == pc);
    let members = region.members.iter().enumerate();
    let next = members.filter(|(_, member)| leads(member.pc) || is_computed && returned(member.pc));
    next.map(|(index, _)| index).collect()
}
