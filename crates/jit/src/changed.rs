//! Registers that may have changed since a region was entered: ways out store these, all others are in their homes.

use engine::tier::{Region, return_address};
use engine::uop::{Op, Uop};

use crate::shape::{self, Registers};

/// Those that may have changed by the end of each block of a region.
pub fn by_blocks(region: &Region<'_>) -> Vec<Registers> {
    let members = &region.members;
    let ways: Vec<Vec<usize>> = members.iter().map(|member| ways(region, &member.block.uops)).collect();
    let written = |uops| shape::registers(region, uops).1;
    let mut changed: Vec<Registers> = members.iter().map(|member| written(&member.block.uops)).collect();
    let mut waiting: Vec<usize> = (0..members.len()).collect();
    while let Some(index) = waiting.pop() {
        let here = changed[index];
        for &next in &ways[index] {
            let both = Registers(changed[next].0 | here.0);
            if changed[next] != both {
                changed[next] = both;
                waiting.push(next);
            }
        }
    }
    changed
}

/// Blocks of the region that one leads to.
fn ways(region: &Region<'_>, uops: &[Uop]) -> Vec<usize> {
    let is_computed = uops.iter().any(|uop| uop.op == Op::ExitTo);
    let returned = |pc: u64| region.members.iter().any(|call| return_address(call.block) == Some(pc));
    let leads = |pc: u64| uops.iter().any(|uop| uop.op.is_exit() && uop.imm == pc);
    let members = region.members.iter().enumerate();
    let next = members.filter(|(_, member)| leads(member.pc) || is_computed && returned(member.pc));
    next.map(|(index, _)| index).collect()
}
