//! Loops that are longer than a block. As one block, a compiler sees that most of what a trip leaves in registers is
//! overwritten by the next.

#[cfg(test)]
mod tests;

use crate::block::{Block, BlockId, Cache, FLUSHING_EXIT};
use crate::uop::Op;

/// Most instructions of such a loop.
const MOST: usize = 2048;
/// Most micro-operations: an instruction of a user's own may be hundreds.
const MOST_UOPS: usize = 4 * MOST;

/// The instructions of a loop that begins with this block and goes straight on through several to its end; `None` if there
/// is no such loop.
pub fn length(cache: &Cache, head: BlockId) -> Option<usize> {
    let begin = cache.block(head).pc;
    let (mut id, mut instructions, mut uops) = (head, 0, 0);
    loop {
        let block = cache.block(id);
        let last = block.decoded.last()?;
        let fall_through = last.pc.wrapping_add(last.length());
        instructions += block.decoded.len();
        uops += block.uops.len();
        if block.meets || instructions > MOST || uops > MOST_UOPS {
            return None;
        }
        let mut exits = block.uops.iter().filter(|uop| uop.op.is_exit() || uop.op == Op::ExitTo);
        if exits.clone().any(|exit| exit.imm == begin && exit.op != Op::ExitTo) {
            return (id != head).then_some(instructions);
        }
        let goes_on = exits
            .next()
            .is_some_and(|exit| exit.op == Op::Exit && exit.aux != FLUSHING_EXIT && exit.imm == fall_through);
        if !goes_on || exits.next().is_some() {
            return None;
        }
        id = cache.find(fall_through)?;
    }
}

/// True if a block has the instructions of the loop that begins with this one: what was translated before may not be in
/// memory any more, and is executed until the guest asks for what is.
pub fn is_same(cache: &Cache, head: BlockId, whole: &Block) -> bool {
    let mut next = Some(head);
    let mut left = &whole.decoded[..];
    while let Some(first) = left.first() {
        let Some(id) = next.take().filter(|&id| cache.block(id).pc == first.pc) else { return false };
        let part = &cache.block(id).decoded;
        let same = part.len() <= left.len()
            && part.iter().zip(left).all(|(old, new)| (old.pc, old.word) == (new.pc, new.word));
        if !same {
            return false;
        }
        left = &left[part.len()..];
        next = left.first().and_then(|first| cache.find(first.pc));
    }
    true
}
