//! Translated blocks: straight runs of instructions, their micro-operations and what links them.

mod copies;
mod pages;
mod stale;
mod translate;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use isa::InstructionId;

use crate::counters::Counters;
use crate::decoded::Decoded;
use crate::heat::Heat;
use crate::uop::{Op, Uop};

pub use translate::{MOST_INSTRUCTIONS, fetch, translate};

/// Exits that can be linked to the block they lead to.
const LINKS: usize = 2;
/// Number of an exit that flushes the cache, and so is never linked.
pub const FLUSHING_EXIT: u8 = 2;
/// Micro-operations and instructions kept, some 32 bytes each.
const MOST: usize = 1 << 23;
/// How much more urgent blocks of nothing but a unit's instructions are than those without. A vector instruction
/// takes the interpreter ten to thirty times as long as others, but the compiler only a little longer.
const UNIT_URGENCY: usize = 15;
/// "No block", in links.
const NONE: u32 = u32::MAX;

/// A translated block.
#[derive(Debug)]
pub struct Block {
    /// Micro-operations; the last ones leave the block.
    pub uops: Box<[Uop]>,
    /// Instructions in order.
    pub decoded: Box<[Decoded]>,
    /// How many times as early as others it is worth compiling.
    pub urgency: u32,
    /// Words that a timed run notes of it ([`crate::timed`]).
    pub words: usize,
    /// What it does may depend on when other harts do something; it is one instruction then.
    pub meets: bool,
    /// Address of the first instruction.
    pub pc: u64,
}

/// How much a block is, and where. In one place for all blocks, which are too many for a host's first cache.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Address of its first instruction.
    pub pc: u64,
    /// Its instructions.
    pub instructions: u32,
    /// Words that a timed run notes of them.
    pub words: u32,
}

impl Shape {
    fn of(block: &Block) -> Self {
        Self { pc: block.pc, instructions: block.decoded.len() as u32, words: block.words as u32 }
    }
}

/// Where blocks end that could go on.
#[derive(Clone, Copy)]
pub struct Cut<'a> {
    /// After this many instructions.
    pub longest: usize,
    /// Before these addresses.
    pub boundaries: &'a HashSet<u64>,
    /// Before whatever may read the time; and instructions note what theirs may depend on.
    pub timed: bool,
    /// Before and after what other harts may have to be waited for: atomics, fences, CSRs, system calls, markers.
    pub turns: bool,
}

impl Block {
    /// A block of micro-operations and the instructions they belong to.
    fn new(uops: Vec<Uop>, decoded: Vec<Decoded>) -> Self {
        let units = uops.iter().filter(|uop| uop.op == Op::Unit).count();
        let urgency = 1 + (UNIT_URGENCY * units / uops.len().max(1)) as u32;
        let words = decoded.iter().map(|decoded| usize::from(decoded.noted)).sum();
        let pc = decoded.first().map_or(0, |first| first.pc);
        Self { uops: uops.into(), decoded: decoded.into(), urgency, words, meets: false, pc }
    }

    /// Index of the instruction that a micro-operation belongs to.
    pub fn instruction_of(&self, uop: usize) -> usize {
        self.decoded.partition_point(|decoded| decoded.end as usize <= uop).min(self.decoded.len() - 1)
    }
}

/// Identifies a block in its [`Cache`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlockId(u32);

impl BlockId {
    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The block of a number that [`BlockId::number`] gave.
    pub const fn of(number: u32) -> Self {
        Self(number)
    }
}

/// Blocks by guest address, linked to their successors.
#[derive(Debug, Default)]
pub struct Cache {
    by_pc: HashMap<u64, BlockId>,
    blocks: Vec<Arc<Block>>,
    /// What is asked of each at every execution of a timed run.
    shapes: Vec<Shape>,
    links: Vec<[u32; LINKS]>,
    executions: Counters,
    heat: Vec<Heat>,
    /// Blocks of compiled loops that are seldom left.
    apart: HashSet<BlockId>,
    /// What was in the pages that blocks are on.
    pages: pages::Pages,
    /// Micro-operations and instructions of all blocks, and these pages in their unit.
    size: usize,
    /// How often the numbers of blocks changed.
    generation: u64,
    /// Instructions counted one by one: of blocks since dropped, or left half-way.
    loose: HashMap<InstructionId, i64>,
    /// The same by address, if asked for.
    loose_addresses: Option<HashMap<u64, i64>>,
}

impl Cache {
    /// The block at `pc`, if translated.
    pub fn find(&self, pc: u64) -> Option<BlockId> {
        self.by_pc.get(&pc).copied()
    }

    /// Adds a block.
    pub fn insert(&mut self, pc: u64, block: Block) -> BlockId {
        let id = BlockId(self.blocks.len() as u32);
        self.size += block.uops.len() + block.decoded.len();
        self.shapes.push(Shape::of(&block));
        self.blocks.push(Arc::new(block));
        self.links.push([NONE; LINKS]);
        self.executions.push();
        self.heat.push(Heat::Executed(0));
        self.by_pc.insert(pc, id);
        id
    }

    /// Adds a block in place of another one of the same address. It is as hot: what the two lead to is compared with that.
    pub fn replace(&mut self, old: BlockId, block: Block) -> BlockId {
        let new = self.insert(block.pc, block);
        self.heat[new.0 as usize] = self.heat_of(old);
        for link in self.links.iter_mut().flatten().filter(|link| **link == old.0) {
            *link = new.0;
        }
        new
    }

    /// The block.
    #[inline]
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// How much it is, and where.
    #[inline]
    pub fn shape(&self, id: BlockId) -> &Shape {
        &self.shapes[id.0 as usize]
    }

    /// The block, to keep while the machine changes.
    pub fn share(&self, id: BlockId) -> Arc<Block> {
        Arc::clone(&self.blocks[id.0 as usize])
    }

    /// The block an exit leads to, if linked.
    pub fn link(&self, from: BlockId, exit: u8) -> Option<BlockId> {
        match self.links[from.0 as usize].get(exit as usize) {
            Some(&to) if to != NONE => Some(BlockId(to)),
            _ => None,
        }
    }

    /// Remembers where an exit leads.
    pub fn set_link(&mut self, from: BlockId, exit: u8, to: BlockId) {
        if let Some(link) = self.links[from.0 as usize].get_mut(exit as usize) {
            *link = to.0;
        }
    }

    /// Counts one execution.
    pub fn count(&mut self, id: BlockId) {
        let executions = self.executions(id);
        executions.set(executions.get() + 1);
    }

    /// Where the executions of a block are counted.
    pub fn executions(&self, id: BlockId) -> &Cell<u64> {
        self.executions.get(id.0 as usize)
    }

    /// How far a block is on its way to be compiled.
    pub fn heat_of(&self, id: BlockId) -> Heat {
        self.heat[id.0 as usize]
    }

    /// The same, one execution nearer.
    #[inline(always)]
    pub fn heat(&mut self, id: BlockId) -> Heat {
        let heat = &mut self.heat[id.0 as usize];
        if let Heat::Executed(times) = heat {
            *times += 1;
        }
        *heat
    }

    /// How many blocks are compiled, as entries.
    pub fn compiled(&self) -> usize {
        self.heat.iter().filter(|heat| matches!(heat, Heat::Compiled(_))).count()
    }

    /// Notes that a compiled block is of a loop that is seldom left.
    pub fn set_apart(&mut self, id: BlockId) {
        self.apart.insert(id);
    }

    /// True if a compiled block is of a loop that is seldom left.
    pub fn is_apart(&self, id: BlockId) -> bool {
        self.apart.contains(&id)
    }

    /// Whether the block is compiled.
    pub fn set_heat(&mut self, id: BlockId, heat: Heat) {
        self.heat[id.0 as usize] = heat;
    }

    /// A region's blocks, which have these entries, are to be compiled again, as soon as its first is executed.
    pub fn compile_again(&mut self, entries: &Range<u32>, threshold: u32) {
        for (index, heat) in self.heat.iter_mut().enumerate() {
            let Heat::Compiled(entry) = *heat else { continue };
            if entries.contains(&entry.0) {
                let hot = threshold / self.blocks[index].urgency;
                *heat = Heat::Executed(if entry.0 == entries.start { hot } else { hot / 4 * 3 });
                self.apart.remove(&BlockId(index as u32));
            }
        }
    }

    /// Nothing is compiled any more.
    pub fn cool(&mut self) {
        self.heat.fill(Heat::Executed(0));
        self.apart.clear();
    }

    /// Takes back the instructions of a counted block that did not retire.
    pub fn uncount(&mut self, not_retired: &[Decoded]) {
        for decoded in not_retired {
            self.count_apart(decoded, -1);
        }
    }

    /// Counts instructions of a block that is not in the cache.
    pub fn count_loose(&mut self, retired: &[Decoded]) {
        for decoded in retired {
            self.count_apart(decoded, 1);
        }
    }

    fn count_apart(&mut self, decoded: &Decoded, count: i64) {
        *self.loose.entry(decoded.id).or_default() += count;
        if let Some(addresses) = &mut self.loose_addresses {
            *addresses.entry(decoded.pc).or_default() += count;
        }
    }

    /// From now on keeps what [`Cache::profile`] needs, or no longer.
    pub fn keep_addresses(&mut self, keep: bool) {
        if keep != self.loose_addresses.is_some() {
            self.loose_addresses = keep.then(HashMap::new);
        }
    }

    /// Executed instructions so far, by address.
    pub fn profile(&self) -> BTreeMap<u64, u64> {
        let mut counts: BTreeMap<u64, i64> =
            self.loose_addresses.iter().flatten().map(|(&pc, &count)| (pc, count)).collect();
        for (block, executions) in self.blocks.iter().zip(self.executions.iter()) {
            for decoded in block.decoded.iter().filter(|_| executions > 0) {
                *counts.entry(decoded.pc).or_default() += executions as i64;
            }
        }
        counts.into_iter().filter(|&(_, count)| count > 0).map(|(pc, count)| (pc, count as u64)).collect()
    }

    /// Executed instructions so far, by instruction.
    pub fn histogram(&self, instructions: usize) -> Vec<u64> {
        let mut counts = vec![0i64; instructions];
        for (block, executions) in self.blocks.iter().zip(self.executions.iter()) {
            if executions > 0 {
                for decoded in &block.decoded {
                    counts[decoded.id.index()] += executions as i64;
                }
            }
        }
        for (id, count) in &self.loose {
            counts[id.index()] += count;
        }
        counts.into_iter().map(|count| count.max(0) as u64).collect()
    }

    /// True if it should be flushed before anything is added: a guest may make code without end.
    pub const fn is_full(&self) -> bool {
        self.size >= MOST
    }

    /// Micro-operations and instructions of all blocks.
    pub const fn size(&self) -> usize {
        self.size
    }

    /// How often the numbers of blocks changed.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Number of translated blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// True if nothing is translated.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Drops every block, keeping what was counted.
    pub fn flush(&mut self) {
        let (blocks, executions) = (std::mem::take(&mut self.blocks), std::mem::take(&mut self.executions));
        for (block, executions) in blocks.iter().zip(executions.iter()).filter(|&(_, times)| times > 0) {
            for decoded in &block.decoded {
                self.count_apart(decoded, executions as i64);
            }
        }
        self.shapes.clear();
        self.by_pc.clear();
        self.links.clear();
        self.heat.clear();
        self.apart.clear();
        self.pages.clear();
        self.size = 0;
        self.generation += 1;
    }
}
