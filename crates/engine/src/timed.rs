//! What a timed run keeps of the blocks it executes: which, how far, and what the time of an instruction may depend on
//! besides what it is: addresses and operands.
//!
//! Both tiers write the same words: a header, and what the block's instructions note as they begin. How many words each
//! notes is known when a block is translated, so that compiled code stores them at known places.

use hart::memory::Memory;
use isa::operands::{AccessKind, Class, Control, File, Site};

use crate::block::{Block, BlockId, Cache};
use crate::uop::{FIRST_TEMP, Op, Uop};

/// Instructions after which the words are looked at, at the latest.
const INSTRUCTIONS: usize = 1 << 11;
/// Most words of an instruction: that of its block, and two operands.
pub const MOST_WORDS: usize = 3;

/// A block that was executed; or its first instructions, after which one trapped.
pub struct Record<'a> {
    /// Its number in the cache; `None` if it is not there.
    pub id: Option<BlockId>,
    /// The block.
    pub block: &'a Block,
    /// Its instructions that retired.
    pub retired: usize,
    /// What these noted.
    pub words: &'a [u64],
    /// Address of the instruction after it.
    pub next: u64,
    /// The guest's memory, where code is that was fetched and not executed.
    pub memory: &'a Memory,
}

/// Records that nobody has looked at yet.
pub struct Records {
    words: Box<[u64]>,
    used: usize,
    /// Where the last one begins.
    last: usize,
}

impl Default for Records {
    fn default() -> Self {
        Self { words: vec![0; MOST_WORDS * INSTRUCTIONS].into(), used: 0, last: 0 }
    }
}

/// A record's first word.
pub const fn header(id: BlockId, instructions: usize) -> u64 {
    (instructions as u64) << 32 | id.number() as u64
}

impl Records {
    /// Instructions for which there is room, however they lie in blocks.
    pub const fn room(&self) -> usize {
        (self.words.len() - self.used) / MOST_WORDS
    }

    /// Where compiled code writes the next record.
    pub fn end(&mut self) -> *mut u64 {
        self.words[self.used..].as_mut_ptr()
    }

    /// Compiled code has written up to there.
    pub fn set_end(&mut self, end: *const u64) {
        let bytes = (end as usize).wrapping_sub(self.words.as_ptr() as usize);
        self.used = (bytes / size_of::<u64>()).min(self.words.len());
    }

    /// A block begins.
    pub fn begin(&mut self, id: BlockId, block: &Block) {
        self.last = self.used;
        self.words[self.used] = header(id, block.decoded.len());
        self.used += 1;
    }

    /// The last block, of which compiled code has written the whole record, goes on at an instruction.
    pub fn reopen(&mut self, block: &Block, instruction: usize) {
        self.last = self.used - 1 - words(block, block.decoded.len());
        self.used = self.last + 1 + words(block, instruction);
    }

    /// The last block has noted these.
    pub fn note(&mut self, noted: &[u64]) {
        self.words[self.used..][..noted.len()].copy_from_slice(noted);
        self.used += noted.len();
    }

    /// Of the last block, only this many instructions retired; the next one trapped. Nothing to do if it was shown
    /// already.
    pub fn cut(&mut self, block: &Block, retired: usize) {
        if self.is_empty() {
            return;
        }
        let id = self.words[self.last] as u32;
        self.words[self.last] = header(BlockId::of(id), retired);
        self.used = self.last + 1 + words(block, retired);
    }

    /// Shows all records in order, and forgets them; `next` is where the last one led.
    pub fn drain(&mut self, cache: &Cache, memory: &Memory, next: u64, mut look: impl FnMut(&Record<'_>)) {
        let mut left = &self.words[..std::mem::take(&mut self.used)];
        let of = |header: u64| (BlockId::of(header as u32), (header >> 32) as usize);
        let Some((&header, noted)) = left.split_first() else { return };
        let (mut id, mut retired) = of(header);
        let mut shape = cache.shape(id);
        left = noted;
        loop {
            let block = cache.block(id);
            let is_whole = retired == shape.instructions as usize;
            let count = if is_whole { shape.words as usize } else { words(block, retired) };
            let (noted, rest) = left.split_at(count);
            let record = |next| Record { id: Some(id), block, retired, words: noted, next, memory };
            let Some((&header, after)) = rest.split_first() else { return look(&record(next)) };
            let (id_after, retired_after) = of(header);
            let shape_after = cache.shape(id_after);
            look(&record(shape_after.pc));
            (id, retired, shape, left) = (id_after, retired_after, shape_after, after);
        }
    }

    /// True if there is none.
    pub const fn is_empty(&self) -> bool {
        self.used == 0
    }
}

/// Words that the first instructions of a block note.
#[inline]
pub fn words(block: &Block, instructions: usize) -> usize {
    if instructions == block.decoded.len() {
        return block.words;
    }
    block.decoded[..instructions].iter().map(|decoded| usize::from(decoded.noted)).sum()
}

/// Puts what an instruction notes before its micro-operations, which are those from `start` on; how many words that is.
/// `fall_through` is the address of the next instruction in memory.
pub fn note(site: Site<'_>, fall_through: u64, uops: &mut Vec<Uop>, start: usize, rv32: bool) -> u8 {
    let Some((note, words)) = noted(site, fall_through, &uops[start..], rv32) else { return 0 };
    uops.insert(start, note);
    for uop in &mut uops[start + 1..] {
        if matches!(uop.op, Op::Goto | Op::GotoIfZero) && uop.imm >= start as u64 {
            uop.imm += 1;
        }
    }
    words
}

fn noted(site: Site<'_>, fall_through: u64, uops: &[Uop], rv32: bool) -> Option<(Uop, u8)> {
    // A branch to the next instruction is seen to be taken by its operands only.
    let leads_on = matches!(site.effects.control, Control::Branch { .. })
        && uops.iter().filter(|uop| uop.op.is_exit()).all(|uop| uop.imm == fall_through);
    // A shift by a register; one by a constant takes the same time whenever it executes.
    let shifts = site.effects.class == Class::Shift && site.reads(File::X).count() == 2;
    if leads_on || shifts || matches!(site.effects.class, Class::Mul | Class::Div) {
        let mut registers = site.reads(File::X).flatten();
        let a = registers.next()?;
        // One register may be both.
        let b = registers.next().unwrap_or(if leads_on { 0 } else { a });
        return Some((Uop { a, b, ..Uop::new(Op::NoteOperands) }, 2));
    }
    if site.accesses().all(|access| access.kind == AccessKind::Fetch) {
        return None;
    }
    let accesses =
        uops.iter().enumerate().filter(|(_, uop)| uop.op.access().is_some()).map(|(index, _)| index);
    // Of several, the lowest. Which one is noted is the same in every execution.
    let lowest =
        accesses.min_by_key(|&access| address(uops, access, rv32).map_or(i64::MAX, |(_, offset)| offset));
    let (a, offset) = match lowest {
        Some(access) => address(uops, access, rv32)?,
        // A unit's.
        None => (site.reads(File::X).flatten().next()?, site.number().unwrap_or(0) as i64),
    };
    Some((Uop { a, imm: offset as u64, ..Uop::new(Op::NoteAddress) }, 1))
}

/// What a load or store adds to which register, if that can be seen in the micro-operations of its instruction.
pub fn address(uops: &[Uop], access: usize, rv32: bool) -> Option<(u16, i64)> {
    let Uop { a: slot, imm: offset, .. } = uops[access];
    if slot != 0 && slot < FIRST_TEMP {
        return Some((slot, offset as i64));
    }
    let sum = uops[..access].iter().rev().find(|uop| uop.def() == Some(slot))?;
    let added = added(*sum, rv32).filter(|_| sum.a != 0 && sum.a < FIRST_TEMP)?;
    Some((sum.a, added.wrapping_add(offset as i64)))
}

/// What a micro-operation adds to its first operand, if it does only that to an address. Sums of 32 bits do on RV32,
/// where they wrap with the address.
pub fn added(sum: Uop, rv32: bool) -> Option<i64> {
    if rv32 && sum.op == Op::Add32I {
        return Some(sum.imm as i32 as i64);
    }
    (sum.op == Op::Add64I).then_some(sum.imm as i64)
}
