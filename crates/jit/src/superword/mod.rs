//! Loops of one block that computes the same of two values time and again, as ciphers do of the columns of their state:
//! both are kept in one vector register of the host, with all of their 64 bits, and computed together. That halves the
//! operations, and the host has vector registers for a state that does not fit into its others.
//!
//! `graph.rs` has the values of a trip and what they are computed from; `pairs.rs` which of them go together, and whether
//! that pays; `emit.rs` the code.

mod emit;
mod graph;
mod pairs;
#[cfg(test)]
mod tests;

use engine::block::Block;
use engine::tier::Member;
use engine::uop::Kind;

use self::graph::Graph;
use self::pairs::Pairs;
use crate::shape;

/// A loop of one block, and how its trips are computed.
pub struct Loop {
    graph: Graph,
    pairs: Pairs,
    /// Where it leads when its comparison does not hold.
    elsewhere: u64,
}

impl Loop {
    /// Of a member that is one and gains by it.
    pub fn of(member: &Member<'_>) -> Option<Self> {
        if !suits_host() {
            return None;
        }
        let block = member.block;
        let [body @ .., exit_if, exit] = &*block.uops else { return None };
        let (Kind::ExitIf(comparison), Kind::Exit) = (exit_if.op.kind(), exit.op.kind()) else { return None };
        let is_loop = exit_if.imm == member.pc && exit.imm != member.pc;
        if !is_loop || shape::compiled(block) < block.decoded.len() {
            return None;
        }
        let mut graph = Graph::of(body, (comparison, exit_if.a, exit_if.b))?;
        let pairs = Pairs::of(&mut graph);
        pairs.gain(&graph, body.len()).then_some(Self { graph, pairs, elsewhere: exit.imm })
    }
}

/// True if the host has vector registers, and instructions that move bytes within them.
fn suits_host() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("ssse3") && std::arch::is_x86_feature_detected!("sse4.1");
    #[cfg(not(target_arch = "x86_64"))]
    cfg!(target_arch = "aarch64")
}

/// Instructions of a block before those of `inner`, if it ends with them all.
pub fn before(block: &Block, inner: &Block) -> Option<usize> {
    let before = block.decoded.len().checked_sub(inner.decoded.len()).filter(|&before| before > 0)?;
    let start = shape::uops_of(block, before).start;
    let same = block.decoded[before].pc == inner.decoded.first()?.pc && block.uops[start..] == *inner.uops;
    (same && shape::compiled(block) == block.decoded.len()).then_some(before)
}
