//! Loops of one block whose accesses move by the same distance from trip to trip, as those through arrays do, or stay
//! where they are. How many trips stay within the ranges that were granted is computed before the first of them, which
//! then need no checks: where an access would leave its range, the loop is entered anew.
//!
//! `accesses.rs` finds such accesses; `emit.rs` has the code before the first trip and between trips.

mod accesses;
mod emit;
mod followed;
#[cfg(test)]
pub mod tests;
mod twice;

use engine::block::{Block, BlockId};
use engine::program::Program;
use engine::tier::{Member, Region};
use hart::memory::Layout;
use isa::Xlen;

pub use self::accesses::{Accesses, Range};
pub use self::emit::Trips;
pub use self::followed::Followed;
use crate::bounds::{AtBlocks, UNKNOWN};
use crate::sites::Sites;

/// Those of a region's blocks, but for some that are `taken`.
pub fn of_region(
    region: &Region<'_>,
    bounds: &AtBlocks,
    sites: &Sites,
    taken: impl Fn(usize) -> bool,
) -> Vec<Option<Accesses>> {
    let suits = suit(region.program, region.layout);
    let of = |(index, member): (usize, &Member<'_>)| {
        let is_restless = |uop| sites.is_restless((member.pc, uop));
        let is_free = suits && !taken(index);
        is_free.then(|| Accesses::of(member, bounds.of(index), is_restless)).flatten()
    };
    region.members.iter().enumerate().map(of).collect()
}

/// True if a block is a long loop whose trips are compiled twice, as far as can be told by itself.
pub fn follows(program: &Program, layout: Layout, block: &Block) -> bool {
    let (id, pc) = (BlockId::of(0), block.pc);
    let member = Member { id, pc, block, times: 1, is_entry: true, executions: None };
    let accesses = suit(program, layout).then(|| Accesses::of(&member, &UNKNOWN, |_| false)).flatten();
    accesses.and_then(|accesses| accesses.followed).is_some_and(|followed| followed.trips == 1)
}

/// True if addresses are offsets into the host's memory, as long as they are not cut to a word.
fn suit(program: &Program, layout: Layout) -> bool {
    layout.paged && layout.base == 0 && program.isa().xlen() == Xlen::Rv64
}
