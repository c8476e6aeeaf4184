//! Where computed jumps of a region's blocks lead within it: a function's return, to what follows calls of that function.
//! Were each return taken to lead to what follows any call, little would be known of the stack there.

#[cfg(test)]
mod tests;

use engine::tier::{Region, return_address};
use engine::uop::Op;

/// The members that each member's computed jump is followed to; one that leads elsewhere leaves the region.
pub struct Returns(Vec<Vec<usize>>);

impl Returns {
    /// Of a region.
    pub fn of(region: &Region<'_>) -> Self {
        let members = &region.members;
        let is_computed = |index: usize| members[index].block.uops.iter().any(|uop| uop.op == Op::ExitTo);
        let mut after: Vec<Vec<u64>> = vec![Vec::new(); members.len()];
        for call in members {
            let Some(back) = return_address(call.block) else { continue };
            for index in
                function(region, call.block.uops.iter().filter(|uop| uop.op.is_exit()).map(|uop| uop.imm))
            {
                after[index].push(back);
            }
        }
        let all: Vec<u64> = members.iter().filter_map(|member| return_address(member.block)).collect();
        let of = |index: usize| {
            // Where it is not known which function it is in, it may be any.
            let addresses = if after[index].is_empty() { &all } else { &after[index] };
            let leads = |&next: &usize| is_computed(index) && addresses.contains(&members[next].pc);
            (0..members.len()).filter(leads).collect()
        };
        Self((0..members.len()).map(of).collect())
    }

    /// Of a member.
    pub fn from(&self, member: usize) -> &[usize] {
        &self.0[member]
    }
}

/// Members of the function that begins at one of these addresses.
fn function(region: &Region<'_>, begins: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut waiting: Vec<u64> = begins.collect();
    while let Some(pc) = waiting.pop() {
        let Some(index) = region.members.iter().position(|member| member.pc == pc) else { continue };
        if found.contains(&index) {
            continue;
        }
        found.push(index);
        let block = region.members[index].block;
        match return_address(block) {
            // What it calls is another one.
            Some(back) => waiting.push(back),
            None => waiting.extend(block.uops.iter().filter(|uop| uop.op.is_exit()).map(|uop| uop.imm)),
        }
    }
    found
}
