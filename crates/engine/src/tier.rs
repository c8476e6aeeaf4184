//! The second tier: what the machine asks of something that compiles hot blocks. The compiler itself is no
//! part of this crate; without one, everything is interpreted, with the same results.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;

use hart::memory::Layout;
use hart::system::System;
use hart::vector::VectorUnit;

use crate::block::{Block, BlockId, Cache};
pub use crate::heat::{Entry, Heat};
use crate::program::Program;
use crate::timed::Records;
use crate::uop::{Op, Uop};

/// Executions after which a block of scalar instructions is compiled, unless a compiler says otherwise: about as many
/// as take the interpreter the time of compiling it. Other blocks are more urgent ([`Block::urgency`]).
pub const HOT: u32 = 2000;
/// Most blocks compiled together.
const BLOCKS: usize = 64;
/// Most micro-operations compiled together, unless one block has more: register allocation takes time that
/// grows faster than they.
const UOPS: usize = 400;
/// The same as long as little is compiled. Most of what ciphers execute is in a few loops, which are the better for being
/// compiled together with the functions they call; a program with much hot code would wait too long for it.
const UOPS_AT_FIRST: usize = 1000;
/// The same where a long block is added, as the rounds of a cipher are that follow each other in several: regions that lead
/// to each other exchange all registers each time.
const UOPS_IF_LONG: usize = 2000;
/// Micro-operations of a long block.
const LONG: usize = 128;
/// Compiled blocks that are little.
const FEW: usize = 24;
/// Compiled blocks that are many: what is compiled is then not compiled again with what leads to it. Such a program
/// spends more on compiling than ways between regions cost it.
const MANY: usize = 128;
/// A block is too cold for a region if its head was executed more than this many times as often.
const COLDER: u32 = 16;

/// One block of a region.
pub struct Member<'a> {
    /// Its name in the machine.
    pub id: BlockId,
    /// Its first instruction.
    pub pc: u64,
    /// The block.
    pub block: &'a Block,
    /// How often it was interpreted, or more if it is compiled already.
    pub times: u32,
    /// True if the region is to be entered here.
    pub is_entry: bool,
    /// Where executions are counted, if they are.
    pub executions: Option<&'a Cell<u64>>,
}

/// What is compiled together: blocks that the first of them leads to.
pub struct Region<'a> {
    /// The guest's instructions.
    pub program: &'a Program,
    /// Where guest memory is.
    pub layout: Layout,
    /// Whether its blocks write records ([`crate::timed`]).
    pub timed: bool,
    /// The vector unit as it is now, when the first block is about to be executed.
    pub vector: &'a VectorUnit,
    /// At most [`BLOCKS`] blocks.
    pub members: Vec<Member<'a>>,
}

/// Why compiled code came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Return {
    /// It leads on to the hart's program counter; everything before retired.
    Next,
    /// The interpreter has to take a block up at a micro-operation, the first of an instruction. Nothing of
    /// the block counts as retired yet.
    Resume(BlockId, usize),
    /// The same, but that micro-operation has written `tohost`.
    Host(BlockId, usize),
}

/// Why a region was not compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It cannot be.
    Unfit,
    /// There is too much compiled code already.
    Full,
}

/// Compiles regions and executes them.
pub trait Compiler {
    /// Executions after which a block of scalar instructions is worth compiling.
    fn threshold(&self) -> u32 {
        HOT
    }

    /// Compiles a region; returns the ways into its members, in their order.
    ///
    /// # Errors
    /// [`Refused`].
    fn compile(&mut self, region: &Region<'_>) -> Result<Vec<Option<Entry>>, Refused>;

    /// True if a loop that is longer than a block had better be one.
    fn wants_whole(&self, _program: &Program, _layout: Layout, _loop: &Block) -> bool {
        false
    }

    /// Executes compiled code, of at most `budget` instructions; program counter, registers and count of
    /// the hart are then as [`Return`] says. `None`, and nothing was executed, if it was compiled for another
    /// memory than this one. Code of a timed run appends to `records`, which have room for the budget.
    fn enter(
        &mut self,
        entry: Entry,
        system: &mut System,
        program: &Program,
        budget: u64,
        records: &mut Records,
    ) -> Option<Return>;

    /// The entries of a region that it would compile otherwise by now, that of its first block first; they are not
    /// to be entered again.
    fn outdated(&mut self) -> Option<Range<u32>> {
        None
    }

    /// Forgets all compiled code.
    fn clear(&mut self);

    /// Another one like it, without code, for another memory.
    fn another(&self) -> Box<dyn Compiler>;
}

/// A block found for a region.
pub struct Candidate {
    /// Its name in the machine.
    pub id: BlockId,
    /// Its first instruction.
    pub pc: u64,
    /// True if the region has all that it is known to lead to and would have in any region: it then needs none of its
    /// own.
    pub whole: bool,
}

/// The blocks that belong into one region with `head`: those that known exits lead to, as far as they have
/// been executed, so that nothing is translated that the interpreter would not have translated, and are warm. Loops
/// that stay in for long have regions of their own: the registers that everything around them needs would be in their
/// way.
pub fn region(cache: &Cache, head: BlockId, pc: u64, avoid: &HashSet<u64>) -> Vec<Candidate> {
    let mut candidates = vec![Candidate { id: head, pc, whole: true }];
    let mut size = cache.block(head).uops.len();
    let least = executions(cache, head) / COLDER;
    let compiled = cache.compiled();
    let (has_much, has_many) = (compiled >= FEW, compiled >= MANY);
    let most = |uops: usize| match uops {
        _ if has_much => UOPS,
        LONG.. => UOPS_IF_LONG,
        _ => UOPS_AT_FIRST,
    };
    let mut next = 0;
    while next < candidates.len() {
        for target in targets(cache.block(candidates[next].id)) {
            if candidates.iter().any(|known| known.pc == target) {
                continue;
            }
            let Some(id) = cache.find(target) else { continue };
            if executions(cache, id) < least || cache.is_apart(id) {
                continue;
            }
            let uops = cache.block(id).uops.len();
            let stays_out = || has_many || has_much && is_called(cache.block(candidates[next].id), target);
            if matches!(cache.heat_of(id), Heat::Compiled(_)) && stays_out() {
                continue;
            }
            let is_apart = avoid.contains(&target) || cache.block(id).meets;
            if is_apart || candidates.len() >= BLOCKS || size + uops > most(uops) {
                candidates[next].whole = false;
            } else {
                size += uops;
                candidates.push(Candidate { id, pc: target, whole: true });
            }
        }
        next += 1;
    }
    candidates
}

/// True if a region is a loop that is seldom left: all that it is known to lead to beyond itself is colder, and nothing
/// is unknown.
pub fn is_apart(cache: &Cache, region: &[Candidate]) -> bool {
    let least = region.first().map_or(0, |head| executions(cache, head.id) / COLDER);
    let stays = |target: u64| {
        let is_colder = || cache.find(target).is_none_or(|id| executions(cache, id) < least);
        region.iter().any(|member| member.pc == target) || is_colder()
    };
    region.iter().all(|member| {
        let block = cache.block(member.id);
        block.uops.iter().all(|uop| uop.op != Op::ExitTo) && targets(block).all(stays)
    })
}

/// True if a block ends with a call of the function at `target`.
fn is_called(block: &Block, target: u64) -> bool {
    let last = block.uops.last().filter(|last| last.op == Op::Exit && last.imm == target);
    last.is_some() && return_address(block).is_some()
}

/// How often a block was interpreted; of a compiled one, more often than of any other.
pub fn executions(cache: &Cache, id: BlockId) -> u32 {
    match cache.heat_of(id) {
        Heat::Executed(times) => times,
        Heat::Compiled(_) | Heat::Unfit => u32::MAX,
    }
}

/// Where a block may lead that is known, a call's return included.
fn targets(block: &Block) -> impl Iterator<Item = u64> {
    let exits = block.uops.iter().filter(|uop| uop.op.is_exit()).map(|uop| uop.imm);
    exits.chain(return_address(block))
}

/// Where the call that ends a block will return to, if one does.
pub fn return_address(block: &Block) -> Option<u64> {
    let last = block.decoded.last()?;
    let fall_through = last.pc.wrapping_add(last.length());
    let links = |uop: &&Uop| uop.op == Op::Const && matches!(uop.dst, 1 | 5) && uop.imm == fall_through;
    let tail = block.uops.len().saturating_sub(4);
    block.uops[tail..].iter().find(links).map(|uop| uop.imm)
}
