//! Trips that another one is known to follow: most of what they leave in registers is overwritten there, and nobody may
//! look before. In a long loop, sums of words then need no upper halves, which those of the last trip have to have. Of a
//! short loop, several trips that others follow become one, with one look at whether they do.

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
/// Most instructions of a short loop, and how many of its trips become one.
const SHORT: usize = 20;
const TOGETHER: u64 = 4;
/// Most that its counter grows by in a trip.
const FASTEST: i64 = 1 << 16;

/// What tells that another trip follows, and what that one overwrites.
#[derive(Clone, Debug)]
pub struct Followed {
    pub comparison: Comparison,
    /// What is compared, of registers where the trip begins.
    pub operands: [Sum; 2],
    pub overwritten: Registers,
    /// How many trips are one.
    pub trips: u64,
    /// If several are: by how much the second operand must be above the first where they begin, modulo 2^64, at least.
    pub beyond: u64,
    /// Registers that a trip adds a number to, and that number.
    pub steps: Vec<(u16, i64)>,
}

impl Followed {
    /// Of a block that is such a loop; `bounds` is what registers hold at most when a trip begins.
    pub fn of(block: &Block, bounds: &Bounds) -> Option<Self> {
        let instructions = block.decoded.len();
        let is_word = |uop: &&engine::uop::Uop| uop.op.kind() == Kind::Pure(Pure::Sext) && uop.aux == 32;
        let is_short = instructions <= SHORT;
        let is_long =
            instructions >= LONG && block.uops.iter().filter(is_word).count() * WORDS >= instructions;
        if !is_short && !is_long {
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
        let steps = (1..FIRST_TEMP).filter_map(|register| {
            let end = at_end(register).filter(|end| end.added != 0)?;
            (end == Sum { added: end.added, ..Sum::of(register) }).then_some((register, end.added))
        });
        let steps = steps.collect();
        let mut followed =
            Self { comparison, operands, overwritten: overwritten(block), trips: 1, beyond: 0, steps };
        if is_short {
            followed.join([branch[0].a, branch[0].b])?;
        }
        Some(followed)
    }

    /// Makes several trips one, if the loop ends where a register that grows comes to what another one holds.
    fn join(&mut self, registers: [u16; 2]) -> Option<()> {
        let begins = registers.map(Sum::of);
        let grows = |operand: usize| {
            let [sum, other] = [self.operands[operand], self.operands[1 - operand]];
            let is_alone = sum == Sum { added: sum.added, ..begins[operand] } && other == begins[1 - operand];
            (is_alone && (1..=FASTEST).contains(&sum.added)).then_some(sum.added as u64)
        };
        let (first, step) = [0, 1].into_iter().find_map(|operand| Some((operand, grows(operand)?)))?;
        if self.comparison != Comparison::Ne {
            return None;
        }
        self.operands = [begins[first], begins[1 - first]];
        (self.trips, self.beyond) = (TOGETHER, TOGETHER * step + 1);
        Some(())
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
