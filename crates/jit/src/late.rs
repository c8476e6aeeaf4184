//! Loads that cannot fail are compiled where what they load is needed: until then it would take a register of the host's.

#[cfg(test)]
mod tests;

use engine::block::Block;
use engine::uop::Kind;

use crate::shape::{self, Registers};

/// What matters of an instruction.
#[derive(Clone, Copy)]
struct Effects {
    reads: Registers,
    writes: Registers,
    /// It only computes, or loads.
    quiet: bool,
    /// It does nothing but one of these loads.
    loads: bool,
}

impl Effects {
    fn of(block: &Block, instruction: usize, safe: &impl Fn(usize) -> bool) -> Self {
        let (mut reads, mut writes) = (Registers::default(), Registers::default());
        let (mut quiet, mut loads) = (true, false);
        for index in shape::uops_of(block, instruction) {
            let uop = &block.uops[index];
            match uop.op.kind() {
                Kind::Pure(_) => {}
                Kind::Load(_) if safe(index) => loads = true,
                _ => quiet = false,
            }
            uop.reads().for_each(|slot| reads.add(slot));
            uop.def().into_iter().for_each(|slot| writes.add(slot));
        }
        Self { reads, writes, quiet, loads }
    }

    /// Registers of both.
    fn with(self, other: Self) -> Self {
        Self { reads: self.reads.or(other.reads), writes: self.writes.or(other.writes), ..self }
    }

    /// True if the other one, which follows, has to come after it.
    fn precedes(self, other: Self) -> bool {
        self.writes.0 & (other.reads.0 | other.writes.0) | self.reads.0 & other.writes.0 != 0
    }
}

/// The first `compiled` instructions of a block, in an order to compile them in. Loads that are `safe`, by their
/// micro-operation, come as late as they can: before what needs or overwrites a register of theirs, unless that is such a load
/// itself, and before anything that does more than compute or load safely.
pub fn order(block: &Block, compiled: usize, safe: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut order = Vec::with_capacity(compiled);
    let mut late: Vec<(usize, Effects)> = Vec::new();
    for instruction in 0..compiled {
        let effects = Effects::of(block, instruction, &safe);
        if effects.quiet && effects.loads {
            late.push((instruction, effects));
            continue;
        }
        let mut due = Vec::new();
        // Of what has to come before this one or before a load that has to.
        let mut all = effects;
        for &(load, of) in late.iter().rev() {
            if !effects.quiet || of.precedes(all) {
                all = all.with(of);
                due.push(load);
            }
        }
        late.retain(|(load, _)| !due.contains(load));
        order.extend(due.into_iter().rev());
        order.push(instruction);
    }
    order.extend(late.into_iter().map(|(load, _)| load));
    order
}
