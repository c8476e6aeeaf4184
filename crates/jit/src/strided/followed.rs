//! Trips of a long loop that another one is known to follow: most of what they leave in registers is overwritten there,
//! and nobody may look before. Sums of words then need no upper halves, which those of the last trip have to have.

#[cfg(test)]
mod tests;

use engine::block::Block;
use engine::uop::{Comparison, FIRST_TEMP, Kind, Op, Pure};

use crate::bounds::Bounds;
use crate::shape::{self, Registers};
use crate::sums::{Sum, follow};

/// Least instructions of a loop that gains more than it takes to compile it twice.
const LONG: usize = 192;
/// One of so many instructions computes a word.
const WORDS: usize = 8;

/// What tells that another trip follows, and what that one overwrites.
#[derive(Clone, Debug)]
pub struct Followed {
    pub comparison: Comparison,
    /// What is compared, of registers where the trip begins.
    pub operands: [Sum; 2],
    pub overwritten: Registers,
}

impl Followed {
    /// Of a block that is such a loop; `bounds` is what registers hold at most when a trip begins.
    pub fn of(block: &Block, bounds: &Bounds) -> Option<Self> {
        let instructions = block.decoded.len();
        let is_word = |uop: &&engine::uop::Uop| uop.op.kind() == Kind::Pure(Pure::Sext) && uop.aux == 32;
        if instructions < LONG || block.uops.iter().filter(is_word).count() * WORDS < instructions {
            return None;
        }
        let (branch, body) = block.uops[..].split_last_chunk::<2>().map(|(body, branch)| (branch, body))?;
        let Kind::ExitIf(comparison) = branch[0].op.kind() else { return None };
        let is_branch =
            shape::uops_of(block, instructions - 1).start == body.len() && branch[0].imm == block.pc;
        let is_straight =
            body.iter().all(|uop| matches!(uop.op.kind(), Kind::Pure(_) | Kind::Load(_) | Kind::Store(_)));
        if !is_branch || !is_straight || branch[1].op != Op::Exit {
            return None;
        }
        let ends = follow(block, Sum::of_all(), bounds, |_| Registers::ALL, || None, |_, _| ());
        let at_end = |slot: u16| ends.get(usize::from(slot)).copied().flatten().filter(|sum| sum.most == 0);
        let operands = [at_end(branch[0].a)?, at_end(branch[0].b)?];
        Some(Self { comparison, operands, overwritten: overwritten(block) })
    }
}

/// Registers that a block writes before it reads them.
fn overwritten(block: &Block) -> Registers {
    let (mut read, mut written) = (Registers::default(), Registers::default());
    for uop in &block.uops {
        uop.reads().filter(|&slot| slot < FIRST_TEMP && !written.has(slot)).for_each(|slot| read.add(slot));
        uop.def().into_iter().for_each(|slot| written.add(slot));
    }
    written.without(read)
}
